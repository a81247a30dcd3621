"""A compiled program that is not what it should be."""

from __future__ import annotations

import lanewise
from lanewise import Kernel
from lanewise.ir.kernels import Kernel as KernelView
from lanewise.ir.kernels import find_kernel
from lanewise.jit.compiler import Compiler
from lanewise.jit.recipe import Made


class ChangedKernel(Kernel):
    """Compiled from another thread-level text; it ought to mean what `original` means, and is launched alike."""

    def __init__(self, original: Kernel, text: str) -> None:
        module = lanewise.parse(text)
        super().__init__(Made(Compiler(module, find_kernel(module), original.target)), "emulated")
        self._meant = original.view
        self.compiler.interface = original.compiler.interface

    @property
    def view(self) -> KernelView:
        return self._meant

    @property
    def isolated(self) -> Kernel:  # type: ignore[override]
        return self
