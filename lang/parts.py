"""Programs within a kernel's program: of parts of the workgroup, which run at once, and of each thread."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Sequence
from typing import TypeAlias

from ..ir.attributes import dense_i64
from ..ir.core import Block, Region
from ..ir.dialects.lanewise import SplitOp, ThreadsOp
from .helpers import plain_of
from .operands import whole
from .sources import prepared_function
from .trace import Written, fail, here, trace

Program: TypeAlias = Callable[[], object]


def split(*programs: Program, subgroups: Sequence[int]) -> None:
    """Divides the workgroup's subgroups among programs that run at once: producers and consumers.

    Args:
        programs: Functions without arguments. They see arrays and numbers of the function around them, no vectors,
            whose elements lie in threads that are not theirs, and give nothing: what they compute they write to memory.
        subgroups: How many each has, in order; all of the workgroup's, or of the part around it.

    Values and `lw.barrier()` in a part are the part's own. Nothing orders parts but barrier objects (`lw.barriers`):
    where two may touch the same memory without, one of them writing, the kernel is refused.
    """
    counts = [whole(n, "a number of subgroups") for n in subgroups]
    if len(counts) != len(programs) or not programs or min(counts) < 1:
        fail(f"'split' has a number of subgroups above 0 for each program: {len(programs)} programs, {counts}")
    blocks = [Block() for _ in programs]
    op = SplitOp((), (), {"subgroups": dense_i64(counts)}, [Region([block]) for block in blocks], here())
    pairs = enumerate(zip(blocks, programs, strict=True))
    trace().parts(op, [_written(f"part {number} of the workgroup", *pair) for number, pair in pairs])


def threads(program: Program) -> None:
    """Each thread of the workgroup, or of the part around it, runs a program by itself: ids of threads and lanes, and
    vectors of its own. `program` is as those of `split`; nothing in it waits for other threads."""
    block = Block()
    op = ThreadsOp((), (), {}, [Region([block])], here())
    trace().threads(op, _written("the program of a thread", block, program))


def _check_takes_nothing(name: str, program: object) -> None:
    if not callable(program):
        found = f"{type(program).__name__} {program!r}"
        fail(f"{name} is a function without arguments, found {found}", hint="name the function, and do not call it")
    try:
        inspect.signature(program).bind()
    except TypeError as error:
        fail(f"{name} is a function without arguments: {error}", hint="lambda: program(arguments)")
    except ValueError:
        return  # one of C, which does not say what it takes


def _written(name: str, block: Block, program: Program) -> Written:
    _check_takes_nothing(name, program)
    body: Program = program
    if isinstance(program, types.FunctionType) and plain_of(program) is None:
        body = prepared_function(program)

    def write() -> None:
        result = body()
        if result is not None:
            message = f"{name} gives nothing, its function returns {type(result).__name__} {result!r}"
            fail(message, hint="write it to memory: its values end with it")

    return Written(name, block, write)
