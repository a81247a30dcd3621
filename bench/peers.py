"""The examples' work in other libraries, where they are installed: torch (cuBLAS for products), Triton and CuPy.

Each is given the same data, writes an output of the same type, and launches into the default stream.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True)
class Contender:
    """One way to do the work: `launch` starts it, `read` is what it wrote, on the host."""

    launch: Callable[[], object]
    read: Callable[[], Array]


class LeftOut(Exception):
    """Why a library does not take part."""


def _torch(program: str, inputs: Sequence[Array], shape: tuple[int, ...], dtype: Any) -> Contender:
    torch = _imported("torch")
    torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False  # sums in f32, as everyone else's
    tensors = [torch.from_numpy(a).cuda() for a in inputs]
    out = torch.full(shape, float("nan"), dtype=getattr(torch, np.dtype(dtype).name), device="cuda")
    kept = [out]  # of those that allocate their result themselves, the last one
    launch = _TORCH[program](torch, tensors, out, kept)
    return Contender(launch, lambda: kept[0].cpu().numpy())


def _layer_norm(torch: Any, t: Sequence[Any], out: Any, kept: list[Any]) -> Callable[[], object]:
    def launch() -> None:
        kept[0] = torch.nn.functional.layer_norm(t[0], t[0].shape[1:], t[1], t[2], 1e-5)

    return launch


def _matmul(torch: Any, t: Sequence[Any], out: Any, kept: list[Any]) -> Callable[[], object]:
    def launch() -> None:
        kept[0] = torch.mm(t[0], t[1], out_dtype=out.dtype)

    return launch


_TORCH: Mapping[str, Callable[[Any, Sequence[Any], Any, list[Any]], Callable[[], object]]] = {
    "vector_add": lambda torch, t, out, kept: lambda: torch.add(t[0], t[1], out=out),
    "softmax": lambda torch, t, out, kept: lambda: torch.softmax(t[0], 1, out=out),
    "layer_norm": _layer_norm,
    "transpose": lambda torch, t, out, kept: lambda: out.copy_(t[0].t()),
    "matmul_f16": _matmul,
}


def _triton(program: str, inputs: Sequence[Array], shape: tuple[int, ...], dtype: Any) -> Contender:
    torch = _imported("torch")
    _imported("triton")
    kernels = importlib.import_module("triton_kernels").LAUNCHERS
    tensors = [torch.from_numpy(a).cuda() for a in inputs]
    out = torch.full(shape, float("nan"), dtype=getattr(torch, np.dtype(dtype).name), device="cuda")
    return Contender(lambda: kernels[program](*tensors, out), lambda: out.cpu().numpy())


def _cupy(program: str, inputs: Sequence[Array], shape: tuple[int, ...], dtype: Any) -> Contender:
    if program not in _CUPY:
        raise LeftOut(_CUPY_LACKS[program])
    cupy = _imported("cupy")
    arrays = [cupy.asarray(a) for a in inputs]
    out = cupy.full(shape, float("nan"), dtype=dtype)
    return Contender(_CUPY[program](cupy, arrays, out), lambda: cupy.asnumpy(out))


_CUPY: Mapping[str, Callable[[Any, Sequence[Any], Any], Callable[[], object]]] = {
    "vector_add": lambda cupy, a, out: lambda: cupy.add(a[0], a[1], out=out),
    "transpose": lambda cupy, a, out: lambda: cupy.copyto(out, a[0].T),
}
_CUPY_LACKS = {
    "softmax": "it has no softmax of one kernel",
    "layer_norm": "it has no layer norm",
    "matmul_f16": "its product of f16 is f16, not f32",
}

PEERS: Mapping[str, Callable[[str, Sequence[Array], tuple[int, ...], Any], Contender]] = {
    "torch": _torch,
    "triton": _triton,
    "cupy": _cupy,
}
"""By name: makes the contender of (program, inputs, shape and type of the output). Raises LeftOut."""


def _imported(name: str) -> Any:
    if importlib.util.find_spec(name) is None:
        raise LeftOut(f"{name} is not installed")
    return importlib.import_module(name)


def versions() -> dict[str, str]:
    """Of what is installed; nothing is imported."""
    packages = importlib.metadata.packages_distributions()
    return {name: importlib.metadata.version(packages[name][0]) for name in PEERS if name in packages}


# The rate of cuBLAS, a ceiling


def cublas(size: int, dtype: str) -> Callable[[], object]:
    """Launches a product of square random matrices through torch; its result has the same type. Raises LeftOut."""
    torch = _imported("torch")
    a, b = (torch.randn(size, size, dtype=getattr(torch, dtype), device="cuda") for _ in range(2))
    out = torch.empty_like(a)
    return lambda: torch.mm(a, b, out=out)
