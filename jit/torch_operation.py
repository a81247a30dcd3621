"""Kernels as operations of torch: registered with `torch.library`, so that autograd and `torch.compile` know them.

Torch is loaded when an operation is asked for, and only then.
"""

from __future__ import annotations

import functools
import importlib
import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any, cast

from .operation import REQUIRED, ByName, Constant, KernelOperation, OperandKind, OperationError, Out

_NAME = re.compile(r"[A-Za-z_]\w*::[A-Za-z_]\w*", re.ASCII)
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_TYPES: Mapping[OperandKind, str] = {"array": "Tensor", "int": "SymInt", "float": "float", "bool": "bool"}
"""The types of torch's schemas: an integer of an argument may be one that `torch.compile` does not know."""
_NOTHING: Mapping[str, Any] = MappingProxyType({})


def torch_operation(
    kernel: KernelOperation,
    name: str,
    out: Out | None,
    mutates: Collection[str] | None,
    backward: Callable[..., Mapping[str, Any]] | None,
) -> Any:
    """Registers a kernel and gives the `torch.library.CustomOpDef`; see `lanewise.kernel.Kernel.torch_op`.

    Raises:
        OperationError: What is said of the operation does not fit the kernel.
        ModuleNotFoundError: There is no torch.
    """
    if _NAME.fullmatch(name) is None:
        raise OperationError(f"expected a name of an operation as 'mylib::{kernel.kernel}', found {name!r}")
    torch: Any = importlib.import_module("torch")
    operation = _Operation(kernel, name, dict(out or {}), mutates, torch)
    if backward is not None:
        operation.check_backward()
    made = torch.library.custom_op(name, operation.run, mutates_args=operation.mutated, schema=operation.schema())
    made.register_fake(operation.fake)
    if backward is not None:
        gradients = _Gradients(operation, backward, torch.Tensor)
        made.register_autograd(gradients, setup_context=gradients.keep)
    return made


class _Operation:
    """What torch calls.

    Attributes:
        inputs: What a call gives.
        makers: What makes each output.
        mutated: The inputs that are changed.
    """

    def __init__(
        self,
        kernel: KernelOperation,
        name: str,
        out: Out,
        mutates: Collection[str] | None,
        torch: Any,
    ) -> None:
        self.kernel, self.name = kernel, name
        dense = torch.contiguous_format
        self.makers = kernel.makers(out, functools.partial(torch.empty_like, memory_format=dense))
        self.inputs = kernel.inputs(out)
        self.mutated = self._mutated(mutates)
        self._checked: set[Any] = set()

    def _mutated(self, mutates: Collection[str] | None) -> tuple[str, ...]:
        own = [operand.name for operand in self.inputs if operand.kind == "array"]
        if mutates is None:
            written = self.kernel.written
            if written is None and not self.makers:
                raise OperationError(
                    f"what kernel '{self.kernel.kernel}' writes is not known before it is traced, since not all of its"
                    " arguments are annotated with element type and rank: expected annotations, or"
                    f" mutates= with names among {', '.join(own)}, or out="
                )
            return tuple(name for name in own if written is not None and name in written)
        for name in mutates:
            if name not in own:
                raise OperationError(f"mutates= has '{name}': expected names among {', '.join(own) or 'none'}")
        return tuple(name for name in own if name in mutates)

    def schema(self) -> str:
        """In torch's language for them."""
        for name in (*(operand.name for operand in self.inputs), *(c.name for c in self.kernel.constants)):
            if _IDENTIFIER.fullmatch(name) is None:
                raise OperationError(f"torch takes letters, digits and _ in names of arguments, found '{name}'")
        marks = {name: f"(a{number}!)" for number, name in enumerate(self.mutated)}
        given = [f"{_TYPES[operand.kind]}{marks.get(operand.name, '')} {operand.name}" for operand in self.inputs]
        constants = [_constant_text(constant) for constant in self.kernel.constants]
        results = ", ".join(["Tensor"] * len(self.makers))
        return f"({', '.join([*given, *(['*', *constants] if constants else [])])}) -> ({results})"

    def run(self, *given: Any, **chosen: Any) -> Any:
        """Launches the kernel. Torch leaves out what is equal to its default."""
        arguments, constants, made = self._completed(given, chosen)
        self._check_written(arguments, constants)
        self.kernel.launch(arguments, constants)
        return _result(made)

    def fake(self, *given: Any, **chosen: Any) -> Any:
        """The outputs without their values. Extents that are symbols are not compared, which would decide them."""
        arguments, _, made = self._completed(given, chosen)
        if all(type(extent) is int for argument in arguments for extent in getattr(argument, "shape", ())):
            self.kernel.check(arguments)
        return _result(made)

    def _completed(
        self, given: Sequence[Any], chosen: Mapping[str, Any]
    ) -> tuple[list[Any], dict[str, Any], list[Any]]:
        """All arguments of the kernel, its constants, and the outputs.

        What the kernel reads in rows without gaps is copied where it has such, as gradients of sums do."""
        constants = self.kernel.chosen(chosen)
        values = dict(constants)
        for operand, value in zip(self.inputs, given, strict=True):
            read_only = operand.dense and operand.name not in self.mutated
            values[operand.name] = _without_graph(value.contiguous() if read_only else value)
        made = {name: maker(values) for name, maker in self.makers.items()}
        values |= made
        return [values[operand.name] for operand in self.kernel.operands], constants, list(made.values())

    def named(self, given: Sequence[Any]) -> dict[str, Any]:
        """The inputs by name."""
        return {operand.name: value for operand, value in zip(self.inputs, given, strict=True)}

    def _check_written(self, arguments: Sequence[Any], constants: Mapping[str, Any]) -> None:
        """Raises OperationError where the kernel writes what torch takes to be only read."""
        key = tuple(constants.values())
        if self.kernel.written is None:  # annotations do not say all of the types
            key += tuple((a.dtype, len(a.shape)) for a in arguments if hasattr(a, "dtype"))
        if key in self._checked:
            return
        hidden = self.kernel.writes(arguments, constants) - {*self.makers, *self.mutated}
        if hidden:
            names = ", ".join(sorted(hidden))
            raise OperationError(
                f"kernel '{self.kernel.kernel}' writes {names}, of which the operation {self.name} says that it is"
                f" only read: expected mutates= or out= with {names}"
            )
        self._checked.add(key)

    def check_backward(self) -> None:
        """Raises OperationError where torch takes no gradients."""
        if self.mutated or not self.makers:
            raise OperationError(
                "backward= is for operations that change nothing and give new tensors (out=),"
                f" and {self.name} changes {', '.join(self.mutated) or 'nothing and gives nothing'}"
            )
        for name in self.makers:
            if any(operand.name == f"grad_{name}" for operand in self.inputs):
                raise OperationError(f"'grad_{name}' is an argument of the kernel and the gradient of its '{name}'")


class _Gradients:
    """The gradients of an operation, as torch's autograd asks for them."""

    def __init__(self, operation: _Operation, backward: Callable[..., Mapping[str, Any]], tensor: type) -> None:
        self._operation, self._tensor = operation, tensor
        own = [*(operand.name for operand in operation.inputs), *(c.name for c in operation.kernel.constants)]
        known = [*(f"grad_{name}" for name in operation.makers), *operation.makers, *own]
        self._of = ByName(backward, known, "backward=")

    def keep(
        self, ctx: Any, inputs: Sequence[Any], output: Any, keyword_only_inputs: Mapping[str, Any] = _NOTHING
    ) -> None:
        """Keeps for the backward pass what its function names."""
        results = (output,) if len(self._operation.makers) == 1 else output
        values = self._operation.named(inputs) | self._operation.kernel.chosen(keyword_only_inputs)
        values |= dict(zip(self._operation.makers, results, strict=True))
        kept = {name: values[name] for name in self._of.names if name in values}
        tensors = {name: value for name, value in kept.items() if isinstance(value, self._tensor)}
        ctx.save_for_backward(*tensors.values())
        ctx.lanewise_tensors = tuple(tensors)
        ctx.lanewise_others = {name: value for name, value in kept.items() if name not in tensors}

    def __call__(self, ctx: Any, *of_outputs: Any) -> tuple[Any, ...]:
        """One gradient for each input, None where there is none."""
        grads = {f"grad_{name}": grad for name, grad in zip(self._operation.makers, of_outputs, strict=True)}
        kept = dict(zip(ctx.lanewise_tensors, ctx.saved_tensors, strict=True))
        found = self._of(ctx.lanewise_others | kept | grads)
        names = [operand.name for operand in self._operation.inputs if operand.kind == "array"]
        kind = type(found).__name__
        given = cast("Mapping[str, Any]", found) if isinstance(found, Mapping) else None
        if given is None or not set(given) <= set(names):
            words = kind if given is None else list(given)
            raise OperationError(
                f"backward= of {self._operation.name}: expected a dict of gradients by the names of the inputs"
                f" ({', '.join(names)}), found {words}"
            )
        return tuple(given.get(operand.name) for operand in self._operation.inputs)


def _constant_text(constant: Constant) -> str:
    if constant.default is REQUIRED:
        return f"{constant.kind} {constant.name}"
    default = float(constant.default) if constant.kind == "float" else constant.default
    return f"{constant.kind} {constant.name}={json.dumps(default) if constant.kind == 'str' else default}"


def _without_graph(argument: Any) -> Any:
    """A tensor whose memory others may have: one that requires gradients gives it to nobody."""
    return argument.detach() if getattr(argument, "requires_grad", False) else argument


def _result(made: Sequence[Any]) -> Any:
    if not made:
        return None
    return made[0] if len(made) == 1 else tuple(made)
