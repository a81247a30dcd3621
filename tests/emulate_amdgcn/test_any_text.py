"""Whatever the text says, the emulator runs it or raises `EmulationFault`: random programs and damaged text."""

from __future__ import annotations

import random
import re

import pytest
from lanewise.emulate.amdgcn import AmdgcnModule
from lanewise.emulate.amdgcn.handlers import OPCODES
from lanewise.emulate.faults import EmulationFault
from lanewise.emulate.machine.settings import LaunchSettings
from lanewise.emulate.memory import GlobalMemory

from . import programs
from .support import CHIPS, kernel_text

MORE = ("v_mfma_f32_16x16x16_f16", "v_wmma_f32_16x16x16_f16", "s_cbranch_scc1", "s_setpc_b64", "s_waitcnt", "s_barrier")
MODIFIERS = (
    "", "", "", "", "offset:16", "offset:-4", "offset0:1 offset1:2", "offen", "sc0", "clamp", "mul:2", "op_sel:[1,0,1]",
    "neg_lo:[1,1,0]", "quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf", "row_shl:1", "dpp8:[7,6,5,4,3,2,1,0]",
    "src0_sel:BYTE_1", "dst_sel:WORD_0", "bitop3:0x96", "cbsz:1", "offset:swizzle(SWAP,16)", "op_sel:[]", "offset:x",
)  # fmt: skip
OPERANDS = (
    "v{0}", "v{0}", "v{0}", "s{0}", "s{0}", "v[{0}:{1}]", "v[{0}:{1}]", "s[{0}:{1}]", "vcc", "exec", "exec_lo", "off",
    "null", "0", "-1", "0xffffffff", "1.0", "m0", "scc", "|v{0}|", "-v{0}", "v{0}.l", "a{0}", "a[{0}:{1}]", ".La",
    "v[1", "(.La-.Lb)&4294967295", "sext(v1)", "s999", "src_shared_base", "hwreg(HW_REG_MODE)",
)  # fmt: skip


def line(choice: random.Random) -> str:
    first = choice.randrange(60)
    count = choice.choice((0, 1, 2, 2, 3, 3, 3, 4, 4, 5))
    operands = (choice.choice(OPERANDS).format(first, first + choice.choice((0, 1, 1, 3, 7))) for _ in range(count))
    return f"{choice.choice((*OPCODES, *MORE))} {', '.join(operands)} {choice.choice(MODIFIERS)}"


def run(text: str) -> None:
    memory = GlobalMemory()
    for kernel in AmdgcnModule.parse(text).kernels.values():
        arguments = b"".join(memory.allocate(4096).to_bytes(8, "little") for _ in range(kernel.parameter_bytes // 8))
        kernel.launch(memory, LaunchSettings((2, 1, 1), (64, 1, 1), arguments.ljust(kernel.parameter_bytes, b"\0")))


@pytest.mark.parametrize("seed", range(8))
def test_random_instructions(seed: int) -> None:
    choice = random.Random(seed)
    for _ in range(250):
        lines = "v_mov_b32_e32 v63, 0\nv_mov_b32_e32 v1, v0\n.Lb:\n" + line(choice) + "\n.La:"
        try:
            run(kernel_text(lines, choice.choice((*CHIPS, "gfx908", "gfx1010")), shared=512, private=64))
        except EmulationFault as fault:
            assert fault.kind


def damaged(text: str, choice: random.Random) -> str:
    lines = text.splitlines()
    n = choice.randrange(len(lines))
    words = re.split(r"([\s,]+)", lines[n])
    k = choice.randrange(len(words))
    match choice.randrange(5):
        case 0:
            del lines[n]
        case 1:
            lines[n] = "".join(words[:k] + words[k + 1 :])
        case 2:
            lines[n] = re.sub(
                r"\d+", lambda m: str(choice.choice((0, 1, 255, 1 << 31, 1 << 40, "", "x"))), lines[n], count=1
            )
        case 3:
            lines[n] = "".join([*words[:k], choice.choice(text.split()), *words[k + 1 :]])
        case _:
            lines[n] = lines[n][: choice.randrange(len(lines[n]) + 1)]
    return "\n".join(lines)


@pytest.mark.parametrize("chip", ["gfx90a", "gfx1201"])
def test_damaged_text(chip: str, compiled) -> None:
    """Read and translated only: damaged loops may have no end."""
    choice = random.Random(chip)
    text = compiled(programs.addition(), chip)
    for _ in range(150):
        try:
            AmdgcnModule.parse(damaged(text, choice))
        except EmulationFault as fault:
            assert fault.kind
