"""vector: values with n-dimensional shape. The operations stand in one file for each family; this module has them all.

Rules and reference semantics follow MLIR's vector dialect; where its documents differ, docs/semantics.md decides.
"""

from .vector_elements import ExtractOp, FromElementsOp, InsertOp, ToElementsOp
from .vector_kind import CombiningKindAttr, IteratorTypeAttr
from .vector_masks import ConstantMaskOp, CreateMaskOp
from .vector_memory import LoadOp, MaskedLoadOp, MaskedStoreOp, StoreOp
from .vector_reductions import ContractionOp, MultiReductionOp
from .vector_shape import BroadcastOp, FMAOp, ShapeCastOp, StepOp, TransposeOp
from .vector_slices import ExtractStridedSliceOp, InsertStridedSliceOp, ShuffleOp
from .vector_transfer import TransferReadOp, TransferWriteOp

__all__ = [
    "BroadcastOp",
    "CombiningKindAttr",
    "ConstantMaskOp",
    "ContractionOp",
    "CreateMaskOp",
    "ExtractOp",
    "ExtractStridedSliceOp",
    "FMAOp",
    "FromElementsOp",
    "InsertOp",
    "InsertStridedSliceOp",
    "IteratorTypeAttr",
    "LoadOp",
    "MaskedLoadOp",
    "MaskedStoreOp",
    "MultiReductionOp",
    "ShapeCastOp",
    "ShuffleOp",
    "StepOp",
    "StoreOp",
    "ToElementsOp",
    "TransferReadOp",
    "TransferWriteOp",
    "TransposeOp",
]
