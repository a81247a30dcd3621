"""The documents' examples stand in order: the vector dialect's under the names of its operations, one or more each."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

SPEC = Path(__file__).parent / "spec"
VECTOR = (
    *("broadcast", "constant_mask", "contract", "create_mask", "extractelement", "extract", "extract_slices", "fma"),
    *("insertelement", "insert", "insert_slices", "insert_strided_slice", "matrix_multiply", "outerproduct", "print"),
    *("reduction", "reshape", "shape_cast", "shuffle", "strided_slice", "transfer_read", "transfer_write", "transpose"),
    *("tuple_get", "tuple", "type_cast"),
)
"""The operations of the vector dialect's document, as it has them one after the other."""
OTHERS = {
    "iree_vector_ext_dialect": ("to_layout", "to_simd", "to_simt"),
    "iree_gpu_dialect": ("multi_mma", "shuffle_tensor", "value_barrier"),
}
"""Those of the documents with a handful, in their order."""


def test_each_operation_of_the_vector_document_has_its_examples_in_order() -> None:
    text = (SPEC / "vector_dialect.mlir").read_text(encoding="utf-8")
    _, *functions = re.split(r"^func\.func @", text, flags=re.MULTILINE)
    places = [_first(functions, f"vector.{name}") for name in VECTOR]
    assert places == sorted(places)


@pytest.mark.parametrize(("document", "names"), OTHERS.items(), ids=OTHERS)
def test_each_operation_of_the_other_documents_has_its_examples_in_order(document: str, names: tuple[str, ...]) -> None:
    text = (SPEC / f"{document}.mlir").read_text(encoding="utf-8")
    places = [match.start() for name in names if (match := re.search(rf"\.{name} ", text))]
    assert len(places) == len(names) and places == sorted(places)


def _first(functions: list[str], operation: str) -> int:
    """Of the functions behind the document's introduction, which is two of them, the first that has an operation and is
    named after it."""
    name = operation.partition(".")[2].removesuffix("_get")
    for number, function in enumerate(functions[2:]):
        if function.startswith(name) and re.search(rf"\b{re.escape(operation)}\b", function):
            return number
    raise AssertionError(f"no example of {operation}")
