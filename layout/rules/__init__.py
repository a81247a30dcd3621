"""Layout transfer rules, one file per dialect. Importing this package fills the TRANSFER table."""

from . import (
    arg_compare,
    elementwise,
    gpu,
    indexed_transfers,
    iree_vector_ext,
    lanewise_async,
    matrix_operations,
    moves,
    positions,
    scf,
    vector,
    vector_memory,
    vector_reductions,
)

ALL = (
    elementwise,
    vector,
    vector_memory,
    vector_reductions,
    arg_compare,
    indexed_transfers,
    scf,
    gpu,
    iree_vector_ext,
    lanewise_async,
    matrix_operations,
    moves,
    positions,
)
