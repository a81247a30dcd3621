"""`lanewise.draw`, `lanewise.owners`, `lanewise.element`: drawings of layouts and kernels, and who holds what."""

from __future__ import annotations

from typing import TypeAlias

from ..jit.kernel import Kernel
from ..jit.launchable import Launchable
from ..jit.loaded import LoadedKernel
from ..lang.python_kernel import Kernel as PythonKernel
from ..layout.nested import NestedLayout
from ..layout.owner_map import Holder
from ..support.diagnostics import LanewiseError
from ..targets import Chip, find_chip
from .draw_layouts import (
    drawing_of_conversion,
    drawing_of_instruction,
    drawing_of_layout,
    drawing_of_values,
    read_layout,
)
from .drawing import Drawing
from .laid_out import LaidOut

AnyKernel: TypeAlias = Launchable | PythonKernel
"""A compiled kernel, one of a file with its program, or one in Python."""


def draw(
    what: NestedLayout | str | AnyKernel,
    value: str | None = None,
    *,
    to: NestedLayout | str | None = None,
    element_bits: int | None = None,
    target: str | Chip | None = None,
    subgroup_size: int | None = None,
    threads: int | None = None,
    aligned: bool = False,
) -> Drawing:
    """A drawing, which notebooks show, `print` prints, and `drawing.save("owners.svg")` writes.

    Args:
        what: A layout, or the text of its attribute; the name of a matrix instruction; or a kernel. One in Python is
            drawn as it was traced last, or as its annotations say.
            For another chip, draw `kernel.compile(..., target=CHIP)`.
        value: Which value of a kernel: `"acc"` as the source calls it, all that came of it; `"%acc_0"` as
            `kernel.layout_ir` calls it; `":21"` what line 21 makes. Needed with a kernel, and with nothing else.
        to: With a layout, another one: the conversion is drawn, before and after, and how it is done.
        element_bits: The elements that are converted; 32 if it is not said.
        target: The chip that decides how a layout is converted, and how large its subgroups are; by default `sm_90`.
        subgroup_size, threads: Of the workgroup that a layout is for; by default the chip's, and as many threads as
            the layout needs.
        aligned: With a kernel, the variant for aligned arrays, which `explain` and `inspect` show; else the one for
            any arguments, which `kernel.layout_ir` is of.

    Raises:
        ValueNameError: The kernel has no such value.
        LayoutError, ParseError: The layout is none, or leaves an element to nobody.
        UnknownTargetError: No chip, or no instruction, is called so.
        CompileError: The kernel cannot be compiled.
    """
    if isinstance(what, (Launchable, PythonKernel)):
        of_layouts: dict[str, object] = {
            "to": to,
            "element_bits": element_bits,
            "target": target,
            "subgroup_size": subgroup_size,
            "threads": threads,
        }
        given = next((name for name, found in of_layouts.items() if found is not None), None)
        if given is not None:
            hint = ": kernel.compile(..., target=CHIP) is the kernel for a chip" if given == "target" else ""
            raise LanewiseError(f"{given}= is about layouts, found a kernel{hint}")
        if value is None:
            raise LanewiseError(f"a value's name is expected with a kernel; {_there_are(what)}")
        laid_out = laid_out_of(what, aligned=aligned)
        return drawing_of_values(laid_out.kernel.name, laid_out.called(value))
    if value is not None:
        raise LanewiseError(f"value={value!r} is one of a kernel's, found {type(what).__name__} instead of a kernel")
    if isinstance(what, str) and not what.lstrip().startswith(("#", "<")):
        return drawing_of_instruction(what)
    chip = target if isinstance(target, Chip) else find_chip(target or "sm_90")
    size = subgroup_size or chip.default_subgroup_size
    layout = read_layout(what, size) if isinstance(what, str) else what
    if to is None:
        return drawing_of_layout(layout, size, threads)
    target_layout = read_layout(to, size) if isinstance(to, str) else to
    return drawing_of_conversion(layout, target_layout, chip, element_bits or 32, size, threads)


def owners(kernel: AnyKernel, value: str, *element: int, aligned: bool = False) -> list[Holder]:
    """Who holds an element of a value of a kernel, by thread, then register: several where there are replicas.

    `value` and `aligned` are as for `lanewise.draw`; `element` one index a dimension. The list is empty where the value
    stays in memory. Raises ValueNameError, also where the values that a name is for are laid out in several ways;
    LayoutError for an element that is not in it.
    """
    return laid_out_of(kernel, aligned=aligned).vector(value).owners.holders(element)


def element(kernel: AnyKernel, value: str, *, thread: int, register: int, aligned: bool = False) -> tuple[int, ...]:
    """The element that a thread has in a register of a value, the other way round than `lanewise.owners`.

    `thread` is the flat id in the workgroup. Raises ValueNameError; LayoutError where there is no such register.
    """
    return laid_out_of(kernel, aligned=aligned).vector(value).owners.element(thread, register)


def laid_out_of(kernel: AnyKernel, *, aligned: bool = False) -> LaidOut:
    """The layout stage of the code that runs with all arguments, or of that for aligned arrays."""
    found = kernel.latest if isinstance(kernel, PythonKernel) else kernel
    if not aligned:
        return LaidOut(found.compilation)
    compiled = found.recompiled if isinstance(found, LoadedKernel) else found
    assert isinstance(compiled, Kernel), "a kernel is compiled, or loaded"
    return LaidOut(compiled.variant(compiled.best_facts).compilation)


def _there_are(kernel: AnyKernel) -> str:
    names = dict.fromkeys(value.source or value.name for value in laid_out_of(kernel).values)
    return f"there are {', '.join(names)}" if names else "it has no vectors"
