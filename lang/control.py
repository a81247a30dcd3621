"""Loops and branches of the device: what `rewrite` calls at the edges of `for`, `while`, `if` and `a if c else b`.

The names that a body binds become values that the loop carries, or results of the branch. What Python decides itself
(a loop over anything but `lw.range` and `lw.tiles`, an `if` by a Python value) goes its way.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterator, Sequence, Sized
from contextlib import AbstractContextManager
from typing import Any

from ..ir.core import Block, Region
from ..ir.core import Value as SSA
from ..ir.dialects import scf
from ..ir.types import INDEX
from ..support.diagnostics import Diagnostic, Location
from .arrays import Array
from .carried import (
    Leaf,
    Local,
    Unbound,
    copied,
    is_bound,
    is_changed,
    is_leaf,
    is_value,
    leaves,
    made,
    rebuilt,
    same_form,
    same_leaf,
)
from .dtypes import DType, i1
from .elementwise import select
from .held import Held, refuse_aliases
from .kinds import Named
from .loops import is_counted
from .operands import Operand, lifted, natural
from .trace import TraceError, fail, here, trace
from .tracebacks import is_own
from .values import Value, given


class Edges:
    """What loops and branches have in common.

    Attributes:
        names: That the body binds.
        place: Where the statement stands.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        self.place: Location | None = here()

    def held(self, local: Local, entered: Local, own: Sequence[str] = ()) -> Held:
        """What the user's function reaches here; `own` are further names that the statement itself changes."""
        return Held(_users_frame(), local, [*self.names, *own], entered)

    def before(self, local: Local) -> dict[str, Any]:
        return {n: local[n] if n in local else _unbound(n) for n in self.names}

    def out(self, values: Local) -> tuple[Any, ...]:
        return tuple(values[n] for n in self.names)


def _unbound(name: str) -> Unbound:
    return Unbound(f"'{name}' has no value yet")


def _with_values(names: Local) -> Local:
    """Numbers of Python as a loop of the device carries them, in a debug run, too: they have one type."""
    return {n: Value(lifted(given(v))) if is_leaf(v) and not is_value(v) else v for n, v in names.items()}


def _users_frame() -> types.FrameType:
    frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    while frame.f_back is not None and is_own(frame):
        frame = frame.f_back
    return frame


class Slots:
    """The values that a loop carries for the names that its body binds."""

    def __init__(self, before: dict[str, Any], what: str) -> None:
        self.before, self.what = before, what
        self.inits: list[Operand] = []
        self.ranges: dict[str, range] = {}
        """Which of the carried values are each name's."""
        for name, value in before.items():
            found = leaves(value) if is_bound(value) else None
            if found:
                self.ranges[name] = range(len(self.inits), len(self.inits) + len(found))
                self.inits += [lifted(given(leaf)) for leaf in found]

    def arguments(self, block: Block) -> dict[str, Any]:
        """The names' values as new arguments of a block."""
        values = dict(self.before)
        for name, slots in self.ranges.items():
            own = [self.inits[i] for i in slots]
            added = [Value(Operand(block.add_argument(o.ssa.type, name), o.dtype)) for o in own]
            values[name] = rebuilt(self.before[name], iter(added))
        return values

    def carried(self, values: Local) -> dict[str, Any]:
        """Those of the names' values that the loop carries."""
        return {name: values[name] for name in self.ranges}

    def handed_on(self, local: Local, held: Held | None = None) -> list[Operand]:
        """What the body leaves in each slot."""
        found: list[Operand] = []
        aliases = {} if held is None else held.aliases(local)
        for name, first in self.before.items():
            last = local.get(name, first)
            if name in self.ranges:
                refuse_aliases(name, aliases, self.what)
                found += self._next(name, first, last)
            elif is_bound(first) and last is not first:
                fail(
                    f"'{name}' is a {type(first).__name__} before the {self.what} and another at its end",
                    hint="numbers, vectors, spans, and lists, tuples, dicts and dataclasses of these change in it",
                )
        return found

    def _next(self, name: str, first: Any, last: Any) -> list[Operand]:
        parts = leaves(last)
        if parts is None or not same_form(first, last):
            fail(f"'{name}' is {_form(first)} before the {self.what} and {_form(last)} at the end of its body")
        found: list[Operand] = []
        for init, part in zip((self.inits[i] for i in self.ranges[name]), parts, strict=True):
            value = lifted(given(part), init.dtype)
            if value.ssa.type != init.ssa.type or value.dtype != init.dtype:
                self._mismatch(name, init, value)
            found.append(value)
        return found

    def _mismatch(self, name: str, init: Operand, value: Operand) -> None:
        hint = f"convert it: {name}.to(lw.{init.dtype})"
        if value.shape != init.shape:
            hint = f"start it as lw.full({value.shape}, 0, lw.{value.dtype})" if not init.shape else ""
        fail(
            f"'{name}' is {init.type_text} before the {self.what} and {value.type_text} at the end of its body",
            made(name, f"is {init.type_text} before", Value(init)),
            made(name, f"is {value.type_text} at the end", Value(value)),
            hint=hint,
        )

    def after(self, results: Sequence[SSA | None]) -> dict[str, Any]:
        """Every name's value behind the loop; None is a result of what does not change."""
        found: dict[str, Any] = {}
        for name, first in self.before.items():
            if name not in self.ranges:
                why = f"'{name}' is given a value only inside a {self.what}, which may have no iteration"
                found[name] = first if is_bound(first) else Unbound(why)
                continue
            slots = self.ranges[name]
            if all(results[i] is None for i in slots):
                found[name] = first
                continue
            parts: list[Leaf] = []
            for i in slots:
                result = results[i]
                if result is not None:
                    result.hint = result.hint or name
                parts.append(Value(self.inits[i] if result is None else Operand(result, self.inits[i].dtype)))
            found[name] = rebuilt(first, iter(parts))
        return found


def _form(value: object) -> str:
    if is_value(value):
        return value.operand.type_text
    return f"{type(value).__name__} of {len(value)}" if isinstance(value, Sized) else repr(value)


class Loop(Edges):
    """`for`: of the device over `lw.range` and `lw.tiles`, else written out."""

    def __init__(self, iterable: Any, targets: Sequence[str], names: Sequence[str], has_else: bool) -> None:
        super().__init__(names)
        self._targets = targets
        self._iterable = iterable
        self._device = iterable if is_counted(iterable) and not trace().computes else None
        self._done = False
        if self._device is not None and has_else:
            fail("a loop of the device has no `else`: nothing leaves it", hint="write it behind the loop")

    def __iter__(self) -> Iterator[Any]:
        if self._device is None:
            yield from self._iterable.computed() if is_counted(self._iterable) else self._iterable
            return
        self._block = Block([INDEX])
        counter = self._block.arguments[0]
        counter.hint = self._targets[0] if len(self._targets) == 1 else ""
        yield self._device.item(counter)
        if not self._done:
            fail(
                "`continue` in a loop of the device is decided while it is traced",
                hint="write the rest of the body into an `if`",
            )

    def enter(self, local: Local) -> tuple[Any, ...]:
        if self._device is None:
            before = self.before(local)
            return self.out(_with_values(before) if is_counted(self._iterable) else before)
        before = self.before(local)
        self._slots = Slots(before, "loop")
        values = self._slots.arguments(self._block)
        self._held = self.held(local, self._slots.carried(values), self._targets)
        self._scope: AbstractContextManager[None] = trace().enter(self._block, "loop", self.place)
        return self.out(values)

    def leave(self, local: Local) -> None:
        if self._device is None:
            return
        self._held.check("loop", local)
        given_on = self._slots.handed_on(local, self._held)
        block, inits = self._block, self._slots.inits
        arguments = block.arguments[1:]
        kept = [i for i, (o, a) in enumerate(zip(given_on, arguments, strict=True)) if o.ssa is not a]
        current = trace()
        current.write_delayed()
        current.build.location = self.place
        current.build.op(scf.YieldOp, [given_on[i].ssa for i in kept])
        current.leave(self._scope)
        for i, argument in enumerate(arguments):
            if i not in kept:
                argument.replace_uses(inits[i].ssa)
        _keep_arguments(block, [0, *(1 + i for i in kept)])
        device = self._device
        operands = [*device.bounds, *(inits[i].ssa for i in kept)]
        types = [inits[i].ssa.type for i in kept]
        loop = scf.ForOp(operands, types, dict(device.attributes), [Region([block])], self.place)
        current.build.append(loop)
        results: list[SSA | None] = [None] * len(inits)
        for i, result in zip(kept, loop.results, strict=True):
            results[i] = result
        self._found = self._slots.after(results)
        self._done = True

    def results(self, local: Local) -> tuple[Any, ...]:
        if not is_counted(self._iterable):
            return self.out(self.before(local)) + tuple(local.get(n, _unbound(n)) for n in self._targets)
        over = [Unbound(f"'{n}' counts a loop of the device, and has no value behind it") for n in self._targets]
        if self._device is None:
            return self.out(self.before(local)) + tuple(over)
        if not self._done:
            fail(
                "`break` in a loop of the device is decided while it is traced",
                hint="a loop whose end is found out while it runs is `while`",
            )
        return self.out(self._found) + tuple(over)


def _keep_arguments(block: Block, kept: Sequence[int]) -> None:
    block.arguments[:] = [block.arguments[i] for i in kept]
    for number, argument in enumerate(block.arguments):
        argument.index = number


class While(Edges):
    """`while`: of the device by a value of the kernel, else Python's own, whose iterations are written out.

    The condition is evaluated with the names as they are first, which says whose loop it is; for the device's, once
    more with what the loop carries.
    """

    def __init__(self, names: Sequence[str], has_else: bool) -> None:
        super().__init__(names)
        self._has_else = has_else
        self._phase = "python" if trace().computes else "asking"
        """Then "python", or "condition", "body" and "done"."""

    def again(self) -> bool:
        if self._phase == "body":
            fail(
                "`continue` in a loop of the device is decided while it is traced",
                hint="write the rest of the body into an `if`",
            )
        return self._phase != "done"

    def enter(self, local: Local) -> tuple[Any, ...]:
        before = self.before(local)
        if self._phase == "python":
            return self.out(before)
        self._first = Block()
        if self._phase == "asking":
            self._local, self._before = dict(local), before
            self._held = self.held(local, {})
        else:  # asking may have bound names
            self._slots = Slots(self._before, "loop")
            before = self._slots.arguments(self._first)
        self._scope: AbstractContextManager[None] = trace().enter(self._first, "loop", self.place)
        return self.out(before)

    def test(self, condition: Any) -> bool:
        """Whether the loop ends here, as Python decides."""
        self._by_value = is_value(condition)
        if self._phase == "asking":
            self._ask(condition)
        elif self._phase == "condition":
            self._condition = _condition(condition)
        return self._phase == "python" and not condition

    def _ask(self, condition: Any) -> None:
        current = trace()
        of_device = is_value(condition)
        current.leave(self._scope)
        if of_device and self._has_else:
            fail("a loop of the device has no `else`: nothing leaves it", hint="write it behind the loop")
        operations = list(self._first.operations)
        if of_device:
            self._held.check_contents("condition")
            Block.erase_all(operations)
        else:
            for op in operations:
                current.build.block.append(self._first.remove(op))
        self._phase = "asked" if of_device else "python"

    def asked(self) -> bool:
        """Whether the condition is to be evaluated once more."""
        found = self._phase == "asked"
        if found:
            self._phase = "condition"
        return found

    def body(self, local: Local) -> tuple[Any, ...]:
        """The names' values in the body."""
        if self._phase == "python":
            before = self.before(local)
            return self.out(_with_values(before) if self._by_value else before)
        current = trace()
        given_on = self._slots.handed_on(local)
        self._asked_for = Slots({n: local[n] for n in self._bound_by_condition(local)}, "loop")
        given_on += self._asked_for.inits
        current.write_delayed()
        current.build.location = self.place
        current.build.op(scf.ConditionOp, self._condition, [o.ssa for o in given_on])
        current.leave(self._scope)
        self._second = Block()
        values = self._slots.arguments(self._second) | self._asked_for.arguments(self._second)
        self._held = self.held(self._local, self._slots.carried(values))
        self._scope = current.enter(self._second, "loop", self.place)
        self._phase = "body"
        return self.out(values)

    def _bound_by_condition(self, local: Local) -> list[str]:
        """The names without a value before that the condition gives one, by `:=`."""
        new = [n for n, value in self._before.items() if not is_bound(value) and n in local and is_bound(local[n])]
        return [n for n in new if leaves(local[n])]

    def leave(self, local: Local) -> None:
        if self._phase == "python":
            return
        self._held.check("loop", local)
        given_on = self._slots.handed_on(local, self._held)
        current = trace()
        current.write_delayed()
        current.build.location = self.place
        current.build.op(scf.YieldOp, [o.ssa for o in given_on])
        current.leave(self._scope)
        inits = [o.ssa for o in self._slots.inits]
        regions = [Region([self._first]), Region([self._second])]
        more = [o.ssa.type for o in self._asked_for.inits]
        loop = scf.WhileOp(inits, [*(v.type for v in inits), *more], {}, regions, self.place)
        current.build.append(loop)
        results = loop.results
        self._found = self._slots.after(results[: len(inits)]) | self._asked_for.after(results[len(inits) :])
        self._phase = "done"

    def results(self, local: Local) -> tuple[Any, ...]:
        if self._phase == "python":
            return self.out(self.before(local))
        if self._phase != "done":
            fail("`break` in a loop of the device is decided while it is traced", hint="put it into the condition")
        return self.out(self._found)


def leaving(condition: Any) -> Any:
    """The condition of an `if` inside which a loop or the function is left. Fails where it is a value of the device."""
    if is_value(condition) and not trace().computes:
        fail(
            "an `if` by a value of the kernel has no `break`, `continue` or `return` inside",
            made("the condition", "is made here", condition),
            hint="write the rest of the body into an `if`; a loop whose end is found out while it runs is `while`",
        )
    return condition


def _condition(condition: Any) -> SSA:
    value = lifted(given(condition))
    if value.dtype != i1 or value.shape:
        fail(
            f"a condition is one truth value, found {value.text}",
            value.made,
            hint="of vectors: lw.where(condition, a, b), or x.any()" if value.shape else "compare it: x != 0",
        )
    return value.ssa


class If(Edges):
    """`if`: of the device by a value of the kernel, whose branches are both traced; else Python's own."""

    def __init__(self, condition: Any, names: Sequence[str]) -> None:
        super().__init__(names)
        self._chosen = condition
        self._is_device = is_value(condition) and not trace().computes
        self._ends: list[dict[str, Any]] = []
        self._blocks: list[Block] = []
        self._aliases: dict[str, tuple[str, str]] = {}
        if self._is_device:
            self._condition = _condition(condition)

    def __iter__(self) -> Iterator[bool]:
        if not self._is_device:
            yield bool(self._chosen)
            return
        yield True
        yield False

    def enter(self, local: Local) -> tuple[Any, ...]:
        if not self._is_device:
            return self.out(self.before(local))
        if not self._blocks:
            self._before = self.before(local)
        entered = {n: copied(v) if is_bound(v) else v for n, v in self._before.items()}
        carried = {n: v for n, v in entered.items() if is_bound(v) and leaves(v) is not None}
        self._held = self.held({**local, **self._before}, carried)
        block = Block()
        self._blocks.append(block)
        self._scope = trace().enter(block, "branch", self.place)
        return self.out(entered)

    def leave(self, local: Local) -> None:
        if not self._is_device:
            return
        self._held.check("branch", local)
        self._aliases |= self._held.aliases(local)
        end = {n: local.get(n, self._before[n]) for n in self.names}
        for value in end.values():
            for leaf in (leaves(value) if is_bound(value) else None) or ():
                if is_value(leaf):
                    _ = leaf.operand  # what is delayed belongs into this branch
        self._ends.append(end)
        trace().leave(self._scope)

    def results(self, local: Local) -> tuple[Any, ...]:
        if not self._is_device:
            return self.out(self.before(local))
        current = trace()
        current.build.location = self.place
        found: dict[str, Any] = {}
        joined: list[tuple[str, Any, list[Leaf], list[Leaf]]] = []
        for name in self.names:
            then, other = (end[name] for end in self._ends)
            if not (is_bound(then) and is_bound(other)):
                either_one = is_bound(then) or is_bound(other)
                why = "is given a value in one branch of an `if` only" if either_one else "has no value yet"
                found[name] = Unbound(f"'{name}' {why}")
                continue
            refuse_aliases(name, self._aliases, "branch")
            a, b = leaves(then), leaves(other)
            if a is None or b is None or not same_form(then, other):
                if then is not other:
                    fail(f"'{name}' is {_form(then)} in one branch of the `if` and {_form(other)} in the other")
                found[name] = then
            elif all(same_leaf(p, q) for p, q in zip(a, b, strict=True)):
                found[name] = then if is_changed(self._before[name], then) else self._before[name]
            else:
                joined.append((name, then, a, b))
        found |= self._write(joined)
        return self.out(found)

    def _write(self, joined: list[tuple[str, Any, list[Leaf], list[Leaf]]]) -> dict[str, Any]:
        build = trace().build
        yields: tuple[list[Operand], list[Operand]] = [], []
        for name, _, a, b in joined:
            for p, q in zip(a, b, strict=True):
                like = _type_of(p, q)
                left, right = lifted(given(p), like), lifted(given(q), like)
                if left.ssa.type != right.ssa.type or left.dtype != right.dtype:
                    fail(
                        f"'{name}' is {left.type_text} in one branch of the `if` and {right.type_text} in the other",
                        made(name, f"is {left.type_text} here", Value(left)),
                        made(name, f"is {right.type_text} here", Value(right)),
                    )
                yields[0].append(left)
                yields[1].append(right)
        blocks = self._blocks
        for block, values in zip(blocks, yields, strict=True):
            with build.scope(block):
                build.op(scf.YieldOp, [o.ssa for o in values])
        has_else = bool(yields[0]) or len(blocks[1].operations) > 1
        regions = [Region([blocks[0]]), Region([blocks[1]] if has_else else [])]
        op = scf.IfOp([self._condition], [o.ssa.type for o in yields[0]], {}, regions, self.place)
        build.append(op)
        results = iter(op.results)
        types = iter(yields[0])
        found: dict[str, Any] = {}
        for name, then, a, _ in joined:
            parts: list[Leaf] = []
            for _leaf in a:
                result = next(results)
                result.hint = name
                parts.append(Value(Operand(result, next(types).dtype)))
            found[name] = rebuilt(then, iter(parts))
        return found


def _type_of(*leaves: Leaf) -> DType:
    """The type of the first value, else that of the widest number."""
    value = next((leaf for leaf in leaves if is_value(leaf)), None)
    if value is not None:
        return value.dtype
    kinds = [natural(leaf) for leaf in leaves if not is_value(leaf)]
    return max(kinds, key=lambda d: d.kind == "float")


def check_left(depth: int) -> None:
    """Fails where a function has returned from a loop or a branch of the device."""
    still = trace().open[depth:]
    if still:
        what, place = still[-1]
        message = f"`return` in a {what} of the device is decided while it is traced"
        raise TraceError([Diagnostic(message, place, hint="return behind it")])


def either(condition: Any, a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """`a if condition else b`: by a value of the device both are computed and one is chosen."""
    if not is_value(condition) or trace().computes:
        return a() if condition else b()
    return Value(select(condition.operand, given(a()), given(b())))


def named(name: str, value: Any) -> Any:
    """`name = value`: the value is called so in messages and in the program, if it has no name yet."""
    if isinstance(value, (Value, Array, Named)):
        value.name_it(name)
    return value
