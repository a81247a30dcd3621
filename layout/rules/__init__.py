"""Layout transfer rules, one file per dialect. `TRANSFER`, in `transfer.py`, says which, and loads them as needed.

Importing this package registers what is said of operations by their traits or names, whenever these are defined.
"""

from types import ModuleType

from . import elementwise, gpu, matrix_operations, moves, scf

FAMILIES: tuple[ModuleType, ...] = (elementwise, gpu, matrix_operations, moves, scf)
