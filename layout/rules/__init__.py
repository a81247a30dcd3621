"""Layout transfer rules, one file per dialect. Importing this package fills the TRANSFER table."""

from . import elementwise, gpu, iree_vector_ext, moves, scf, vector, vector_reductions

ALL = (elementwise, vector, vector_reductions, scf, gpu, iree_vector_ext, moves)
