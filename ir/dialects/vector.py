"""vector: values with n-dimensional shape. The operations stand in one file for each family; this module has them all.

Rules and reference semantics follow MLIR's vector dialect; where its documents differ, docs/semantics.md decides.
"""

from .vector_compress import CompressStoreOp, ExpandLoadOp
from .vector_elements import ExtractElementOp, ExtractOp, FromElementsOp, InsertElementOp, InsertOp, ToElementsOp
from .vector_gather import GatherOp, ScatterOp
from .vector_interleave import BitCastOp, DeinterleaveOp, InterleaveOp
from .vector_kind import CombiningKindAttr, IteratorTypeAttr
from .vector_mask_region import MaskOp, YieldOp
from .vector_masks import ConstantMaskOp, CreateMaskOp
from .vector_memory import LoadOp, MaskedLoadOp, MaskedStoreOp, StoreOp, TypeCastOp
from .vector_print import PrintOp, PunctuationAttr
from .vector_products import MatrixMultiplyOp, OuterProductOp
from .vector_reduction import ReductionOp
from .vector_reductions import ContractionOp, MultiReductionOp
from .vector_reshape import ReshapeOp
from .vector_scan import ScanOp
from .vector_shape import BroadcastOp, FMAOp, ShapeCastOp, StepOp, TransposeOp
from .vector_slices import ExtractStridedSliceOp, InsertStridedSliceOp, ShuffleOp
from .vector_tiles import ExtractSlicesOp, InsertSlicesOp
from .vector_transfer import TransferReadOp, TransferWriteOp
from .vector_tuple import TupleGetOp, TupleOp

__all__ = [
    "BitCastOp",
    "BroadcastOp",
    "CombiningKindAttr",
    "CompressStoreOp",
    "ConstantMaskOp",
    "ContractionOp",
    "CreateMaskOp",
    "DeinterleaveOp",
    "ExpandLoadOp",
    "ExtractElementOp",
    "ExtractOp",
    "ExtractSlicesOp",
    "ExtractStridedSliceOp",
    "FMAOp",
    "FromElementsOp",
    "GatherOp",
    "InsertElementOp",
    "InsertOp",
    "InsertSlicesOp",
    "InsertStridedSliceOp",
    "InterleaveOp",
    "IteratorTypeAttr",
    "LoadOp",
    "MaskOp",
    "MaskedLoadOp",
    "MaskedStoreOp",
    "MatrixMultiplyOp",
    "MultiReductionOp",
    "OuterProductOp",
    "PrintOp",
    "PunctuationAttr",
    "ReductionOp",
    "ReshapeOp",
    "ScanOp",
    "ScatterOp",
    "ShapeCastOp",
    "ShuffleOp",
    "StepOp",
    "StoreOp",
    "ToElementsOp",
    "TransferReadOp",
    "TransferWriteOp",
    "TransposeOp",
    "TupleGetOp",
    "TupleOp",
    "TypeCastOp",
    "YieldOp",
]
