"""Emulator of PTX text: runs what LLVM's NVPTX back end prints, on numpy arrays with one entry per thread."""

from .module import PtxKernel, PtxModule

__all__ = ["PtxKernel", "PtxModule"]
