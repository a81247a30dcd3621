"""The operations lanewise knows, one file per dialect. Importing this package registers them all."""

from . import arith, builtin, func

ALL = (builtin, func, arith)
