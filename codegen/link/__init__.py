"""The code object of AMD kernels: a linker of our own, and what the finished image says about its kernels."""

from .code_object import CodeObject, KernelInfo, read_code_object
from .elf import CodeObjectError
from .linker import link
from .occupancy import Occupancy, occupancy
from .relocation import LinkError

__all__ = [
    "CodeObject",
    "CodeObjectError",
    "KernelInfo",
    "LinkError",
    "Occupancy",
    "link",
    "occupancy",
    "read_code_object",
]
