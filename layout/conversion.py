"""Plans the conversion of a vector from one nested layout to any other, by comparing their full maps.

The cheapest way wins: nothing, renaming of registers, shuffles within subgroups, or shared memory.
"""

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from .banks import NVIDIA, BankModel
from .dimension import LayoutError
from .nested import IntArray, NestedLayout
from .plan import Cost, Nothing, Plan, Rename, SharedMemory, Shuffle, Swizzle, vector_groups
from .shared_buffer import Transfer, plan_shared

__all__ = [
    "Cost",
    "Nothing",
    "Plan",
    "Rename",
    "SharedMemory",
    "Shuffle",
    "Swizzle",
    "plan_conversion",
    "source_of",
    "vector_groups",
]

_SHUFFLE_BITS = 32


def source_of(
    source: NestedLayout, target: NestedLayout, threads: int, subgroup_size: int
) -> tuple[IntArray, IntArray]:
    """(thread, source register), each [threads, target registers], that every target register can be read from.

    The thread is the reader's id with the source's digits replaced by the wanted ones; where the end of the workgroup
    cuts that replica off, the element's elected owner. LayoutError unless both layouts are valid and of one shape.
    """
    _check(source, target, threads, subgroup_size)
    thread, register, _ = _locate(source, target, threads, subgroup_size)
    return thread, register


def plan_conversion(
    source: NestedLayout,
    target: NestedLayout,
    *,
    threads: int,
    subgroup_size: int,
    element_bits: int,
    allow_shuffle: bool = True,
    allow_shared: bool = True,
    force_shared: bool = False,
    banks: BankModel = NVIDIA,
) -> Plan:
    """The cheapest plan from `source` to `target` in a workgroup of `threads`.

    `force_shared` demands shared memory even where less would do; without `allow_shared` it is the last resort.
    Elements take whole bytes in shared memory.
    LayoutError unless both layouts are valid and of one shape, and elements have 1 to 128 bits, whole bytes of a power
    of two from 8 on.
    """
    _check(source, target, threads, subgroup_size)
    element_bytes = -(-element_bits // 8)
    if not 1 <= element_bits <= 128 or element_bytes & (element_bytes - 1):
        raise LayoutError(f"elements of {element_bits} bits cannot be exchanged: expected 1 to 8, 16, 32, 64 or 128")
    thread, register, direct = _locate(source, target, threads, subgroup_size)
    own = thread == np.arange(threads)[:, None]
    if not force_shared and own.all() and (register == register[0]).all():
        return _renaming(register[0], source == target)
    shared = plan_shared(
        Transfer(
            source,
            target,
            source.coordinates(threads, subgroup_size),
            target.coordinates(threads, subgroup_size),
            subgroup_size,
            element_bytes,
            banks,
        )
    )
    if force_shared:
        return replace(shared, reason=f"shared memory is demanded: {_described(shared)}")
    near = direct & (thread // subgroup_size == np.arange(threads)[:, None] // subgroup_size)
    if not near.all():
        return replace(shared, reason=f"{_far(target, thread, near, subgroup_size)}: {_described(shared)}")
    shuffle = _shuffling(register, own, element_bits)
    if not allow_shuffle:
        return replace(shared, reason=f"shuffles are not allowed, {shuffle.cost} would do: {_described(shared)}")
    if shuffle.cost.cycles <= shared.cost.cycles or not allow_shared:
        return replace(shuffle, reason=f"needs {shuffle.cost}; {_described(shared)}")
    return replace(shared, reason=f"{_described(shared)}, cheaper than {shuffle.cost} within the subgroup")


def _check(source: NestedLayout, target: NestedLayout, threads: int, subgroup_size: int) -> None:
    if source.shape != target.shape:
        raise LayoutError(f"a layout of {source.shape} cannot be converted to one of {target.shape}")
    for layout in (source, target):
        layout.check(threads=threads, subgroup_size=subgroup_size)


def _locate(
    source: NestedLayout, target: NestedLayout, threads: int, subgroup_size: int
) -> tuple[IntArray, IntArray, npt.NDArray[np.bool_]]:
    """`source_of`, and where the replaced digits alone gave the thread."""
    register, *wanted = source.split(target.coordinates(threads, subgroup_size))
    held = source.indices(threads, subgroup_size)
    strides = (
        np.array(source.subgroup_strides, np.int64) * subgroup_size,
        np.array(source.thread_strides, np.int64),
    )
    ids = np.arange(threads, dtype=np.int64)[:, None]
    moved = ids + sum(
        (want - have[:, None, :]) @ stride for want, have, stride in zip(wanted, held, strides, strict=True)
    )
    _, elected = source.elected(target.coordinates(threads, subgroup_size), subgroup_size)
    direct = moved < threads
    return np.where(direct, moved, elected), register, direct


def _renaming(registers: IntArray, equal: bool) -> Nothing | Rename:
    names = tuple(int(register) for register in registers)
    if equal or names == tuple(range(len(names))):
        return Nothing("the layouts are equal" if equal else "the layouts have equal maps")
    return Rename(names, "every thread holds its elements already, in other registers")


def _shuffling(register: IntArray, own: npt.NDArray[np.bool_], element_bits: int) -> Shuffle:
    """One shuffle for every source register that some lane needs, selected by the lanes afterwards."""
    candidates = tuple(tuple(int(name) for name in np.unique(column)) for column in register.T)
    local = tuple(bool(column.all()) for column in own.T)
    words = -(-element_bits // _SHUFFLE_BITS)
    sent = sum(len(names) for names, stays in zip(candidates, local, strict=True) if not stays) * words
    selects = sum(len(names) - 1 for names in candidates) * words
    return Shuffle(candidates, local, cost=Cost(shuffles=sent, selects=selects, bytes=2 * sent * _SHUFFLE_BITS // 8))


def _described(plan: SharedMemory) -> str:
    return f"shared memory takes {plan.cost}, {plan.bytes} bytes, {sum(plan.conflicts)} bank conflicts"


def _far(target: NestedLayout, thread: IntArray, near: npt.NDArray[np.bool_], subgroup_size: int) -> str:
    """Why shuffles are impossible, by the first element that they cannot bring."""
    reader, register = (int(at[0]) for at in np.nonzero(~near))
    owner, element = int(thread[reader, register]), target.coordinate(reader, register, subgroup_size)
    if owner // subgroup_size == reader // subgroup_size:
        return f"element {element} has no owner in the replica of thread {reader}, cut off by the end of the workgroup"
    return (
        f"element {element} goes from thread {owner} (subgroup {owner // subgroup_size}) to thread {reader} "
        f"(subgroup {reader // subgroup_size}), out of the reach of shuffles"
    )
