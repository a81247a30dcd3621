"""Kernels as functions of jax arrays, inside `jax.jit` too, where a callback launches them with arrays of the host.

Arrays of jax do not change: what a kernel writes, the function gives. Jax is loaded when a function is asked for.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .operation import REQUIRED, KernelOperation, OperationError, Out


def jax_function(kernel: KernelOperation, out: Out | None, vmap_method: str | None) -> Callable[..., Any]:
    """See `lanewise.kernel.Kernel.jax_call`.

    Raises:
        OperationError: What is said does not fit the kernel.
        ModuleNotFoundError: There is no jax.
    """
    jax: Any = importlib.import_module("jax")
    return _JaxCall(kernel, dict(out or {}), vmap_method, jax)


class _JaxCall:
    """A kernel that is called with jax's arrays and numbers."""

    def __init__(self, kernel: KernelOperation, out: Out, vmap_method: str | None, jax: Any) -> None:
        self._kernel, self._vmap_method, self._jax = kernel, vmap_method, jax
        self._inputs = kernel.inputs(out)
        self._makers = kernel.makers(out, self._like)

    def __repr__(self) -> str:
        return f"<lanewise kernel {self._kernel.kernel} for jax>"

    def _like(self, array: Any) -> Any:
        return self._jax.ShapeDtypeStruct(array.shape, array.dtype)

    def __call__(self, *given: Any, **chosen: Any) -> Any:
        """The outputs, then the inputs that the kernel changed, as they are behind it."""
        self._check_count(given, chosen)
        constants = self._kernel.chosen(chosen)
        values = {operand.name: value for operand, value in zip(self._inputs, given, strict=True)}
        made = {name: maker(values | constants) for name, maker in self._makers.items()}
        described = values | made
        arguments = [described[operand.name] for operand in self._kernel.operands]
        self._kernel.check(arguments)
        written = self._kernel.writes(arguments, constants)
        changed = {name: self._like(values[name]) for name in values if name in written}
        results = made | changed
        if not results:
            raise OperationError(f"kernel '{self._kernel.kernel}' writes no argument, so that jax gets nothing of it")
        passed = {
            name: value for name, value in values.items() if not isinstance(value, (bool, int, float, np.generic))
        }
        run = functools.partial(self._run, values, tuple(passed), results, constants)
        found = self._jax.pure_callback(run, tuple(results.values()), *passed.values(), vmap_method=self._vmap_method)
        return found[0] if len(results) == 1 else found

    def _run(
        self,
        values: Mapping[str, Any],
        names: Sequence[str],
        results: Mapping[str, Any],
        constants: Mapping[str, Any],
        *given: Any,
    ) -> tuple[Any, ...]:
        """Launches with arrays of the host, which jax waits for."""
        host = dict(zip(names, map(np.asarray, given), strict=True))
        for name, spec in results.items():
            host[name] = np.array(host[name]) if name in host else np.zeros(spec.shape, spec.dtype)
        arguments = [
            host.get(operand.name, values.get(operand.name))
            if operand.kind == "array"
            else _number(host.get(operand.name, values.get(operand.name)))
            for operand in self._kernel.operands
        ]
        self._kernel.launch(arguments, constants)
        return tuple(host[name] for name in results)

    def _check_count(self, given: Sequence[Any], chosen: Mapping[str, Any]) -> None:
        names = [operand.name for operand in self._inputs]
        if len(given) != len(names):
            raise OperationError(
                f"kernel '{self._kernel.kernel}' takes {', '.join(names) or 'nothing'} here,"
                f" found {len(given)} argument{'s' * (len(given) != 1)}"
            )
        constants = {constant.name: constant for constant in self._kernel.constants}
        for name in chosen:
            if name not in constants:
                known = ", ".join(constants) or "none"
                raise OperationError(f"kernel '{self._kernel.kernel}' has no constant '{name}'; constants: {known}")
        for name, constant in constants.items():
            if constant.default is REQUIRED and name not in chosen:
                raise OperationError(f"kernel '{self._kernel.kernel}': the constant '{name}' is missing")


def _number(value: Any) -> Any:
    """A number of Python."""
    return value.item() if hasattr(value, "item") else value
