"""PTX to machine code and back to text, by NVIDIA's own tools: `ptxas` and `nvdisasm`. No GPU and no driver needed.

The tools are optional: `pip install lanewise[isa]` puts them inside the environment, where they are looked for first;
a CUDA toolkit on PATH serves as well.
"""

from __future__ import annotations

import functools
import importlib.util
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from ..support.dataclasses import dataclass, field
from ..support.diagnostics import LanewiseError
from ..targets import Chip

if TYPE_CHECKING:
    import subprocess


class ToolMissingError(LanewiseError, RuntimeError):
    """`ptxas` or `nvdisasm` is not installed."""


class AssemblerError(LanewiseError, RuntimeError):
    """The assembler or disassembler rejected its input; the message has its words and the lines they are about."""


@dataclass(frozen=True)
class Resources:
    """What one kernel uses, as `ptxas -v` reports it. Bytes are per thread, shared memory per workgroup. `variant` says
    which of a kernel's variants was assembled, in words, where that is known."""

    registers: int
    barriers: int
    stack_bytes: int
    spill_store_bytes: int
    spill_load_bytes: int
    static_shared_bytes: int
    local_bytes: int
    variant: str = field(default="", compare=False)


@dataclass(frozen=True)
class Cubin:
    """Machine code for one chip, the resources of each kernel by name, and what the assembler warned about."""

    chip: Chip
    code: bytes
    resources: Mapping[str, Resources]
    warnings: tuple[str, ...]


def assemble(ptx: str, chip: Chip, flags: Sequence[str] = ()) -> Cubin:
    """Assemble a PTX module for `chip`; `flags` are passed to `ptxas` as they are.

    Raises ToolMissingError without an assembler, AssemblerError when it rejects the text, ValueError for a chip that
    is not NVIDIA's.
    """
    if chip.vendor != "nvidia":
        raise ValueError(f"PTX cannot be assembled for {chip.name}: it is no NVIDIA chip")
    tool = find_tool("ptxas")
    import tempfile

    with tempfile.TemporaryDirectory(prefix="lanewise-") as folder:
        Path(folder, _PTX_FILE).write_text(ptx, encoding="utf-8")
        command = [tool, "-v", f"-arch={chip.name}", *flags, _PTX_FILE, "-o", _CUBIN_FILE]
        report = _run(command, folder)
        if report.returncode != 0:
            raise AssemblerError(_rejection(chip, report.stderr, ptx))
        code = Path(folder, _CUBIN_FILE).read_bytes()
    warnings = tuple(line.strip() for line in report.stderr.splitlines() if "warning" in line or _PERFORMANCE in line)
    return Cubin(chip, code, parse_resources(report.stderr), warnings)


Lines = Literal["none", "source", "ptx"]
"""What stands before the instructions that come from it: nothing, lines of the program, or lines of the PTX."""
LINE_INFO = ("-lineinfo",)
"""The flags of `assemble` without which a cubin has no lines."""
_ENCODINGS = ("--print-instruction-encoding",)
_LINE_FLAGS: Mapping[Lines, Sequence[str]] = {
    "none": (),
    "source": ("--print-line-info",),
    "ptx": ("--print-line-info-ptx",),
}


def disassemble(cubin: bytes, *, lines: Lines = "none", encodings: bool = False) -> str:
    """The code sections of a cubin as SASS text, with the `lines` that they come from, and the bits of instructions.

    Raises ToolMissingError without a disassembler and AssemblerError when it rejects the file.
    """
    tool = find_tool("nvdisasm")
    import tempfile

    with tempfile.TemporaryDirectory(prefix="lanewise-") as folder:
        Path(folder, _CUBIN_FILE).write_bytes(cubin)
        report = _run([tool, "--print-code", *_ENCODINGS[: int(encodings)], *_LINE_FLAGS[lines], _CUBIN_FILE], folder)
    if report.returncode != 0:
        raise AssemblerError(f"nvdisasm rejects the code: {report.stderr.strip()}")
    return report.stdout


def has_tool(name: str) -> bool:
    """Whether `ptxas` or `nvdisasm` is installed."""
    return _location(name) is not None


@functools.cache
def assembles(chip: Chip) -> bool:
    """Whether `ptxas` is installed and knows the chip; that of CUDA 13 knows none before sm_75."""
    tool = _location("ptxas")
    if tool is None or chip.vendor != "nvidia":
        return False
    import subprocess

    known = subprocess.run([tool, "--help"], capture_output=True, text=True, check=True).stdout
    return f"'{chip.name}'" in known


@functools.cache
def find_tool(name: str) -> str:
    """Path of `ptxas` or `nvdisasm`: the one in this environment, else the one on PATH. Raises ToolMissingError."""
    location = _location(name)
    if location is None:
        raise ToolMissingError(
            f"{name} is neither in this Python environment nor on PATH; `pip install lanewise[isa]` installs it"
        )
    return location


def _location(name: str) -> str | None:
    """NVIDIA's wheels share the namespace package `nvidia` and keep programs in a `bin` folder inside it."""
    namespace = importlib.util.find_spec("nvidia")
    roots = namespace.submodule_search_locations if namespace else None
    installed = [path for root in roots or () for path in sorted(Path(root).glob(f"*/bin/{name}"))]
    return str(installed[-1]) if installed else shutil.which(name)


_PTX_FILE = "kernel.ptx"
_CUBIN_FILE = "kernel.cubin"


def _run(command: list[str], folder: str) -> subprocess.CompletedProcess[str]:
    import subprocess  # with it come selectors, signals and threads

    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


_PERFORMANCE = "(C75"
"""Numbers of what is said of performance alone, as `info`: C7508 to C7517 are about asynchronous products and registers
that are handed on."""
_FINDING = re.compile(r"ptxas \S+, line (\d+); (?:error|fatal)\s*: (.*)")


def _rejection(chip: Chip, report: str, ptx: str) -> str:
    """Each of the assembler's errors with the line of PTX it is about, or its last word if it names no line."""
    text = ptx.split("\n")
    findings = [
        f"{match[2]}\n{int(match[1]):5} | {text[int(match[1]) - 1].strip()}" for match in _FINDING.finditer(report)
    ]
    reasons = findings or [
        line.split(":", 1)[-1].strip() for line in report.splitlines() if "fatal" in line or "error" in line
    ]
    return f"ptxas rejects the PTX for {chip.name}: " + "\n".join(reasons or [report.strip()])


_KERNEL = re.compile(r"Compiling entry function '([^']+)'(.*?)(?=Compiling entry function|\Z)", re.DOTALL)
AMOUNTS: Mapping[str, str] = MappingProxyType(
    {
        "registers": r"Used (\d+) registers",
        "barriers": r"used (\d+) barriers",
        "stack_bytes": r"(\d+) bytes stack frame",
        "spill_store_bytes": r"(\d+) bytes spill stores",
        "spill_load_bytes": r"(\d+) bytes spill loads",
        "static_shared_bytes": r"(\d+) bytes smem",
        "local_bytes": r"(\d+) bytes lmem",
    }
)
"""The numbers of `Resources`, and how `ptxas` writes each."""


def parse_resources(report: str) -> dict[str, Resources]:
    """The resources of every kernel in the report of `ptxas -v`; amounts that it leaves out are 0."""
    return {match[1]: _resources(match[2]) for match in _KERNEL.finditer(report)}


def _resources(section: str) -> Resources:
    found = {name: re.search(pattern, section) for name, pattern in AMOUNTS.items()}
    amounts: dict[str, Any] = {name: int(match[1]) if match else 0 for name, match in found.items()}
    return Resources(**amounts)
