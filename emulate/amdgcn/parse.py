"""AMDGCN assembly text to its parsed form: sections, kernels, directives, constants."""

from __future__ import annotations

import re

from ..faults import EmulationFault
from .metadata import parse_metadata
from .operands import parse_operand, split_commas, split_words
from .syntax import Data, Instruction, KernelText, Metadata, ModuleText, Operand, words

_TARGET = re.compile(r'\.amdgcn_target\s+"[^"]*-(gfx[0-9a-f]+)(?::[^"]*)?"')
_DIRECTIVE = re.compile(r"\.amdhsa_(\w+)\s+(.*)")
_LABEL = re.compile(r"([A-Za-z_.$][\w.$]*):$")
_SUFFIX = re.compile(r"_(e32|e64|sdwa|dpp|e64_dpp|dpp8|e64_dpp8)$")
_MODIFIER = re.compile(r"([a-z]\w*):(.+)$")
_INTEGER_DATA = {".byte": 1, ".short": 2, ".2byte": 2, ".long": 4, ".4byte": 4, ".quad": 8, ".8byte": 8}
_COMMENT = re.compile(r"\s*/\*.*?\*/")
"""Within a line, as LLVM writes behind registers from v256 on."""
_WHOLE = frozenset(
    words(
        "s_waitcnt s_delay_alu s_waitcnt_depctr s_wait_alu s_sendmsg s_sendmsg_rtn_b32 s_getreg_b32 s_setreg_b32 "
        "s_setreg_imm32_b32 s_clause s_nop s_sethalt s_ttracedata_imm"
    )
)
"""Opcodes whose operands have a syntax of their own: kept as text under the modifier "raw"."""
_MOST_DATA = 1 << 28
_ESCAPES = {"n": 10, "t": 9, "r": 13, "b": 8, "f": 12}


class _Reader:
    def __init__(self, text: str) -> None:
        self._lines = text.splitlines()
        self._number = 0
        self._target = ""
        self._section = ".text"
        self._alignment = 1
        self._code: dict[str, tuple[list[Instruction], dict[str, int]]] = {}
        self._functions: set[str] = set()
        self._current: str | None = None
        self._data: dict[str, Data] = {}
        self._item: Data | None = None
        self._directives: dict[str, dict[str, int]] = {}
        self._sets: dict[str, int] = {}
        self._metadata: dict[str, Metadata] = {}

    def fail(self, kind: str, detail: str) -> EmulationFault:
        line = self._lines[self._number - 1].strip() if self._number else None
        return EmulationFault(kind, detail, instruction=line, line=self._number or None)

    def read(self) -> ModuleText:
        while self._number < len(self._lines):
            line = self._next()
            if line.startswith(".amdhsa_kernel"):
                self._read_directives(line.split()[1])
            elif line.startswith(".amdgpu_metadata"):
                self._read_metadata()
            elif line:
                self._read_line(line)
        return self._module()

    def _next(self) -> str:
        raw = self._lines[self._number]
        self._number += 1
        if '"' in raw:
            return raw.strip()
        return _COMMENT.sub("", raw.partition(";")[0]).partition("//")[0].strip()

    def _module(self) -> ModuleText:
        self._number = 0
        if not self._target:
            raise self.fail("syntax", "no .amdgcn_target directive")
        kernels: dict[str, KernelText] = {}
        for name, directives in self._directives.items():
            if name not in self._code:
                raise self.fail("syntax", f"kernel {name} has no code")
            instructions, labels = self._code[name]
            kernels[name] = KernelText(name, directives, self._metadata.get(name, Metadata()), instructions, labels)
        return ModuleText(self._target, kernels, self._data)

    # ---- blocks of directives ----

    def _read_directives(self, name: str) -> None:
        found: dict[str, int] = {}
        while True:
            if self._number >= len(self._lines):
                raise self.fail("syntax", f"kernel descriptor of {name} does not end")
            line = self._next()
            if line.startswith(".end_amdhsa_kernel"):
                break
            if match := _DIRECTIVE.match(line):
                found[match[1]] = self._value(match[2])
        self._directives[name] = found

    def _value(self, text: str) -> int:
        try:
            return int(text, 0)
        except ValueError:
            return self._sets.get(text, 0)

    def _read_metadata(self) -> None:
        start = self._number
        while self._number < len(self._lines) and ".end_amdgpu_metadata" not in self._lines[self._number]:
            self._number += 1
        self._metadata = parse_metadata(self._lines[start : self._number])
        self._number += 1

    # ---- lines ----

    def _read_line(self, line: str) -> None:
        if label := _LABEL.match(line):
            self._label(label[1])
        elif line.startswith("."):
            self._directive(line)
        elif self._current is not None and self._in_code():
            self._instruction(line)
        else:
            raise self.fail("syntax", "an instruction outside of a function")

    def _in_code(self) -> bool:
        return self._section.startswith(".text")

    def _label(self, name: str) -> None:
        if name in self._functions:
            self._code[name] = ([], {})
            self._current = name
            self._item = None
        elif self._in_code() and self._current is not None:
            instructions, labels = self._code[self._current]
            labels[name] = len(instructions)
        elif not self._in_code():
            self._item = self._data[name] = Data(name, self._alignment)
        self._alignment = 1

    def _directive(self, line: str) -> None:
        name, _, rest = line.partition(" ") if "\t" not in line else line.partition("\t")
        rest = rest.strip()
        if target := _TARGET.match(line):
            self._target = target[1]
        elif name == ".type" and rest.endswith("@function"):
            self._functions.add(rest.partition(",")[0])
        elif name in (".text", ".data", ".bss"):
            self._section = name
            self._item = None
        elif name == ".section":
            self._section = rest.partition(",")[0].strip()
            self._item = None
        elif name == ".p2align":
            self._alignment = 1 << min(self._integer(rest.partition(",")[0]), 16)
        elif name == ".set":
            key, _, value = rest.partition(",")
            self._sets[key.strip()] = self._value(value.strip())
        elif self._item is not None and not self._in_code():
            self._add_data(name, rest)

    def _add_data(self, name: str, rest: str) -> None:
        assert self._item is not None
        if name in _INTEGER_DATA:
            size = _INTEGER_DATA[name]
            for part in rest.split(","):
                self._item.pieces.append(self._datum(part.strip(), size))
        elif name in (".ascii", ".asciz"):
            self._item.pieces.append(_string(rest) + (b"\0" if name == ".asciz" else b""))
        elif name in (".zero", ".space", ".skip"):
            count, _, fill = rest.partition(",")
            self._item.pieces.append(bytes([self._integer(fill or "0") & 0xFF]) * self._size(count))

    def _integer(self, text: str) -> int:
        try:
            return int(text, 0)
        except ValueError:
            raise self.fail("syntax", f"{text!r} is no integer") from None

    def _size(self, text: str) -> int:
        size = self._integer(text)
        if not 0 <= size <= _MOST_DATA:
            raise self.fail("unsupported", f"{size} bytes of data")
        return size

    def _datum(self, text: str, size: int) -> bytes | tuple[str, int]:
        try:
            return (int(text, 0) & ((1 << 8 * size) - 1)).to_bytes(size, "little")
        except ValueError:
            if size != 8:
                raise self.fail("unsupported", f"constant {text!r}") from None
            name, _, addend = text.partition("+")
            return name, self._integer(addend or "0")

    def _instruction(self, line: str) -> None:
        assert self._current is not None
        first, *second = (self._decode(part.strip(), line) for part in line.split(" :: "))
        if second:
            first = Instruction(
                first.opcode, first.operands, first.modifiers, first.line, line, first.encoding, second[0]
            )
        self._code[self._current][0].append(first)

    def _decode(self, text: str, line: str) -> Instruction:
        name, _, rest = text.partition(" ") if "\t" not in text else text.partition("\t")
        suffix = _SUFFIX.search(name)
        opcode = name[: suffix.start()] if suffix else name
        encoding = suffix[1] if suffix else ""
        if opcode in _WHOLE:
            return Instruction(opcode, (), {"raw": rest.strip()}, self._number, line, encoding)
        operands: list[Operand] = []
        modifiers: dict[str, str] = {}
        for part in split_commas(rest):
            words = split_words(part)
            for position, word in enumerate(words):
                if match := _MODIFIER.match(word):
                    modifiers[match[1]] = match[2]
                elif position > 0:
                    modifiers[word] = ""
                else:
                    operands.append(parse_operand(word, lambda detail: self.fail("syntax", detail)))
        return Instruction(opcode, tuple(operands), modifiers, self._number, line, encoding)


def _string(text: str) -> bytes:
    out = bytearray()
    body = text.strip()[1:-1].encode("latin-1")
    position = 0
    while position < len(body):
        byte = body[position]
        position += 1
        if byte != ord("\\"):
            out.append(byte)
            continue
        octal = re.match(rb"[0-7]{1,3}", body[position:])
        if octal:
            out.append(int(octal[0], 8) & 0xFF)
            position += len(octal[0])
        else:
            out.append(_ESCAPES.get(chr(body[position]), body[position]))
            position += 1
    return bytes(out)


def parse_module(text: str) -> ModuleText:
    """Raises `EmulationFault` of kind syntax or unsupported, with the line."""
    return _Reader(text).read()
