"""What a tensor map can say (CUDA driver API, cuTensorMapEncodeTiled): elements, boxes, mixed rows, promotion."""

from __future__ import annotations

from collections.abc import Mapping

ELEMENTS = ("f16", "bf16", "f32", "f64", "i8", "i16", "i32", "i64", "f8E4M3FN", "f8E5M2")
"""Types of elements, as programs call them."""
SWIZZLES: Mapping[str, int] = {"none": 0, "swizzle_32b": 32, "swizzle_64b": 64, "swizzle_128b": 128}
"""Bytes of a row that is mixed."""
PROMOTIONS: Mapping[str, int] = {"none": 0, "l2promo_64b": 64, "l2promo_128b": 128, "l2promo_256b": 256}
"""Bytes that the second level of cache fetches at once."""
MOST_DIMENSIONS = 5
LONGEST_BOX = 256
"""Elements along a dimension of a box."""
UNIT = 16
"""Bytes that addresses, strides and rows of boxes are multiples of."""
