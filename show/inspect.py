"""`lanewise.inspect`: all stages of a kernel side by side, as one page of HTML.

Lines know what they come from and what comes of them (`links.py`); with arguments, the emulator's counts stand beside
the lines that they are of.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from os import PathLike
from pathlib import Path

from ..check.counts import Measurement
from ..check.in_python import specialised
from ..check.inputs import Inputs
from ..check.prepared import prepared
from ..check.profile import Bound, Profile
from ..codegen.assemble import Resources
from ..ir.remarks import Remark
from ..ir.stages import OF_THREADS
from ..jit.grids import Grid, grid_of
from ..jit.kernel import Kernel
from ..jit.kernel_variant import KernelVariant
from ..jit.occupancy import occupancy_of
from ..jit.write import write_file
from ..lang.python_kernel import Kernel as KernelInPython
from ..support.argument_checks import require
from ..support.dataclasses import dataclass
from ..support.limits import GENEROUS, Limits
from .explain import explained
from .explanation import Explanation
from .explanation_text import answers, step_words
from .layouts_shown import LayoutsShown
from .line_counts import LineCount, Lines, in_all_texts
from .links import Chain, chain_of
from .render import Fact, Head, page


@dataclass(frozen=True)
class Page:
    """A page of HTML that needs no other file.

    Attributes:
        html: Its text.
        chain: What is on it.
    """

    html: str
    chain: Chain

    def save(self, path: str | PathLike[str]) -> None:
        """Writes it, all or nothing. Raises OutputError."""
        write_file(Path(path), self.html)

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{escape(self.html, quote=True)}" width="100%" height="900" frameborder="0"></iframe>'

    def __repr__(self) -> str:
        return f"<page of {len(self.html) // 1024} KB with {len(self.chain.texts)} texts; save(path) writes it>"


def inspect(
    kernel: Kernel | KernelInPython,
    grid: Grid | None = None,
    /,
    *arguments: object,
    general: bool = False,
    limits: Limits = GENEROUS,
    **constants: object,
) -> Page:
    """The page of a kernel: what was written, the program behind each pass that changed it, LLVM IR, and machine code.

    Args:
        kernel: What `lanewise.compile` gives, or a kernel in Python.
        grid: Workgroups along x, y and z. None, of a kernel in Python: what follows from it.
        arguments: What to launch it with on the emulator, for counts beside lines: arrays, which are copied, and
            numbers. Without any nothing is launched, and the page is of the variant for aligned arrays.
        general: Show the variant that knows nothing of its arguments.
        limits: When the emulator is stopped.
        constants: Those of a kernel in Python, by name.

    Raises:
        ArgumentError: The arguments do not fit.
        CompileError: The program cannot be compiled for its target.
        LaunchError: The emulator finds a fault, or cannot execute the code.
        SignatureError, TraceError, NoGrid: What a kernel in Python takes, or says.
    """
    inputs: Inputs | None = None
    if isinstance(kernel, KernelInPython):
        taken = specialised(kernel, grid, arguments, constants)
        found, grid, arguments = taken.kernel, taken.grid, taken.arguments
        assert isinstance(found, Kernel)
        kernel = found
    elif constants:
        raise TypeError(f"constants are of kernels in Python, found {', '.join(constants)}")
    require(kernel, Kernel, "a kernel, as lanewise.compile gives it, or one in Python,")
    if arguments or grid is not None:
        inputs = Inputs(tuple(prepared(kernel, arguments)), grid_of(grid), {})
    return inspect_measured(Measurement(kernel, inputs, general=general, limits=limits))


def inspect_measured(measured: Measurement) -> Page:
    """The page of a variant of a kernel, and of one launch of it where the measurement has inputs."""
    variant = measured.code
    chain = chain_of(variant)
    compilation = variant.compilation
    told = None if compilation.kernel.stage in OF_THREADS else explained(compilation, variant.words)
    badges = {} if told is None else {held.text: held.badge for held in told.layouts.values()}
    layouts = LayoutsShown(compilation.kernel.threads, compilation.subgroup_size, badges)
    counts = {} if measured.inputs is None else in_all_texts(chain, _machine(chain), _counted(measured))
    profile = None if measured.inputs is None else Profile(measured)
    bound = None if profile is None else profile.bound
    kernel = measured.kernel
    facts = (*_facts(variant, chain), *([] if bound is None else [_of_bound(bound)]))
    about = "".join((*_answers(told), *_about(measured, chain, bound)))
    head = Head(kernel.name, kernel.target.name, facts, about)
    return Page(page(head, chain, layouts, counts, {} if told is None else _said(told, chain)), chain)


def _answers(told: Explanation | None) -> Iterator[str]:
    for question, answer in () if told is None else answers(told):
        yield f"<p><b>{escape(question)}</b> {escape(answer)}</p>"


def _said(told: Explanation, chain: Chain) -> dict[int, list[Sequence[str]]]:
    """What became of the operations of each part of the source."""
    said: dict[int, list[Sequence[str]]] = {}
    for step in told.steps:
        for part in chain.parts_at(step.place.file, step.place.line, step.place.column):
            badge = f" [{step.layout}]" if step.layout else ""
            said.setdefault(part, []).append((f"{step.op} {step.type}{badge}", *step_words(step)))
    return said


def _machine(chain: Chain) -> str:
    """The text that the emulator executes."""
    return next(text.key for text in chain.texts if text.language in ("ptx", "amdgcn"))


def _counted(measured: Measurement) -> Lines:
    return {line - 1: LineCount(*counted) for line, counted in measured.counted_lines.items()}


def _facts(variant: KernelVariant, chain: Chain) -> Iterator[Fact]:
    """What the code takes."""
    artifacts = variant.artifacts
    yield Fact(str(variant.compilation.kernel.threads), "threads")
    if variant.compilation.chip.vendor == "nvidia" and chain.cubin is None:
        shared = artifacts.static_shared_bytes + artifacts.dynamic_shared_bytes
        yield Fact(f"{shared:,}", "bytes of shared memory")
        return
    used = variant.resources if chain.cubin is None else chain.cubin.resources[artifacts.name]
    if isinstance(used, Resources):
        shared, spilled, unit = used.static_shared_bytes, used.spill_load_bytes + used.spill_store_bytes, "bytes"
        yield Fact(str(used.registers), "registers")
    else:
        shared, spilled, unit = used.group_segment_bytes, used.vgpr_spills + used.sgpr_spills, "registers"
        yield Fact(f"{used.vgpr} + {used.sgpr}", "vector and scalar registers")
    yield Fact(f"{spilled:,}", f"{unit} spilled")
    yield Fact(f"{shared + artifacts.dynamic_shared_bytes:,}", "bytes of shared memory")
    occupancy = occupancy_of(artifacts.chip, artifacts.block_size, used, artifacts.dynamic_shared_bytes)
    if occupancy is not None:
        limits = f", limited by {' and '.join(occupancy.limits)}" if occupancy.limits else ""
        yield Fact(f"{occupancy.count} of {occupancy.most}", f"{occupancy.unit}{limits}")


def _of_bound(bound: Bound) -> Fact:
    return Fact(f"{bound.microseconds:,.2f} us", f"at least on {bound.rates.product}, bounded by {bound.resource}")


# Below


def _about(measured: Measurement, chain: Chain, bound: Bound | None) -> Iterator[str]:
    inputs = measured.inputs
    yield f"<p>The variant {escape(measured.variant)}.</p>"
    if inputs is not None:
        shown = ", ".join(inputs.describe(measured.kernel.signature))
        yield f"<p>Counts are of one launch on the emulator: grid {inputs.grid}, {escape(shown)}.</p>"
        yield "<p>Beside lines: instructions that subgroups executed, sectors of global memory, bank conflicts.</p>"
    if bound is not None:
        yield _table_of(bound)
    yield from (f'<p class="warn">Not here: {escape(words)}.</p>' for words in chain.missing)
    yield f"<p>Instructions that are linked to the program: {_linked(chain)}.</p>"
    remarks: Sequence[Remark] = measured.code.remarks
    yield (
        "<ul>" * bool(remarks)
        + "".join(f"<li>{_of_remark(remark)}</li>" for remark in remarks)
        + "</ul>" * bool(remarks)
    )


def _linked(chain: Chain) -> str:
    return " and ".join(f"{chain.linked(text):.0%} of {text.key}" for text in chain.texts if text.instructions)


def _table_of(bound: Bound) -> str:
    longest = bound.cycles[bound.resource]
    shown = sorted(bound.cycles.items(), key=lambda entry: -entry[1])
    rows = (f"<dt>{escape(name)}</dt><dd>{cycles:,.0f} cycles, {cycles / longest:.0%}</dd>" for name, cycles in shown)
    return f"<dl>{''.join(rows)}</dl><p>Instructions are {escape(bound.instructions)}.</p>"


def _of_remark(remark: Remark) -> str:
    location = remark.location
    place = "" if location is None else f"{escape(str(location))}: "
    hint = f"<br>hint: {escape(remark.hint)}" if remark.hint else ""
    return f"{place}{escape(remark.message)} <small>[{escape(remark.kind)}]</small>{hint}"
