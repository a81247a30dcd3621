"""Fixtures for tests of the AMDGCN emulator: compile LLVM IR for a chip, and a fresh memory to run it on."""

from __future__ import annotations

from collections.abc import Callable

import llvmlite.binding as llvm
import pytest

from .support import Bench


@pytest.fixture(scope="session")
def compiled() -> Callable[[str, str], str]:
    """(LLVM IR, chip) -> AMDGCN text."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    cache: dict[tuple[str, str], str] = {}

    def compile_text(text: str, chip: str) -> str:
        if (text, chip) not in cache:
            machine = llvm.Target.from_triple("amdgcn-amd-amdhsa").create_target_machine(cpu=chip, opt=3)
            module = llvm.parse_assembly('target triple = "amdgcn-amd-amdhsa"\n' + text)
            module.verify()
            module.data_layout = str(machine.target_data)
            options = llvm.create_pipeline_tuning_options(speed_level=1)
            options.slp_vectorization = options.loop_vectorization = False
            passes = llvm.create_pass_builder(machine, options)
            passes.getModulePassManager().run(module, passes)
            cache[text, chip] = machine.emit_assembly(module)
        return cache[text, chip]

    return compile_text


@pytest.fixture
def bench() -> Bench:
    return Bench()
