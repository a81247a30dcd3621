"""What LLVM's optimisation of PTX costs and brings: time, registers and SASS instructions of every example.

python bench/llvm_levels.py        (needs the `isa` extra)
"""

from __future__ import annotations

import re
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
from lanewise.codegen.assemble import assemble, disassemble
from lanewise.codegen.pipeline import Compilation
from lanewise.ir.parser import parse_program
from lanewise.ir.targets import find_chip

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.mlir"))
CHIP = find_chip("sm_90")
REPEATS = 5


def _builder(machine: Any) -> Any:
    tuning = llvm.create_pipeline_tuning_options(speed_level=1)
    tuning.slp_vectorization = tuning.loop_vectorization = False
    return llvm.create_pass_builder(machine, tuning)


def standard(module: Any, machine: Any) -> None:
    builder = _builder(machine)
    builder.getModulePassManager().run(module, builder)


def combine(module: Any, machine: Any) -> None:
    passes = llvm.create_new_function_pass_manager()
    passes.add_instruction_combine_pass()
    for function in module.functions:
        if not function.is_declaration:
            passes.run(function, _builder(machine))


def measure(text: str, level: int, optimise: Callable[[Any, Any], None]) -> tuple[float, str]:
    """Median milliseconds of optimisation and emission, and the PTX."""
    target = llvm.Target.from_triple(CHIP.triple)
    machine = target.create_target_machine(cpu=CHIP.llvm_cpu, features=CHIP.llvm_features, opt=level)
    times, ptx = [], ""
    for _ in range(REPEATS):
        module = llvm.parse_assembly(text)
        module.data_layout = str(machine.target_data)
        start = time.perf_counter()
        optimise(module, machine)
        ptx = machine.emit_assembly(module)
        times.append(time.perf_counter() - start)
    return 1e3 * statistics.median(times), ptx


def main() -> None:
    print(f"{'example':14} {'way':12} {'ms':>6} {'registers':>9} {'spilled':>7} {'SASS':>5}")
    for path in EXAMPLES:
        text = Compilation(parse_program(path.read_text()), None, CHIP).artifacts.llvm_ir
        for name, level, optimise in (("O1, level 3", 3, standard), ("combine, 0", 0, combine)):
            milliseconds, ptx = measure(text, level, optimise)
            cubin = assemble(ptx, CHIP)
            (resources,) = cubin.resources.values()
            sass = len(re.findall(r"^\s+/\*[0-9a-f]+\*/", disassemble(cubin.code), re.MULTILINE))
            spilled = resources.spill_load_bytes + resources.spill_store_bytes
            print(f"{path.stem:14} {name:12} {milliseconds:6.1f} {resources.registers:9} {spilled:7} {sass:5}")


if __name__ == "__main__":
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    main()
