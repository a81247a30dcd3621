"""Emulator of AMDGCN text: runs what LLVM's AMDGPU back end prints, on numpy arrays with one entry per lane."""

from .module import AmdgcnKernel, AmdgcnModule
from .syntax import Parameter, Resources

__all__ = ["AmdgcnKernel", "AmdgcnModule", "Parameter", "Resources"]
