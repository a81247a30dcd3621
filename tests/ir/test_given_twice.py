"""What a text gives twice is refused where the second stands: neither is dropped."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest
from lanewise.ir.attributes import StringAttr
from lanewise.ir.core import REGISTRY, Operation
from lanewise.ir.dialects import load_all
from lanewise.ir.parser import parse_program
from lanewise.ir.printer import ProgramPrinter
from lanewise.support.diagnostics import ParseError, ProgramError

FILETESTS = sorted((Path(__file__).parent.parent / "filetests").glob("**/*.mlir"))
SEPARATOR = re.compile(r"^// -----[ \t]*\n", re.MULTILINE)

TWICE = [
    ("amdgpu.dpp %x %x row_mirror row_mask(5) ¦row_mask(3) : f32", "'row_mask' is given twice"),
    ("amdgpu.dpp %x %x row_mirror row_mask(5) {¦row_mask = 3 : i32} : f32", "attribute 'row_mask' is given twice"),
    ("amdgpu.permlane_var %x, %i cross(true) ¦cross(false) : f32", "'cross' is given twice"),
    (
        "amdgpu.permlane_swap %x 16 bound_ctrl(true) {¦bound_ctrl = false} : f32",
        "attribute 'bound_ctrl' is given twice",
    ),
    ("nvgpu.truncf %x <rnd = rz, ¦rnd = rn> : f32 to f16", "'rnd' is given twice"),
    ("nvgpu.truncf %x <rnd = rz> {¦rnd = #nvvm.fp_rnd_mode<rn>} : f32 to f16", "attribute 'rnd' is given twice"),
    (
        "amdgpu.raw_buffer_load boundsCheck(true) {¦boundsCheck = false} %m[%i] : memref<8xf32>, i32 -> f32",
        "attribute 'boundsCheck' is given twice",
    ),
    ("amdgpu.fat_raw_buffer_cast %m validBytes(%i) ¦validBytes(%i)", "'validBytes' is given twice"),
    ("amdgpu.fat_raw_buffer_cast %m resetOffset ¦resetOffset", "'resetOffset' is given twice"),
    ("amdgpu.fat_raw_buffer_cast %m resetOffset {¦resetOffset}", "attribute 'resetOffset' is given twice"),
    ("amdgpu.mfma 16x16x4 %p * %p + %v blgp = none ¦blgp = bcast_first_32 : f32, f32, vector<4xf32>", "'blgp' is"),
    ("iree_codegen.index_hint %n(#iree_gpu.lane_increment<16, step = 2, ¦step = 4>) : index", "'step' is given twice"),
    ("iree_codegen.index_hint %n(#iree_gpu.lane_increment<16, aligned, ¦aligned>) : index", "'aligned' is given twice"),
    ("vector.reduction <add>, %v fastmath<fast> {¦fastmath = #arith.fastmath<none>}", "attribute 'fastmath' is given"),
]


@pytest.mark.parametrize(("line", "message"), TWICE, ids=[line.replace("¦", "") for line, _ in TWICE])
def test_what_is_given_twice_is_refused_at_the_second(line: str, message: str) -> None:
    start = "func.func @f(%x: f32, %i: i32, %p: f32, %m: memref<8xf32>, %v: vector<4xf32>, %n: index) {\n%0 = "
    place = len(start) + line.index("¦")
    with pytest.raises(ParseError) as error:
        parse_program(f"{start}{line.replace('¦', '')}\nreturn\n}}")
    (found,) = error.value.diagnostics
    assert message in found.message
    assert found.location is not None and found.location.offset == place


class Twice(ProgramPrinter):
    """Prints an attribute of one operation in its dictionary, whatever its words say."""

    def __init__(self, op: Operation, name: str) -> None:
        super().__init__()
        self.op, self.name_of_attribute = op, name

    def attribute_dict(self, op: Operation, hidden: Collection[str] = (), keyword: str = "") -> None:
        if op is not self.op:
            super().attribute_dict(op, hidden, keyword)
            return
        self.word(f"{keyword} " if keyword else "")
        self.raw(f"{{{self.name_of_attribute} = {NONSENSE}}}")


NONSENSE = StringAttr("nonsense")


NAME = re.compile(r"[a-z_]+\.[a-z_0-9.]+")


def operations() -> Iterator[tuple[Operation, Operation]]:
    """One of each kind that the filetests have, and the program around it."""
    seen = set[str]()
    for path in FILETESTS:
        for section in SEPARATOR.split(path.read_text(encoding="utf-8")):
            if not set(NAME.findall(section)) & REGISTRY.keys() - seen:
                continue
            try:
                program = parse_program(section)
            except ProgramError:
                continue
            for op in program.walk():
                if op.opname not in seen:
                    seen.add(op.opname)
                    yield program, op


def test_no_dictionary_says_in_vain_what_the_words_of_an_operation_say() -> None:
    """Every attribute of every operation of the filetests: what its dictionary says of it is refused or obeyed."""
    load_all()
    kinds, dropped = set[str](), list[tuple[str, str]]()
    for program, op in operations():
        kinds.add(op.opname)
        for name in sorted({*op.attributes, *(slot.name for slot in op.attribute_slots)}):
            printer = Twice(op, name)
            printer.operation(program)
            try:
                back = parse_program(printer.text())
            except ParseError:
                continue
            if all(other.attributes.get(name) != NONSENSE for other in back.walk()):
                dropped.append((op.opname, name))
    assert len(kinds) > 300
    assert dropped == []
