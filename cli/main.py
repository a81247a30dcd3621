"""Reads the command line, runs one command, and turns errors about the input into messages and exit codes."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Protocol

from ..support.collector import importing
from .option_values import DATA, count, data, natural, numbers, python_file, seconds, setting, words

RIGHT, WRONG, BAD_INPUT = 0, 1, 2

EPILOG = """exit codes: 0 all is right, 1 a result is wrong, 2 the input is bad, 3 the executor could not judge

examples:
  lanewise run examples/softmax.mlir --target sm_90 --set M=77
  lanewise compile examples/softmax.mlir --emit ptx -o softmax.ptx
  lanewise compile examples/softmax.mlir --dump-dir stages
  lanewise validate examples/matmul_f16.mlir --on reference,interpret,emulated --data written,exact
"""
STAGES = ("vector", "layout", "thread", "llvm", "llvm-opt", "ptx", "cubin", "sass", "amdgcn", "object", "hsaco")
_OF_PYTHON = "of FILE.py: a constant, an argument's type (x=f16[M,64]), or an extent"
DEVICES = ("emulated", "cuda", "hip")
EXECUTORS = ("reference", "interpret", *DEVICES)
_REGISTERED = "one that a package registers, or MODULE:OBJECT (docs/python.md)"
FASTMATH = ("none", "approx")


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit code of one command; a command line that argparse rejects ends the process with 2."""
    options = _options(arguments)
    if (
        options.command in ("run", "compile", "validate", "inspect")
        and getattr(options, "emit", None) not in STAGES[:4]
    ):
        _start_worker()
    with importing():
        execute: Callable[[argparse.Namespace], int] = import_module(f".{options.command}", __package__).execute
    try:
        code = execute(options)
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # whoever read our output has enough; what is buffered goes nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return RIGHT
    except KeyboardInterrupt:
        return 130
    except _user_errors() as error:
        _report(error, getattr(options, "json", False))
        return BAD_INPUT


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser, commands = parser_and_commands()
    options, unknown = parser.parse_known_args(arguments)
    if unknown:
        from ..ir.did_you_mean import did_you_mean

        chosen = commands.choices[options.command]
        option = unknown[0].partition("=")[0]
        hint = _ELSEWHERE.get(option) or did_you_mean(option, _OPTION.findall(chosen.format_usage()))
        chosen.error(f"unrecognized arguments: {' '.join(unknown)}" + f"; {hint}" * bool(hint))
    if getattr(options, "set", ()) and python_file(options.file) is None:
        _only_sizes(options, commands.choices[options.command])
    return options


def _only_sizes(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """What `--set` sets of a program that is no Python: sizes of arguments, which are numbers."""
    if not hasattr(options, "args"):
        parser.error("argument --set: constants and types of arguments are of kernels in Python, FILE.py")
    try:
        options.set = numbers(options.set)
    except argparse.ArgumentTypeError as error:
        parser.error(f"argument --set: {error}")


_OPTION = re.compile(r"--[a-z][a-z-]*")
_WITHOUT_REMARKS = "this command compiles nothing, so it tells no remarks"
_ELSEWHERE = {
    "--grid": "a grid stands behind the arguments, as in --args 'x = normal(64), y = empty(64); grid = 2'",
    "--remarks": _WITHOUT_REMARKS,
    "--no-remarks": _WITHOUT_REMARKS,
}


def _start_worker() -> None:
    """Starts the process that LLVM will run in; it loads LLVM while the rest is imported here."""
    from ..codegen.isolation import shared_worker

    shared_worker().start()


def _user_errors() -> tuple[type[Exception], ...]:
    """Imported when needed: what can be wrong with an input and is no bug of ours."""
    from ..codegen.assemble import AssemblerError, ToolMissingError
    from ..jit.device import DeviceError
    from ..jit.signature import ArgumentError
    from ..support.diagnostics import LanewiseError
    from ..targets import UnknownTargetError, UnsupportedFeatureError

    named = (LanewiseError, ArgumentError, DeviceError, UnknownTargetError, UnsupportedFeatureError)
    return (*named, AssemblerError, ToolMissingError, OSError, MemoryError)


def _report(error: Exception, as_json: bool) -> None:
    text = str(error) or type(error).__name__
    if isinstance(error, MemoryError):
        text = f"not enough memory: {text}"
    if as_json:
        print(json.dumps({"ok": False, "error": {"kind": type(error).__name__, "message": text}}, indent=2))
    located = ": error: " in text.split("\n")[0]
    print(text if located or text.startswith("error: ") else f"error: {text}", file=sys.stderr)


# The commands and their options


def parser_and_commands() -> tuple[argparse.ArgumentParser, Commands]:
    """The parser of the whole command line, and those of its commands by name."""
    parser = argparse.ArgumentParser(
        prog="lanewise",
        description="Vector programs with explicit layouts: compiled to GPU machine code, executed, and checked.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=_version())
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for add in _COMMANDS:
        add(commands)
    return parser, commands


def _version() -> str:
    from .. import __version__

    return f"lanewise {__version__}"


class Commands(Protocol):
    """What `add_subparsers` returns; argparse has no public name for it."""

    @property
    def choices(self) -> Mapping[str, argparse.ArgumentParser]: ...

    def add_parser(self, name: str, *, help: str, description: str) -> argparse.ArgumentParser: ...


def _command(commands: Commands, name: str, summary: str, description: str) -> argparse.ArgumentParser:
    return commands.add_parser(name, help=summary, description=f"{summary}. {description}")


def _add_run(commands: Commands) -> None:
    description = (
        "Arguments are those of the file's `lanewise.args` comment, or of --args; the reference evaluates the program's"
        " meaning with numpy."
    )
    parser = _command(commands, "run", "compile a kernel, launch it, and compare the result", description)
    _add_program(parser, " or a compiled kernel")
    _add_without(parser)
    _add_inputs(parser)
    _add_arithmetic(parser)
    parser.add_argument(
        "--device",
        default="auto",
        metavar="NAME",
        help=f"where it runs: auto (a GPU, else emulated), {', '.join(EXECUTORS)}, {_REGISTERED}",
    )
    parser.add_argument("--data", choices=DATA, default="written", help="what random arrays hold instead")
    _add_remarks(parser)
    _add_json(parser)


def _add_compile(commands: Commands) -> None:
    description = "The stages vector, layout and thread can be edited, and compiled further from there."
    parser = _command(commands, "compile", "compile a kernel and write one stage, or all of them", description)
    _add_program(parser)
    parser.add_argument("--emit", choices=STAGES, help="the stage to write (default: the machine text)")
    parser.add_argument(
        "--aligned",
        action="store_true",
        help="the variant for arrays of at most 2 GiB whose addresses and rows are multiples of 16 bytes",
    )
    parser.add_argument("--line-info", action="store_true", help="name the program's lines in machine text and code")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="write there instead of to standard output; NAME.lw is the compiled kernel, for lanewise.load",
    )
    parser.add_argument("--no-program", action="store_true", help="leave the program's text out of NAME.lw")
    parser.add_argument(
        "--dump-dir", metavar="DIR", help="write every stage into this folder, and the program behind each pass"
    )
    parser.add_argument(
        "--print-after",
        action="append",
        default=[],
        metavar="PASS",
        help="print the program behind this pass on standard error; `all`: behind each that changed it",
    )
    _add_without(parser)
    _add_set(parser, _OF_PYTHON)
    _add_remarks(parser)


def _add_opt(commands: Commands) -> None:
    description = "Errors say where and what was expected. A printed program can be compiled on from there."
    parser = _command(commands, "opt", "parse, verify and print a program, behind passes", description)
    parser.add_argument("file", metavar="FILE", nargs="?", help="MLIR text; - reads standard input")
    parser.add_argument(
        "--pass",
        action="append",
        default=[],
        dest="passes",
        metavar="PASS[=OPTION=VALUE,..]",
        help="run this pass; several run one after the other",
    )
    parser.add_argument("--list-passes", action="store_true", help="list the passes in their order, with their options")
    parser.add_argument("--target", metavar="CHIP", help="for which passes run (default: the file's, or sm_90)")
    parser.add_argument("--kernel", metavar="NAME", help="which kernel, where the file has several")
    parser.add_argument("--generic", action="store_true", help="print the generic form, which upstream tools read")
    parser.add_argument("--locations", action="store_true", help="print where each operation stands, loc(...)")
    parser.add_argument("-o", "--output", metavar="FILE", help="write there instead of to standard output")


def _add_validate(commands: Commands) -> None:
    description = "Executors work on copies: outputs filled, buffers between guard bands, inputs watched."
    parser = _command(commands, "validate", "run a kernel on several executors and compare them", description)
    _add_program(parser, " or a compiled kernel")
    _add_without(parser)
    _add_inputs(parser)
    _add_arithmetic(parser)
    parser.add_argument(
        "--on",
        type=words,
        metavar="LIST",
        help=f"some of {','.join(EXECUTORS)}, {_REGISTERED} (default: all that are here, but for MODULE:OBJECT)",
    )
    parser.add_argument(
        "--data", type=data, default=("written",), metavar="LIST", help=f"data sets among {','.join(DATA)}"
    )
    _add_remarks(parser)
    _add_json(parser)


def _add_profile(commands: Commands) -> None:
    description = (
        "Counts are the emulator's and the machine text's. The bound is the least time of a product of the chip: that"
        " of the busiest of its matrix units, instructions issued, shared memory and memory. The model of time"
        " simulates the hot loop in one multiprocessor, and says what waits for what; it ran on no device."
    )
    parser = _command(commands, "profile", "count what a launch costs, and say what bounds it", description)
    _add_program(parser)
    _add_without(parser)
    _add_inputs(parser)
    parser.add_argument("--general", action="store_true", help="the variant that knows nothing of its arguments")
    _add_remarks(parser)
    _add_json(parser)


def _add_explain(commands: Commands) -> None:
    description = (
        "Each operation of the program in its order: its layout, the threads and registers that it takes, what crosses"
        " lanes and why, memory, and what lost. docs/explaining.md says how to read it."
    )
    parser = _command(commands, "explain", "say what became of each operation, and why", description)
    _add_program(parser)
    _add_without(parser)
    parser.add_argument("--general", action="store_true", help="the variant that knows nothing of its arguments")
    _add_set(parser, _OF_PYTHON)
    _add_json(parser)


def _add_inspect(commands: Commands) -> None:
    description = (
        "One page of HTML that needs no other file: the source, the program behind each pass that changed it, LLVM IR,"
        " PTX or AMDGCN, and SASS where the extra `isa` is installed; lines are linked (docs/inspecting.md)."
    )
    parser = _command(commands, "inspect", "show all stages of a kernel side by side in a browser", description)
    _add_program(parser)
    _add_without(parser)
    _add_inputs(parser)
    parser.add_argument("-o", "--output", metavar="FILE", help="the page, such as page.html (default: standard output)")
    parser.add_argument(
        "--counts",
        action="store_true",
        help="launch it on the emulator, and show what it counts beside each line; with --args and --set, too",
    )
    parser.add_argument("--general", action="store_true", help="the variant that knows nothing of its arguments")


def _add_check(commands: Commands) -> None:
    description = (
        "Coverage of outputs, races, bounds, barriers, meetings, fragments and bank conflicts. What is not proven of"
        " all launches is asked of the reference on the arguments that the file names; the output says which is which."
    )
    parser = _command(commands, "check", "look for what is wrong before code is generated", description)
    _add_program(parser)
    _add_without(parser)
    _add_inputs(parser)
    _add_json(parser)


def _add_targets(commands: Commands) -> None:
    parser = _command(commands, "targets", "list the chips and products that have a name", "")
    parser.add_argument("--matrix", action="store_true", help="their matrix instructions, and who executes them")
    parser.add_argument("--target", metavar="CHIP", help="only this one, with its features")
    _add_json(parser)


def _add_probe(commands: Commands) -> None:
    description = (
        "One element of A is 1, B says of each element where it is; the result is compared with the table. Of wgmma "
        "the narrowest and the widest of each element types stand for those between, unless --name says a width."
    )
    parser = _command(commands, "probe", "execute every matrix instruction of a chip", description)
    parser.add_argument("--target", metavar="CHIP", required=True, help="such as sm_90, h100, gfx942")
    parser.add_argument("--on", choices=DEVICES, default="emulated", help="where (default: emulated)")
    parser.add_argument("--name", default="", metavar="PART", help="only instructions with this in their name")
    parser.add_argument("--save", metavar="DIR", help="write the compiled probes there and run none")
    parser.add_argument("--kernels", metavar="DIR", help="run the probes that --save wrote; needs no LLVM")
    _add_json(parser)


def _add_ops(commands: Commands) -> None:
    description = (
        "For every operation: its meaning on arrays, what layouts it takes and makes, what one thread does, and machine"
        " code for NVIDIA's and AMD's chips. HOLE: nothing says why there is none."
    )
    parser = _command(commands, "ops", "show which layer handles which operation, and why not", description)
    parser.add_argument("prefix", nargs="?", default="", help="only operations whose name begins so, such as vector.")
    parser.add_argument("--holes", action="store_true", help="only operations with a hole that nothing explains")
    _add_json(parser)


def _add_cache(commands: Commands) -> None:
    description = (
        "LANEWISE_CACHE names the folder, or says `off`; else it is the user's for caches. list: the kernels, the last"
        " one used first. clear: removes them. verify: reads them, and removes what is not as it was written."
    )
    parser = _command(commands, "cache", "show and tidy the compiled kernels that are kept", description)
    parser.add_argument("action", choices=("list", "clear", "verify"))
    _add_json(parser)


def _add_draw(commands: Commands) -> None:
    description = (
        "Threads are colours, registers numbers; t is a thread's number in its workgroup. Of a file without --value it"
        " lists the vectors and shared buffers (docs/drawing.md)."
    )
    parser = _command(commands, "draw", "draw who holds which element, and which bank", description)
    parser.add_argument(
        "file",
        metavar="WHAT",
        help="MLIR text, FILE.py[:KERNEL] or a compiled kernel, a layout's attribute, or a matrix instruction's name",
    )
    _add_layouts(parser)
    parser.add_argument("--value", metavar="NAME", help="a (the source's), %%a_0 (the layout stage's), :21 (a line's)")
    parser.add_argument("--to", metavar="LAYOUT", help="draw the conversion to this layout")
    parser.add_argument("--bits", type=count, metavar="N", help="of the elements that are converted (default: 32)")
    parser.add_argument("--subgroup-size", type=count, metavar="N", help="for a layout (default: the chip's)")
    parser.add_argument("--threads", type=count, metavar="N", help="for a layout (default: as many as it needs)")
    parser.add_argument("--format", choices=("text", "svg", "html"), help="default: what -o ends in, else text")
    parser.add_argument("-o", "--output", metavar="FILE", help="write there instead of to standard output")
    _add_json(parser)


def _add_owners(commands: Commands) -> None:
    description = (
        "An owner is a thread, by its number in the workgroup, and a register: batches, then outers, then elements,"
        " each row-major. The first of several, in that order, is the elected one (docs/drawing.md)."
    )
    parser = _command(commands, "owners", "say who holds an element of a value, or which element", description)
    parser.add_argument(
        "file", metavar="FILE", help="MLIR text, FILE.py[:KERNEL] or a compiled kernel; - reads standard input"
    )
    parser.add_argument("value", metavar="VALUE", help="a (the source's), %%a_0 (the layout stage's), :21 (a line's)")
    parser.add_argument("element", type=natural, nargs="*", metavar="INDEX", help="of the element, one a dimension")
    _add_layouts(parser)
    parser.add_argument("--thread", type=natural, metavar="T", help="with --register: which element it holds there")
    parser.add_argument("--register", type=natural, metavar="R", help="a number from 0")
    _add_json(parser)


def _add_examples(commands: Commands) -> None:
    description = "Each is there as text and in Python; a file that is there and different is left as it is."
    parser = _command(commands, "examples", "list the examples, or write one into a folder", description)
    parser.add_argument("example", nargs="?", metavar="EXAMPLE", help="the one to write; without: lists them")
    parser.add_argument("-o", "--output", metavar="DIR", help="the folder to write into (default: this one)")
    _add_json(parser)


def _add_completion(commands: Commands) -> None:
    description = (
        "bash: `source <(lanewise completion bash)` in ~/.bashrc. zsh: the same in ~/.zshrc, behind compinit. fish:"
        " `lanewise completion fish > ~/.config/fish/completions/lanewise.fish`."
    )
    parser = _command(commands, "completion", "print a script that completes commands in a shell", description)
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="which shell")


def _add_layouts(parser: argparse.ArgumentParser) -> None:
    """What the layouts of a file depend on."""
    parser.add_argument("--target", metavar="CHIP", help="such as sm_90, h100, gfx942 (default: the file's, or sm_90)")
    parser.add_argument("--kernel", metavar="NAME", help="which kernel, where the file has several")
    parser.add_argument("--aligned", action="store_true", help="the variant for aligned arrays, as `compile --aligned`")
    _add_without(parser)
    _add_set(parser, _OF_PYTHON)
    parser.set_defaults(fastmath="none")


_COMMANDS = (
    _add_run, _add_compile, _add_opt, _add_validate, _add_profile, _add_explain, _add_check, _add_targets,
    _add_probe, _add_ops, _add_cache, _add_draw, _add_owners, _add_inspect, _add_examples, _add_completion,
)  # fmt: skip


def _add_program(parser: argparse.ArgumentParser, compiled: str = "") -> None:
    parser.add_argument(
        "file",
        metavar="FILE",
        help=f"MLIR text{compiled}, FILE.py[:KERNEL] (executed), - (standard input)",
    )
    parser.add_argument("--target", metavar="CHIP", help="such as sm_90, h100, gfx942 (default: the file's, or sm_90)")
    parser.add_argument(
        "--fastmath",
        choices=FASTMATH,
        default="none",
        help="approx: approximate functions, and no care for NaN in maxima",
    )
    parser.add_argument("--kernel", metavar="NAME", help="which kernel, where the file has several")
    parser.add_argument(
        "--budget-lines",
        type=count,
        default=50_000,
        metavar="N",
        help="lines of LLVM IR that one block may have (default: 50000)",
    )
    parser.add_argument(
        "--budget-seconds",
        type=seconds,
        default=120.0,
        metavar="S",
        help="stop each step of LLVM after so long (default: 120)",
    )


def _add_without(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--without",
        action="append",
        default=[],
        metavar="PASS",
        help="leave this pass out (`lanewise opt --list-passes`)",
    )


def _add_inputs(parser: argparse.ArgumentParser) -> None:
    _add_set(parser, "a size of the arguments; of FILE.py also a constant, or a type")
    parser.add_argument("--args", metavar="TEXT", help="arguments, as in a `// lanewise.args` comment (docs/files.md)")
    parser.add_argument("--seed", type=natural, default=0, metavar="N", help="for random data (default: 0)")
    parser.add_argument(
        "--limit-seconds",
        type=seconds,
        default=600.0,
        metavar="S",
        help="stop the reference, the interpreter and the emulator after so long (default: 600)",
    )


def _add_set(parser: argparse.ArgumentParser, help: str) -> None:
    parser.add_argument("--set", action="append", type=setting, default=[], metavar="NAME=VALUE", help=help)


def _add_arithmetic(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--arithmetic",
        choices=("exact", "unit"),
        default="exact",
        help="how the emulator sums products of matrices: exactly, rounded once, or as the chip's units do",
    )


def _add_remarks(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--remarks",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="what may surprise: a matrix unit not used, conversions in loops, spills, very long code",
    )


def _add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")
