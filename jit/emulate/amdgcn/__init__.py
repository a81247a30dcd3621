"""Emulator of AMDGCN text: runs what LLVM's AMDGPU back end prints, on numpy arrays with one entry per lane."""
