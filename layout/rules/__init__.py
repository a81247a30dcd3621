"""Layout transfer rules, one file per dialect. Importing this package fills the TRANSFER table."""

from . import elementwise, gpu, iree_vector_ext, scf, vector

ALL = (elementwise, vector, scf, gpu, iree_vector_ext)
