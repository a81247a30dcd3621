"""What a process loads to compile one program: what it is about, and of the vendor's."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from lanewise.codegen.emit.emit_rules import AMD, EMIT, NVIDIA, SCALAR
from lanewise.distribute.context import DISTRIBUTE
from lanewise.frontend.legalisations import EXPAND, OPEN, TENSORS
from lanewise.ir.core import REGISTRY
from lanewise.ir.dialects import load_all
from lanewise.layout.transfer import TRANSFER

from ..each import each

PACKAGE = Path(__file__).resolve().parents[2]
TABLES = (EXPAND, TENSORS, OPEN, TRANSFER, DISTRIBUTE, EMIT, SCALAR, NVIDIA, AMD)
"""Those that load their rules when operations are asked for."""


def in_a_process(program: str) -> object:
    """What a program prints as JSON. The checkout's folder may have any name."""
    start = f"import sys; sys.path.insert(0, {str(PACKAGE / 'bench')!r}); import checkout; checkout.use_checkout()\n"
    done = subprocess.run([sys.executable, "-c", start + program], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


LOADED = """
import pathlib
import lanewise
file = pathlib.Path(lanewise.__file__).parent / "examples" / "softmax.mlir"
kernel = lanewise.compile(file, target={target!r}, device="emulated")
assert kernel.variant(kernel.best_facts).artifacts.assembly
print(str(sorted(sys.modules)).replace("'", '"'))
"""
MOST = 453
"""Modules of the package that a process loads for softmax. A limit: what is not used is loaded when it is."""
NEVER = {"json", "subprocess", "hashlib", "difflib", "fractions", "ml_dtypes", "numpy.ma"}
"""What costs a process milliseconds that it may need for other things."""


@each([("sm_90", "amdgpu"), ("gfx942", "nvptx")])
def test_a_process_loads_what_it_needs(of: tuple[str, str]) -> None:
    target, foreign = of
    loaded = in_a_process(LOADED.format(target=target))
    assert isinstance(loaded, list)
    ours = [name for name in loaded if name.partition(".")[0] == "lanewise"]
    assert len(ours) <= MOST, f"{target}: {len(ours)} modules"
    foreigners = [name for name in ours if name.startswith(f"lanewise.codegen.{foreign}.")]
    assert not foreigners, f"{target}: the other vendor's {foreigners}"
    assert not NEVER & set(loaded), f"{target}: {NEVER & set(loaded)}"


REGISTERED = """
import importlib, json
from lanewise.ir.dialects import load_all
from lanewise.ir.rule_table import RuleTable

found = []

def recorded(register, classes):
    def record(table, *arguments):
        frame = sys._getframe()
        while frame.f_code.co_name != "<module>":
            frame = frame.f_back
        place = frame.f_globals["__name__"]
        found.extend((table.name, place, c.__module__.rpartition(".")[2], c.__name__) for c in classes(arguments))
        register(table, *arguments)
    return record

RuleTable.set = recorded(RuleTable.set, lambda arguments: arguments[:1])
RuleTable.needless = recorded(RuleTable.needless, lambda arguments: arguments[1:])
load_all()
import lanewise.codegen.all_rules
from lanewise.codegen.emit.emit_rules import AMD, EMIT, NVIDIA, SCALAR
from lanewise.distribute.context import DISTRIBUTE
from lanewise.frontend.legalisations import EXPAND, OPEN, TENSORS
from lanewise.layout.transfer import TRANSFER
for table in (EXPAND, TENSORS, OPEN, TRANSFER, DISTRIBUTE, EMIT, SCALAR, NVIDIA, AMD):
    for module in table.homes:
        importlib.import_module(module)
print(json.dumps(found))
"""


def test_tables_say_exactly_which_files_have_rules_for_what() -> None:
    """A file that they do not name is loaded by chance, or not at all."""
    found = in_a_process(REGISTERED)
    assert isinstance(found, list)
    for table in TABLES:
        there = {(place, file, name) for of, place, file, name in found if of == table.name}
        said = {(place, key) for place, keys in table.homes.items() for key in keys}
        unsaid = sorted(rule for rule in there if not {(rule[0], rule[1]), (rule[0], f"{rule[1]}.{rule[2]}")} & said)
        keys = {(place, key) for place, file, name in there for key in (file, f"{file}.{name}")}
        assert not unsaid and said <= keys, f"{table.name}: not said: {unsaid}; without rules: {sorted(said - keys)}"


def test_reasons_by_name_are_of_operations() -> None:
    load_all()
    unknown = {f"{table.name}: {name}" for table in TABLES for name in table.named_reasons if name not in REGISTRY}
    assert not unknown
