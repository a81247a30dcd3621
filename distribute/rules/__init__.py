"""Distribution rules, one file per dialect. Importing this package fills the DISTRIBUTE table."""

from types import ModuleType

from . import (
    affine,
    arg_compare,
    cf,
    elementwise,
    gpu,
    indexed_transfers,
    iree_vector_ext,
    lanewise,
    matrix_operations,
    memref,
    moves,
    positions,
    scf,
    tensor_copies,
    util,
    vector,
    vector_bitcast,
    vector_memory,
    vector_reductions,
    vector_transfer,
)
from . import async_copies as copies

ALL: tuple[ModuleType, ...] = (
    elementwise,
    vector,
    vector_bitcast,
    vector_transfer,
    vector_memory,
    vector_reductions,
    arg_compare,
    indexed_transfers,
    scf,
    util,
    gpu,
    memref,
    affine,
    cf,
    copies,
    tensor_copies,
    iree_vector_ext,
    moves,
    positions,
    lanewise,
    matrix_operations,
)
