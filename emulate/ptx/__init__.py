"""Emulator of PTX text: runs what LLVM's NVPTX back end prints, on numpy arrays with one entry per thread."""

from .module import PtxKernel, PtxModule
from .syntax import Parameter

__all__ = ["Parameter", "PtxKernel", "PtxModule"]
