"""Collects `*.mlir` files as tests. A file says what to do with it, and what to expect, in comments:

    // test roundtrip                          printing what was parsed gives a program that prints the same, both forms
    // test verify                             it is right, or wrong exactly where `// expected-error {{...}}` stands
    // test layout | distribute | compile      the stage is the text in the section's golden block, where it has one
    // test run N=77 data=exact,special        right on every executor of the machine

    // prints 1, 2                                 a line of what a `run` prints; all lines, where one is given

    // expect sm_90: mma 16, sectors 512           what the code costs (see expectations.py for the form of the line)

Commands stand before the program and count for every section; `// -----` separates sections. Options are `target=`,
`data=`, `emit=` (for compile) and sizes. An expected error is about its own line, or `@+1`, `@-1` lines away. A golden
block stands at the end of a section, between `// golden STAGE` and `// end`; `--bless` rewrites it. An `expect` line is
about its own section; a comment beside it says where its numbers come from.

What runs, runs on the machine's GPU, too: all of a file is one item there, `run[device]`, without a GPU one skip.
Of runs that differ in the chip alone each section makes one, by turns, and some runs are thorough (see
`lanewise.validate`): run as well is what launches with buffers off their alignment take, and what knows nothing of its
arguments, and LLVM makes code objects of AMD's of it. Some of what runs is also compiled again from its text in the
layout or the thread stage. Each operation has all of it somewhere (turns.py); `--thorough` makes everything.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import lanewise
import pytest
from lanewise.check.counts import Measurement
from lanewise.check.executors import BUILT_IN, installed
from lanewise.check.inputs import Data, Inputs, make_inputs
from lanewise.check.inputs_grammar import inputs_of, read_comments
from lanewise.check.validate import validate
from lanewise.codegen.assemble import ToolMissingError
from lanewise.ir.core import Operation
from lanewise.ir.printer import print_program
from lanewise.jit import compiler
from lanewise.jit.device_choice import DEFAULT_TARGET, DRIVERS, Driver, driver_of
from lanewise.jit.kernel import compile as compile_program
from lanewise.jit.source import parse
from lanewise.support.diagnostics import Diagnostic, ProgramError, Source
from lanewise.targets import find_chip

from ..convergence import not_convergent
from .expectations import Expectation, expectations
from .sections import EXPECTED, SEPARATOR, Section, commands, sections
from .turns import AGAIN, Run, again, counted, made, thorough

PRINTED = re.compile(r"^// prints ?(.*)$", re.MULTILINE)
EMITTED = {"layout": "layout", "distribute": "thread", "compile": "ptx"}
"""What the commands compare with a golden block."""
EVERYWHERE = "interpret,emulated"
"""The executors of an item of `run`: those that every machine has share one run of the reference."""
OTHERS = tuple(row.name for row in installed().rows if row not in BUILT_IN.rows)
"""Executors of installed packages, each of which has items of its own."""
ABSENT = pytest.StashKey[dict[str, str]]()
"""Why the machine has no device of a driver, by its name: asked once."""
KERNELS = pytest.StashKey[dict[tuple[str, str, str | None], lanewise.Kernel]]()
"""The kernels of the file that is tested, by section and target: its items follow one another."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--bless", action="store_true", default=False, help="rewrite the golden blocks of filetests")


def pytest_collect_file(parent: pytest.Collector, file_path: Path) -> pytest.Collector | None:
    return MlirFile.from_parent(parent, path=file_path) if file_path.suffix == ".mlir" else None


def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Kernels go with the last item of their file."""
    if nextitem is None or nextitem.path != item.path:
        item.session.stash.setdefault(KERNELS, {}).clear()


class Mismatch(Exception):
    """A filetest failed; the message is all that is to be seen."""


class MlirFile(pytest.File):
    def collect(self) -> Iterator[pytest.Item]:
        text = self.path.read_text(encoding="utf-8")
        found = commands(text)
        costs = [(section, self._expectations(section)) for section in sections(text)]
        if not found and not any(lines for _, lines in costs):
            raise self.CollectError(f"{self.path}: no `// test COMMAND` and no `// expect TARGET:` line")
        for command, options in found:
            self._check(text, command, options)
        runs = [tuple(options) for command, options in found if command == "run"]
        for section, lines in costs:
            for command, options in found:
                if command != "run":
                    yield from self._items(section, command, options)
            its_runs = self._runs(section, runs)
            for run in its_runs:
                yield from self._items(section, "run", run.options, self.all or run in thorough())
            if runs and not EXPECTED.search(section.text):
                yield from self._again(section, its_runs[0].target)
            looked_at = lines if self.all else counted((self.path, section.number), lines)
            yield from (item for expectation in looked_at for item in self._counted(section, expectation))
        if runs:
            devices: DeviceItem = DeviceItem.from_parent(
                self, name="run[device]", runs=list(self._on_devices(text, runs))
            )
            yield devices

    @property
    def all(self) -> bool:
        """Whether nothing takes turns."""
        return bool(self.config.getoption("--thorough"))

    def _check(self, text: str, command: str, options: list[str]) -> None:
        if command not in COMMANDS:
            raise self.CollectError(f"{self.path}: no command '{command}'; there are {', '.join(COMMANDS)}")
        if odd := [option for option in options if "=" not in option]:
            raise self.CollectError(f"{self.path}: option '{odd[0]}' of '{command}', expected NAME=VALUE")
        if not compares(text, command, options):
            raise self.CollectError(f"{self.path}: '{command}' has no golden block and no error to find")

    def _runs(self, section: Section, runs: Sequence[tuple[str, ...]]) -> Sequence[Run]:
        """Those that the section makes: by turns those of tests/filetests, of other files all."""
        by_turns = made().get((self.path, section.number))
        if self.all or by_turns is None:
            return [Run(self.path, section.number, n, options) for n, options in enumerate(runs)]
        return by_turns

    def _expectations(self, section: Section) -> list[Expectation]:
        try:
            return expectations(Source(section.text, str(self.path)))
        except ProgramError as error:
            raise self.CollectError(str(error)) from None

    def _counted(self, section: Section, expectation: Expectation) -> Iterator[pytest.Item]:
        for suffix, part in expectation.by_tools():
            name = f"expect:{part.label}{suffix}" + (f"#{section.number}" if section.number else "")
            item: CountItem = CountItem.from_parent(self, name=name, section=section, expectation=part)
            yield item

    def _again(self, section: Section, target: str | None) -> Iterator[pytest.Item]:
        """The text of a stage is a program that gives the same thread's program."""
        texts = set() if self.all else again()
        for stage in (stage for stage in AGAIN if self.all or ((self.path, section.number), stage) in texts):
            label = f"again:{stage}" + (f"#{section.number}" if section.number else "")
            item: AgainItem = AgainItem.from_parent(self, name=label, section=section, target=target, stage=stage)
            yield item

    def _items(
        self, section: Section, command: str, options: Sequence[str], thorough: bool = True
    ) -> Iterator[MlirItem]:
        label = ":".join([command, *options]) + (f"#{section.number}" if section.number else "")
        for executors in (EVERYWHERE, *OTHERS) if command == "run" else [""]:
            name = f"{label}[{executors}]" if executors else label
            settings = dict(option.split("=", 1) for option in options) | {"executors": executors}
            item: MlirItem = MlirItem.from_parent(self, name=name, section=section, command=command, settings=settings)
            item.thorough = thorough or executors in OTHERS
            yield item

    def _on_devices(self, text: str, runs: Sequence[Sequence[str]]) -> Iterator[MlirItem]:
        """The runs of all sections that are right, for the device of the vendor of each."""
        for section in sections(text):
            for options in [] if EXPECTED.search(section.text) else runs:
                first, *_ = self._items(section, "run", options)
                yield first


class SectionItem(pytest.Item):
    """Something that is tested of one section."""

    def __init__(self, *, section: Section, **rest: Any) -> None:
        super().__init__(**rest)
        self.section = section

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What is wrong with the file is said without the tests' own stack."""
        in_the_file = excinfo.errisinstance((Mismatch, lanewise.LanewiseError))
        return str(excinfo.value) if in_the_file else super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.section.line, self.name

    @property
    def source(self) -> Source:
        return Source(self.section.text, str(self.path))

    def compiled(self, target: str | None) -> lanewise.Kernel:
        path, kernels = str(self.path), self.session.stash.setdefault(KERNELS, {})
        key = (path, self.section.text, target)
        if key not in kernels:
            kernel = compile_program(parse(self.section.text, path), target).isolated
            kernels[key] = kernels.setdefault((path, self.section.text, kernel.target.name), kernel)
        return kernels[key]

    def inputs(self, kernel: lanewise.Kernel, sizes: dict[str, int], data: Data = "written") -> Inputs | None:
        """What the section's `lanewise.args` comment asks for; None where it has none."""
        text = inputs_of(read_comments(self.source), kernel.name)
        return None if text is None else make_inputs(text, kernel.signature, sizes=sizes, data=data)


class CountItem(SectionItem):
    """The counts of one `expect` line."""

    def __init__(self, *, expectation: Expectation, **rest: Any) -> None:
        super().__init__(**rest)
        self.expectation = expectation

    def runtest(self) -> None:
        kernel = self.compiled(self.expectation.target)
        inputs = self.inputs(kernel, dict(self.expectation.sizes))
        if inputs is None and self.expectation.runs:
            raise Mismatch("counts of a run need a `// lanewise.args` comment")
        measurement = Measurement(kernel, inputs)
        try:
            wrong = [problem for e in self.expectation.expected if (problem := e.check(measurement)) is not None]
        except ToolMissingError as error:
            pytest.skip(str(error))
        if wrong:
            raise Mismatch("\n".join(problem.render() for problem in wrong))


class AgainItem(SectionItem):
    """The text of a stage of the general variant, compiled on."""

    def __init__(self, *, target: str | None, stage: str, **rest: Any) -> None:
        super().__init__(**rest)
        self.target, self.stage = target, stage

    def runtest(self) -> None:
        kernel = self.compiled(self.target)
        variant, begins = kernel.general, kernel.compiler.view.stage
        self.stage = begins if begins == "thread" else self.stage
        text, thread = variant.emit(self.stage), variant.emit("thread")
        assert isinstance(text, str) and isinstance(thread, str)
        again = compile_program(parse(text), self.target).general.emit("thread")
        assert isinstance(again, str)
        if again != thread and nameless(again) != nameless(thread):
            raise Mismatch(difference(thread, again, "thread", f"thread, from the {self.stage} stage"))


def nameless(text: str) -> str:
    """A program with numbers for the names of its values: which of several that became one gives its name to it may
    differ between a program and its text."""
    module = parse(text)
    for op in module.walk():
        rename(op)
    return print_program(module)


def rename(op: Operation) -> None:
    for value in (*op.results, *(a for region in op.regions for block in region.blocks for a in block.arguments)):
        value.hint = ""


class MlirItem(SectionItem):
    """One command for one section, on some executors where it runs."""

    def __init__(self, *, command: str, settings: dict[str, str], **rest: Any) -> None:
        super().__init__(**rest)
        self.command, self.settings = command, settings
        self.thorough = True

    def runtest(self) -> None:
        expected = {
            (self.section.text.count("\n", 0, m.start()) + 1 + int(m[1] or 0), m[2])
            for m in EXPECTED.finditer(self.section.text)
        }
        found: tuple[Diagnostic, ...] = ()
        try:
            COMMANDS[self.command](self)
        except ProgramError as error:
            found = error.diagnostics
        check_errors(expected, found)

    def kernel(self) -> lanewise.Kernel:
        return self.compiled(self.settings.get("target"))


class DeviceItem(pytest.Item):
    """All runs of a file on the GPU of the machine."""

    def __init__(self, *, runs: list[MlirItem], **rest: Any) -> None:
        super().__init__(**rest)
        self.runs = runs
        for run in runs:
            self.add_marker(pytest.mark.device(driver_of(find_chip(run.settings.get("target", DEFAULT_TARGET))).name))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        return str(excinfo.value) if excinfo.errisinstance(Mismatch) else super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, self.name

    def runtest(self) -> None:
        absent = [self.absent(driver) for driver in DRIVERS]
        if all(absent):
            pytest.skip("; ".join(absent))
        wrong, left = dict[str, str](), dict[str, str]()
        for item in self.runs:
            try:
                item.settings["executors"] = driver_of(item.kernel().target).name
                item.runtest()
            except pytest.skip.Exception as reason:
                left[item.name] = str(reason)
            except (Mismatch, lanewise.LanewiseError) as error:
                wrong[item.name] = str(error)
        if wrong:
            raise Mismatch("\n".join(f"{name}: {what}" for name, what in wrong.items()))
        if left:
            pytest.skip("\n".join(f"{name}: {reason}" for name, reason in left.items()))

    def absent(self, driver: Driver) -> str:
        """Why there is no such device at all; nothing where there is one."""
        known = self.session.stash.setdefault(ABSENT, {})
        if driver.name not in known:
            try:
                driver.open(0)
                known[driver.name] = ""
            except lanewise.DeviceUnavailable as error:
                known[driver.name] = str(error)
        return known[driver.name]


def check_errors(expected: set[tuple[int, str]], found: tuple[Diagnostic, ...]) -> None:
    """Every expected error at its line, and no other."""
    rest = set(expected)
    for diagnostic in found:
        location = None if diagnostic.location is None else diagnostic.location.in_text
        line = location.source.position(location.offset)[0] if location is not None else 0
        match = next((e for e in rest if e[0] == line and e[1] in diagnostic.message), None)
        if match is None:
            here = "".join(f"\nexpected on this line: '{text}'" for at, text in sorted(rest) if at == line)
            raise Mismatch(f"an error that is not expected:\n{diagnostic.render()}{here}")
        rest.remove(match)
    if rest:
        raise Mismatch(
            "\n".join(f"line {line}: expected the error '{text}', found none" for line, text in sorted(rest))
        )


# Commands


OF_SEVERAL = {
    "memref.subview": "dimensions of one element may be left out",
    "memref.transpose": "the same strides may be said in several ways",
    "affine.delinearize_index": "there may be one number more, the quotient by all extents",
}
"""What infers one of the types that its results may have."""


def roundtrip(item: MlirItem) -> None:
    """What is printed is read back, and result types that operations say themselves are the text's."""
    program = parse(item.section.text)
    for op in program.walk():
        inferred = type(op).infer(op.operands, op.attributes)
        if inferred and op.opname not in OF_SEVERAL and inferred != [result.type for result in op.results]:
            found = ", ".join(str(result.type) for result in op.results)
            raise Mismatch(f"{op.opname} infers {', '.join(map(str, inferred))}, the text has {found}")
    text = print_program(program)
    read = parse(text)
    for form, other in (("short", print_program(read)), ("generic", print_program(parse(print_program(read, True))))):
        if other != text:
            raise Mismatch(difference(text, other, "printed once", f"printed again ({form} form)"))


def verify(item: MlirItem) -> None:
    parse(item.section.text, str(item.path))


def emit(item: MlirItem) -> None:
    stage = item.settings.get("emit", EMITTED[item.command])
    text = item.kernel().general.emit(stage)
    assert isinstance(text, str)
    block = golden_block(item.section.text, stage)
    if block is None:
        return
    new = "".join(f"//  {line}".rstrip() + "\n" for line in text.splitlines())
    if new == block[1]:
        return
    if not item.config.getoption("--bless", default=False):
        hint = "\n`make bless` accepts what is produced"
        raise Mismatch(difference(block[1], new, "golden", "produced") + hint)
    bless(item, stage, new)


def compares(text: str, command: str, options: list[str]) -> bool:
    """Whether a command of a file can fail: one that shows a stage has a golden block of it, or an error to find."""
    if command not in EMITTED:
        return True
    stage = next((option[5:] for option in options if option.startswith("emit=")), EMITTED[command])
    return golden_block(text, stage) is not None or EXPECTED.search(text) is not None


def golden_block(section: str, stage: str) -> re.Match[str] | None:
    return re.search(rf"^// golden {stage}\n(.*?)^// end$", section, re.MULTILINE | re.DOTALL)


def bless(item: MlirItem, stage: str, new: str) -> None:
    """Rewrites a block of the file as it is now: other blocks may have been rewritten since it was collected."""
    text = item.path.read_text(encoding="utf-8")
    starts = [0, *(m.start() for m in SEPARATOR.finditer(text)), len(text)]
    start, end = starts[item.section.number : item.section.number + 2]
    block = golden_block(text[start:end], stage)
    assert block is not None
    blessed = text[: start + block.start(1)] + new + text[start + block.end(1) :]
    item.path.write_text(blessed, encoding="utf-8")


def run(item: MlirItem) -> None:
    kernel = item.kernel()
    sizes = {k: int(v) for k, v in item.settings.items() if k not in ("executors", "data", "target")}
    for data in item.settings.get("data", "written").split(","):
        inputs = item.inputs(kernel, sizes, data)  # type: ignore[arg-type]
        if inputs is None:
            raise Mismatch("`run` needs a `// lanewise.args` comment")
        try:
            on = item.settings["executors"].split(",")
            with objects_as_well(item.thorough):
                report = validate(kernel, inputs.grid, *inputs.arguments, on=on, thorough=item.thorough)
        except lanewise.DeviceUnavailable as error:
            pytest.skip(str(error))
        if not report.ok:
            raise Mismatch(f"{data} data: {report}")
        for facts in kernel.compiler.compiled:
            if apart := not_convergent(kernel.compiler.compilation(facts).artifacts.llvm_ir):
                raise Mismatch(f"threads execute this together, and LLVM is not told so: {apart[0]}")
        lines = [line.rstrip() for line in report.checks[-1].printed.splitlines()]
        expected = [m[1].rstrip() for m in PRINTED.finditer(item.section.text)]
        if expected and lines != expected:
            raise Mismatch(difference("\n".join(expected), "\n".join(lines), "expected", "printed"))


@contextmanager
def objects_as_well(wanted: bool) -> Iterator[None]:
    """Meanwhile LLVM makes code objects of AMD's of what is executed as a text, as it does for `validate`, or does not:
    it takes as long over them as over the text, and may abort over either."""
    made: Any = compiler._variant_of
    with pytest.MonkeyPatch.context() as patch:
        if not wanted:
            patch.setattr(compiler, "_variant_of", lambda *given, as_on_gpu: made(*given, as_on_gpu=False))
        yield


def difference(expected: str, found: str, *names: str) -> str:
    return "\n".join(difflib.unified_diff(expected.splitlines(), found.splitlines(), *names, lineterm=""))


COMMANDS = {"roundtrip": roundtrip, "verify": verify, "layout": emit, "distribute": emit, "compile": emit, "run": run}
