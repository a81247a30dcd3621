"""How small an error of one element is still found in the results of the examples."""

from __future__ import annotations

import lanewise
import numpy as np
import pytest
from lanewise.check.accuracy import machine_of
from lanewise.check.inputs import is_array, make_inputs
from lanewise.check.inputs_grammar import inputs_of, read_comments
from lanewise.jit.program_text import read_source
from lanewise.reference.evaluate import run_kernel

from .conftest import ROOT

ERROR = 1e-3


@pytest.mark.turns("target")
@pytest.mark.parametrize("target", ["sm_90", "gfx942"])
@pytest.mark.parametrize("example", ["vector_add", "reduce_8x64", "softmax", "layer_norm", "transpose", "matmul_f16"])
def test_errors_of_a_thousandth_of_an_element_are_found(example: str, target: str) -> None:
    """Of single errors of 1e-3 of an element, in one element after another, at least 99 % leave the bound."""
    source = read_source(ROOT / f"examples/{example}.mlir")
    kernel = lanewise.compile(source.text, target=target)
    text = inputs_of(read_comments(source), kernel.name)
    assert text is not None
    inputs = make_inputs(text, kernel.signature)
    arguments = list(inputs.arguments)
    if example == "matmul_f16":  # integers would be exact
        random = np.random.default_rng(0)
        arguments[:2] = [random.standard_normal(a.shape).astype(a.dtype) for a in arguments[:2] if is_array(a)]
    machine = machine_of(kernel.target, lambda: kernel.compilation)
    doubts = run_kernel(kernel.view, inputs.grid, arguments, kernel.compilation.subgroup_size, machine)
    assert not doubts.unsettled
    for parameter, array, bound in zip(kernel.signature, arguments, doubts.bounds, strict=True):
        if is_array(array) and getattr(parameter, "written", False):
            allowed = np.zeros(array.shape) if bound is None else bound
            found = ERROR * np.abs(array.astype(np.float64)) > allowed
            changed = np.count_nonzero(array)
            share = np.count_nonzero(found) / changed
            print(f"{example} on {target}: {share:.2%} of {changed}")
            assert share >= 0.99
