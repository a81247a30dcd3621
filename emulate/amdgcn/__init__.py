"""Emulator of AMDGCN text: runs what LLVM's AMDGPU back end prints, on numpy arrays with one entry per lane."""

from .module import AmdgcnKernel, AmdgcnModule
from .syntax import Resources

__all__ = ["AmdgcnKernel", "AmdgcnModule", "Resources"]
