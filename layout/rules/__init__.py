"""Layout transfer rules, one file per dialect. Importing this package fills the TRANSFER table."""

from . import arg_compare, elementwise, gpu, iree_vector_ext, moves, scf, vector, vector_reductions

ALL = (elementwise, vector, vector_reductions, arg_compare, scf, gpu, iree_vector_ext, moves)
