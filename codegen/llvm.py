"""The one door to LLVM: LLVM IR text in, PTX or AMDGCN out. No other file imports llvmlite.

llvmlite is imported on first use, so that importing the package costs nothing. It is untyped: what we use of it is
declared at the end of this file, next to the only functions that touch it.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import re
import threading
import time
from collections.abc import Generator
from typing import Any, Protocol

from ..support.dataclasses import dataclass, field
from ..support.diagnostics import LanewiseError
from ..support.patterns import regex
from ..targets import CHIPS, Chip, UnknownTargetError


class CodegenError(AssertionError):
    """The compiler wrote LLVM IR that it should not have: an error of lanewise, never of the program it compiles."""


class LlvmVersionError(LanewiseError, ImportError):
    """There is no llvmlite, or one that carries another LLVM than the one that code is generated for."""


@dataclass(frozen=True)
class Timing:
    """Seconds spent in each stage."""

    parse: float
    optimise: float


@dataclass(eq=False)
class Compiled:
    """What LLVM made of one module; machine code is generated when it is first asked for.

    `optimised` is emptied by that, which rewrites a module beyond what LLVM reads back. `copies` keeps another for
    AMD's second form, text or object.
    """

    chip: Chip
    source: str = field(repr=False)
    """LLVM IR, before the passes over it where there are any."""
    timing: Timing
    level: int
    """The level of machine code generation."""
    optimise: bool
    optimised: list[_Module] = field(repr=False)
    copies: bool = False

    @functools.cached_property
    def optimised_ir(self) -> str:
        """The text after the passes."""
        return str(self.optimised[0] if self.optimised else self._made())

    @functools.cached_property
    def assembly(self) -> str:
        """PTX on NVIDIA, AMDGCN assembly on AMD. CodegenError where it calls a function that does not exist."""
        with _pairing_as_asked(self.source):
            assembly = _target_machine(self.chip, self.level).emit_assembly(self._take())
        _reject_calls(assembly)
        return assembly

    @functools.cached_property
    def object(self) -> bytes:
        """The relocatable ELF object. ValueError for NVIDIA chips."""
        require_object(self.chip)
        with _pairing_as_asked(self.source):
            return _target_machine(self.chip, self.level).emit_object(self._take())

    def _take(self) -> _Module:
        if not self.optimised:
            return self._made()
        module = self.optimised.pop()
        if self.copies:
            self.copies = False
            self.optimised.append(module.clone())
        return module

    def _made(self) -> _Module:
        module = _parse(self.source, self.chip)
        if self.optimise:
            _optimise(module, self.chip)
        return module


def compile_text(llvm_text: str, chip: Chip, *, optimise: bool = True, copies: bool = False) -> Compiled:
    """Compile one module of LLVM IR text for `chip`; the triple and data layout are the chip's, whatever the text says.

    Without `optimise` no pass runs over the IR; code generation itself is the same. Raises UnknownTargetError for a
    chip that is in no table (LLVM would only warn, and generate code for another one) and CodegenError when LLVM
    rejects the text. An operation that the chip cannot execute ends the process: legalise before.
    """
    check_known(chip)
    started = time.perf_counter()
    module = _parse(llvm_text, chip)
    parsed = time.perf_counter()
    if optimise:
        _optimise(module, chip)
    timing = Timing(parsed - started, time.perf_counter() - parsed)
    return Compiled(chip, llvm_text, timing, generation_level(llvm_text, chip), optimise, [module], copies)


def prepare() -> None:
    """Loads LLVM, so that the first compilation need not. Raises LlvmVersionError."""
    _binding()


def llvm_version() -> tuple[int, int, int]:
    """Version of the LLVM that llvmlite carries."""
    major, minor, patch = _binding().llvm_version_info
    return major, minor, patch


def command_line(chip: Chip, llvm_text: str, *, optimise: bool) -> list[str]:
    """Commands of LLVM's own tools that do to a file what is done here: the passes over IR, and code generation."""
    passes = "verify,function(instcombine,simplifycfg)" if optimise else "verify"
    options = " ".join((*_CORRECTIONS, *_SHORTCUTS, *([f"{_PAIRING}=0"] if UNPAIRED in llvm_text else [])))
    cpu, features = chip.llvm_cpu, chip.llvm_features
    target = f"-mtriple={chip.triple} -mcpu={cpu}" + (f" -mattr={features}" if features else "")
    return [
        f"LLVM {_LLVM}, llvmlite {_LLVMLITE}: target {chip.triple}, cpu {cpu}, features '{features}'",
        f"opt -S -passes='{passes}' {target} FILE -o - |",
        f"llc -O{generation_level(llvm_text, chip)} {target} {options}",
    ]


def require_object(chip: Chip) -> None:
    """Raises ValueError for chips that have no relocatable objects."""
    if chip.vendor != "amd":
        raise ValueError(f"LLVM writes no object for {chip.name}; assemble the PTX instead")


def check_known(chip: Chip) -> None:
    """Raises UnknownTargetError."""
    if chip.name not in CHIPS:
        raise UnknownTargetError(f"no table lists the chip {chip.name!r}; known: {', '.join(CHIPS)}")


# Calls that survive to the output: an intrinsic misspelt, or one LLVM replaced by a library function.
_CALLS = regex(
    r"\.extern \.func[^;]*?\b([\w.$]+)\s*\n?\(|\bcallseq\b|\bs_swappc_b64\b|([\w.$]+)@gotpcrel", re.MULTILINE
)


_CALL_WORDS = (".extern .func", "callseq", "s_swappc_b64", "@gotpcrel")


def _reject_calls(assembly: str) -> None:
    if not any(word in assembly for word in _CALL_WORDS):
        return
    found = list(_CALLS.finditer(assembly))
    if found:
        names = sorted({match[1] or match[2] for match in found if match[1] or match[2]})
        raise CodegenError(
            f"the generated code calls {', '.join(names) or 'a function'}, which does not exist on a GPU"
        )


_LOCATION = regex(r"<string>:(\d+):(\d+): (.*)")
_DEFINITION = regex(r"^\s+(%\S+) = ", re.MULTILINE)


def _explain(error: Exception, llvm_text: str) -> CodegenError:
    """LLVM's message with the number and text of the line it is about, if it says or quotes one."""
    message = str(error).strip()
    lines = llvm_text.split("\n")
    if located := _LOCATION.search(message):
        number = int(located[1])
        return CodegenError(f"LLVM rejects the generated IR: {located[3]}\n{_numbered(lines, number)}")
    # The verifier prints instructions in its own spelling, so they are found by the value they define.
    defined = set(_DEFINITION.findall(message))
    numbers = [number for number, line in enumerate(lines, 1) if defined & set(_DEFINITION.findall(line))]
    context = "".join("\n" + _numbered(lines, number) for number in numbers)
    return CodegenError(f"LLVM rejects the generated IR: {message}{context}")


def _numbered(lines: list[str], number: int) -> str:
    return f"{number:5} | {lines[number - 1].rstrip()}"


class _Module(Protocol):
    """A module that LLVM has read."""

    triple: str
    data_layout: str

    def verify(self) -> None: ...
    def clone(self) -> _Module: ...


class _TargetMachine(Protocol):
    """LLVM's code generator for one chip."""

    @property
    def target_data(self) -> object: ...
    def emit_assembly(self, module: _Module) -> str: ...
    def emit_object(self, module: _Module) -> bytes: ...


# What LLVM 22 gets wrong for AMD and is told not to do; all are found by tests that run the code.
_CORRECTIONS = (
    # Unsigned numbers of 24 bits are divided by an f32 reciprocal, whose rounding makes quotients one too large
    # (14203175 / 3, for one). Without this expansion the code generator divides on its own, by floats up to 23 bits.
    "--amdgpu-codegenprepare-disable-idiv-expansion",
    # v_permlane64 and gfx11's v_wmma are moved into branches that use their result, where lanes that take part are
    # inactive. NVIDIA's code generation has no such pass at its level.
    "--disable-machine-sink",
    # Private memory becomes workgroup memory that nobody counts, found by sizes out of a packet that we do not ask for.
    "--disable-promote-alloca-to-lds",
)

_SHORTCUTS = (
    # Rewriting induction variables takes AMD's code generation long and leaves the examples' loops about as they were:
    # docs/decisions/0006. NVIDIA's code generation has no such pass at its level.
    "--disable-lsr",
)


UNPAIRED = '"lanewise-unpaired"'
"""An attribute of kernels, which LLVM does not know: it looks for no pairs of instructions that are issued as one."""
_PAIRING = "--amdgpu-enable-vopd"
_GENERATING = threading.Lock()
"""Held while code is generated, since an option is the process's: no other kernel is to meet it."""


@contextlib.contextmanager
def _pairing_as_asked(llvm_text: str) -> Generator[None]:
    """No attribute that LLVM knows turns the pairing off, and no feature that none implies: docs/decisions/0112."""
    with _GENERATING:
        if UNPAIRED not in llvm_text:
            yield
            return
        _binding().set_option("lanewise", f"{_PAIRING}=0")
        try:
            yield
        finally:
            _binding().set_option("lanewise", f"{_PAIRING}=1")


_LLVMLITE, _LLVM = "0.50", 22
"""The versions that this package is written for. LLVM 20 compiles less than half of our texts, and no barrier."""


def _import() -> Any:
    """llvmlite's binding. Raises LlvmVersionError unless it is of the version that this package is written for."""
    wanted = f"lanewise needs llvmlite {_LLVMLITE}, which carries LLVM {_LLVM}"
    try:
        version = str(importlib.import_module("llvmlite").__version__)
        binding: Any = importlib.import_module("llvmlite.binding")
        major = int(getattr(binding, "llvm_version_info", (0,))[0])
    except ImportError as error:
        raise LlvmVersionError(f"{wanted}; found none that can be imported: {error}") from error
    if major != _LLVM or not f"{version}.".startswith(f"{_LLVMLITE}."):
        raise LlvmVersionError(f"{wanted}; found llvmlite {version} with LLVM {major or 'of unknown version'}")
    return binding


@functools.cache
def _binding() -> Any:
    """llvmlite's binding, with every target registered."""
    binding = _import()
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    for option in (*_CORRECTIONS, *_SHORTCUTS):
        binding.set_option("lanewise", option)
    return binding


@functools.cache
def _machine(triple: str, cpu: str, features: str, level: int) -> _TargetMachine:
    if triple.startswith("amdgcn"):
        _settle_waits(triple)
    return _new_machine(triple, cpu, features, level)


def _new_machine(triple: str, cpu: str, features: str, level: int) -> _TargetMachine:
    target = _binding().Target.from_triple(triple)
    machine: _TargetMachine = target.create_target_machine(cpu=cpu, features=features, opt=level)
    return machine


@functools.cache
def _settle_waits(triple: str) -> None:
    """LLVM 22 takes what s_waitcnt_depctr leaves open from the first chip of a process that needs it. Texts must not
    depend on what was compiled before, so that chip is always the same one."""
    module = _binding().parse_assembly(_NEEDS_A_WAIT)
    module.triple = triple
    _new_machine(triple, "gfx1100", "", 0).emit_assembly(module)


_NEEDS_A_WAIT = """declare float @llvm.amdgcn.rcp.f32(float)
define void @f(ptr addrspace(1) %p, float %x) {
  %r = call float @llvm.amdgcn.rcp.f32(float %x)
  %s = fadd float %r, %r
  store float %s, ptr addrspace(1) %p
  ret void
}
"""
"""A result of the transcendental unit that is used at once."""


def generation_level(llvm_text: str, chip: Chip) -> int:
    """LLVM's level of machine code generation: docs/decisions/0006, and 0038 and 0064 for what is under way."""
    return 1 if any(name in llvm_text for name in _ASYNCHRONOUS) else _CODE_GENERATION[chip.vendor]


def _target_machine(chip: Chip, level: int | None = None) -> _TargetMachine:
    chosen = _CODE_GENERATION[chip.vendor] if level is None else level
    return _machine(chip.triple, chip.llvm_cpu, chip.llvm_features, chosen)


@functools.cache
def _data_layout(chip: Chip) -> str:
    return str(_target_machine(chip).target_data)


def _parse(llvm_text: str, chip: Chip) -> _Module:
    try:
        module: _Module = _binding().parse_assembly(llvm_text)
        module.triple = chip.triple
        module.data_layout = _data_layout(chip)
        module.verify()
    except RuntimeError as error:
        raise _explain(error, llvm_text) from None
    return module


def _optimise(module: Any, chip: Chip) -> None:
    """One round of instruction combining: the emitter has folded and shared what the other passes would."""
    builder = _pass_builder(_target_machine(chip))
    passes = _binding().create_new_function_pass_manager()
    passes.add_instruction_combine_pass()
    passes.add_simplify_cfg_pass()  # what combining finds never taken must not stay
    for function in module.functions:
        if not function.is_declaration:
            passes.run(function, builder)


def _pass_builder(machine: _TargetMachine) -> Any:
    tuning = _binding().create_pipeline_tuning_options(speed_level=1)
    tuning.slp_vectorization = tuning.loop_vectorization = False
    return _binding().create_pass_builder(machine, tuning)


_CODE_GENERATION = {"nvidia": 0, "amd": 1}
"""LLVM's level of machine code generation; docs/decisions/0006 has the measurements."""
_ASYNCHRONOUS = ("wgmma.mma_async", "tcgen05.wait::ld")
