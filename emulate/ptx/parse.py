"""PTX text to its parsed form: what LLVM's NVPTX back end prints, and inline assembly inside it.

Statements end at `;`, labels at `:`; directives for debugging end with their line. Scopes `{ ... }` of inline
assembly may declare registers and labels of their own, which are renamed here so that later stages see flat names.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator

from ...support.dataclasses import dataclass, replace
from ..faults import EmulationFault
from ..machine.settings import Parameter
from .syntax import (
    Address,
    Immediate,
    Instruction,
    KernelText,
    ModuleText,
    Operand,
    Pair,
    Register,
    Sink,
    Special,
    Sum,
    Symbol,
    Target,
    Variable,
    Vector,
)
from .types import TYPES

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
_UNDEFINED = re.compile(r"//\s*implicit-def:\s*(%[\w$]+)")
_DEBUG_LINE = re.compile(r"^[ \t]*\.(?:file|loc)\b[^\n]*$", re.M)
_SECTION = re.compile(r"^[ \t]*\.section\s+\S+\s*\{[^}]*\}", re.M)
_NAME = r"[A-Za-z_$%][\w$]*"
_ENTRY = re.compile(rf"(?:\.(?:visible|weak)\s+)*\.entry\s+({_NAME})\s*(?:\((.*?)\))?\s*([^{{]*)\{{", re.S)
_FUNCTION = re.compile(r"(?:\.(?:visible|weak|extern)\s+)*\.func\b")
_VARIABLE = re.compile(
    rf"((?:\.(?:visible|weak|extern|common)\s+)*)\.(global|const|shared|local)\s+((?:\.\w+\s+(?:\d+\s+)?)*)({_NAME})"
    r"\s*(\[\s*\d*\s*\](?:\[\s*\d+\s*\])*)?\s*(?:=\s*(.*))?$",
    re.S,
)
_PARAMETER = re.compile(rf"\.param\s+(.*?)({_NAME})\s*(?:\[\s*(\d+)\s*\])?$", re.S)
_STATEMENT = re.compile(rf"(?:@(!?)\s*({_NAME})\s+)?([A-Za-z][\w.:]*)\s*(.*)$", re.S)
_REGISTER = re.compile(r"%(?:p|r[sdq]?|fd?)\d+$")
"""As LLVM names most of them; those of other names are found last."""
_SPECIAL = re.compile(
    r"%(?:tid|ntid|ctaid|nctaid|cluster_ctaid|cluster_nctaid|clusterid|nclusterid)\.[xyz]$"
    r"|%(?:laneid|warpid|nwarpid|smid|nsmid|gridid|clock|clock64|clock_hi|globaltimer|lanemask_(?:eq|lt|le|gt|ge)"
    r"|dynamic_smem_size|total_smem_size|cluster_ctarank|cluster_nctarank|aggr_smem_size)$"
)
_INTEGER = re.compile(r"[-+]?(?:0[xX][\da-fA-F]+|0[bB][01]+|\d+)U?$")


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match.group(0))


def _integer(text: str, line: int, base: int = 0) -> int:
    try:
        return int(text, base)
    except ValueError:
        raise syntax_fault(f"expected an integer, found {text!r}", line) from None


def syntax_fault(detail: str, line: int) -> EmulationFault:
    return EmulationFault("syntax", detail, instruction="", line=line)


def parse_module(text: str) -> ModuleText:
    """The whole file; raises `EmulationFault` of kind syntax or unsupported."""
    undefined = set(_UNDEFINED.findall(text))
    text = _COMMENT.sub(_blank, text)
    text = _SECTION.sub(_blank, text)
    text = _DEBUG_LINE.sub(_blank, text)
    module = ModuleText()
    position = 0
    while position < len(text):
        if text[position] in " \t\r\n;":
            position += 1
            continue
        position = _module_item(module, text, position, undefined)
    return module


def _module_item(module: ModuleText, text: str, position: int, undefined: set[str]) -> int:
    line = text.count("\n", 0, position) + 1
    entry = _ENTRY.match(text, position)
    if entry is not None:
        end = _closing(text, entry.end(), line)
        kernel = _KernelParser(text, entry, end, line).parse()
        kernel.undefined = undefined & set(kernel.registers)
        module.kernels[kernel.name] = kernel
        return end + 1
    if _FUNCTION.match(text, position):
        raise EmulationFault(
            "unsupported", "device functions are not emulated", instruction=_line_at(text, position), line=line
        )
    simple = re.compile(r"\.(version|target|address_size)\s+([^\n]*)").match(text, position)
    if simple is not None:
        if simple.group(1) == "version":
            module.version = simple.group(2).strip()
        elif simple.group(1) == "target":
            module.target = simple.group(2).split(",")[0].strip()
        return simple.end()
    end = text.find(";", position)
    if end < 0:
        raise syntax_fault(f"expected a module-level directive, found {_line_at(text, position)!r}", line)
    variable = parse_variable(text[position:end].strip(), line)
    if variable is not None:
        module.variables.setdefault(variable.name, variable)
    return end + 1


def _line_at(text: str, position: int) -> str:
    return text[position : (text.find("\n", position) + 1 or len(text) + 1) - 1].strip()


def _closing(text: str, position: int, line: int) -> int:
    depth = 1
    for match in re.compile(r"[{}]").finditer(text, position):
        depth += 1 if match.group(0) == "{" else -1
        if depth == 0:
            return match.start()
    raise syntax_fault("this body has no closing brace", line)


def parse_variable(statement: str, line: int) -> Variable | None:
    """A variable declaration without its semicolon; None for directives that do not matter here."""
    match = _VARIABLE.match(statement)
    if match is None:
        if statement.startswith((".pragma", ".noreturn", ".alias")):
            return None
        raise syntax_fault(f"expected a variable declaration, found {statement!r}", line)
    linkage, space, attributes, name, extent, initial = match.groups()
    aligned = re.search(r"\.align\s+(\d+)", attributes)
    element, lanes = _element_type(attributes, line)
    dimensions = [_integer(d, line) if d.strip() else 0 for d in re.findall(r"\[([^\]]*)\]", extent or "[1]")]
    count = 1
    for dimension in dimensions:
        count *= dimension
    values = tuple(_initial_value(v, line) for v in re.sub(r"[{}]", "", initial).split(",")) if initial else ()
    return Variable(
        name,
        space,
        element * lanes * (count or len(values)),
        max(int(aligned.group(1)), 1) if aligned else element * lanes,
        element,
        values,
        external="extern" in linkage,
    )


def _element_type(attributes: str, line: int) -> tuple[int, int]:
    names = re.findall(r"\.(\w+)", attributes)
    lanes = next((int(n[1]) for n in names if n in ("v2", "v4")), 1)
    element = next((TYPES[n].size for n in names if n in TYPES), None)
    if element is None:
        raise syntax_fault(f"expected a type among {attributes.strip()!r}", line)
    return element, lanes


def _initial_value(text: str, line: int) -> int | Symbol:
    text = text.strip()
    generic = re.match(r"generic\((.*)\)(.*)$", text)
    value = parse_operand(generic.group(1) + generic.group(2) if generic else text, line)
    if isinstance(value, Immediate):
        return value.value
    if isinstance(value, Symbol):
        return value
    raise syntax_fault(f"expected an initial value, found {text!r}", line)


def parse_operand(text: str, line: int) -> Operand:
    """One operand as written; plain names become symbols until the kernel knows its registers and labels."""
    text = text.strip()
    if _REGISTER.match(text):
        return Register(text)
    if text == "_":
        return Sink()
    if text.startswith("{"):
        return Vector(tuple(parse_operand(item, line) for item in split_operands(text[1:-1])))
    if text.startswith("["):
        place, *box = split_operands(text[1:-1].strip())
        coordinates = tuple(parse_operand(item, line) for part in box for item in split_operands(part.strip()[1:-1]))
        return replace(_parse_address(place, line), coordinates=coordinates)
    if "|" in text:
        first, second = text.split("|")
        return Pair(parse_operand(first, line), parse_operand(second, line))
    literal = _parse_literal(text, line)
    if literal is not None:
        return literal
    if text.startswith("!"):
        return Register(text[1:].strip(), negated=True)
    if _SPECIAL.match(text):
        return Special(text)
    if text.startswith("%"):
        name, plus, more = text.partition("+")
        return Sum(Register(name.strip()), _integer(more.strip(), line)) if plus else Register(text)
    match = re.match(rf"({_NAME})\s*(?:([-+])\s*(\d+))?$", text)
    if match is None:
        raise syntax_fault(f"expected an operand, found {text!r}", line)
    offset = int(match.group(3) or 0)
    return Symbol(match.group(1), -offset if match.group(2) == "-" else offset)


def _parse_literal(text: str, line: int) -> Immediate | None:
    if text[:2] in ("0f", "0F") and len(text) == 10:
        return Immediate(_integer(text[2:], line, 16), 32)
    if text[:2] in ("0d", "0D") and len(text) == 18:
        return Immediate(_integer(text[2:], line, 16), 64)
    if _INTEGER.match(text):
        digits = text.rstrip("U")
        octal = re.match(r"[-+]?0[0-7]+$", digits)
        return Immediate(_integer(digits, line, 8 if octal else 0))
    if re.match(r"[-+]?\d+\.\d*(?:[eE][-+]?\d+)?$", text):
        return Immediate(struct.unpack("<Q", struct.pack("<d", float(text)))[0], 64)
    return Immediate(32) if text == "WARP_SZ" else None


def _parse_address(text: str, line: int) -> Address:
    match = re.match(rf"({_NAME}|-?\d+|0[xX][\da-fA-F]+)\s*(?:\+\s*(-?(?:0[xX][\da-fA-F]+|\d+)))?$", text)
    if match is None:
        match = re.match(rf"({_NAME})\s*(-\s*\d+)$", text)
    if match is None:
        raise EmulationFault("unsupported", f"address form [{text}]", instruction=text, line=line)
    base = parse_operand(match.group(1), line)
    if not isinstance(base, Register | Symbol | Immediate):
        raise syntax_fault(f"expected an address, found {text!r}", line)
    return Address(base, int((match.group(2) or "0").replace(" ", ""), 0))


def split_operands(text: str) -> list[str]:
    """Split at commas outside braces and brackets."""
    parts: list[str] = []
    depth, start = 0, 0
    for position, character in enumerate(text):
        if character in "{[(":
            depth += 1
        elif character in "}])":
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(text[start:position].strip())
            start = position + 1
    tail = text[start:].strip()
    return [*parts, tail] if tail or parts else []


@dataclass
class _Scope:
    number: int
    names: dict[str, str]
    parent: _Scope | None

    def find(self, name: str) -> str | None:
        scope: _Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.parent
        return None

    def declare(self, name: str) -> str:
        self.names[name] = name if self.number == 0 else f"{name}#{self.number}"
        return self.names[name]


class _KernelParser:
    """Parses one entry point between its braces."""

    def __init__(self, text: str, entry: re.Match[str], end: int, line: int) -> None:
        self._text, self._begin, self._end = text, entry.end(), end
        self._kernel = KernelText(entry.group(1), line)
        self._kernel.parameters = _parse_parameters(entry.group(2) or "", line)
        self._read_limits(entry.group(3))
        self._scopes = 0
        self._operands: dict[tuple[int, str], Operand] = {}

    def _read_limits(self, directives: str) -> None:
        sizes = re.search(r"\.reqntid\s+(\d+(?:\s*,\s*\d+)*)", directives)
        limit = re.search(r"\.maxntid\s+(\d+(?:\s*,\s*\d+)*)", directives)
        if sizes is not None:
            x, y, z = ([int(v) for v in sizes.group(1).split(",")] + [1, 1])[:3]
            self._kernel.required_block = (x, y, z)
        cluster = re.search(r"\.reqnctapercluster\s+(\d+(?:\s*,\s*\d+)*)", directives)
        if cluster is not None:
            x, y, z = ([int(v) for v in cluster.group(1).split(",")] + [1, 1])[:3]
            self._kernel.cluster = (x, y, z)
        if limit is not None:
            total = 1
            for value in limit.group(1).split(","):
                total *= int(value)
            self._kernel.max_threads = total

    def parse(self) -> KernelText:
        pending: list[tuple[str, int, _Scope]] = []
        scope = _Scope(0, {}, None)
        for kind, text, line in self._pieces():
            if kind == "{":
                self._scopes += 1
                scope = _Scope(self._scopes, {}, scope)
            elif kind == "}":
                if scope.parent is None:
                    raise syntax_fault("unbalanced scope", line)
                scope = scope.parent
            elif kind == ":":
                pending.append((scope.declare(text) + ":", line, scope))
            elif text.startswith(".") and not text.startswith(".branchtargets"):
                self._declare(text, line, scope)
            else:
                pending.append((text, line, scope))
        self._resolve(pending)
        return self._kernel

    def _pieces(self) -> Iterator[tuple[str, str, int]]:
        """(kind, text, line): a scope brace, a label (`:`) or a statement (`;`)."""
        text, position, end = self._text, self._begin, self._end
        line = text.count("\n", 0, position) + 1
        token = re.compile(rf"({_NAME}):(?!:)|[{{}}]")
        while position < end:
            character = text[position]
            if character.isspace() or character == ";":
                line += character == "\n"
                position += 1
                continue
            match = token.match(text, position)
            if match is not None and match.end() <= end:
                yield (match.group(0), "", line) if match.group(1) is None else (":", match.group(1), line)
                position = match.end()
                continue
            stop = text.find(";", position, end)
            if stop < 0:
                raise syntax_fault(f"expected ';' after {_line_at(text, position)!r}", line)
            statement = text[position:stop]
            yield ";", " ".join(statement.split()), line
            line += statement.count("\n")
            position = stop + 1

    def _declare(self, text: str, line: int, scope: _Scope) -> None:
        if text.startswith(".reg"):
            match = re.match(r"\.reg\s+(?:\.v[24]\s+)?\.(\w+)\s+(.*)$", text)
            if match is None or match.group(1) not in TYPES:
                raise syntax_fault(f"expected a register declaration, found {text!r}", line)
            for item in split_operands(match.group(2)):
                self._declare_registers(item, match.group(1), scope)
        else:
            variable = parse_variable(text, line)
            if variable is not None:
                self._kernel.variables[scope.declare(variable.name)] = variable

    def _declare_registers(self, item: str, type_name: str, scope: _Scope) -> None:
        match = re.match(r"([\w$%]+)<(\d+)>$", item)
        names = [item] if match is None else [f"{match.group(1)}{i}" for i in range(int(match.group(2)))]
        for name in names:
            self._kernel.registers[scope.declare(name)] = type_name

    def _resolve(self, pending: list[tuple[str, int, _Scope]]) -> None:
        kernel = self._kernel
        for text, line, scope in pending:
            if text.endswith(":"):
                kernel.labels[text[:-1]] = len(kernel.instructions)
            elif text.startswith(".branchtargets"):
                table = max(kernel.labels, key=lambda name: (kernel.labels[name], list(kernel.labels).index(name)))
                targets = split_operands(text.removeprefix(".branchtargets"))
                kernel.branch_tables[table] = tuple(scope.find(t) or t for t in targets)
            else:
                kernel.instructions.append(self._instruction(text, line, scope))

    def _instruction(self, text: str, line: int, scope: _Scope) -> Instruction:
        match = _STATEMENT.match(text)
        if match is None:
            raise syntax_fault(f"expected an instruction, found {text!r}", line)
        negated, guard, dotted, rest = match.groups()
        opcode, *modifiers = dotted.replace("::", "_").split(".")
        if opcode == "call":
            raise EmulationFault("unsupported", "calls are not emulated", instruction=text, line=line)
        try:
            operands = tuple(self._operand(item, scope, line) for item in split_operands(rest))
            bound = self._register(guard, scope, line, negated == "!") if guard else None
        except EmulationFault as fault:
            raise EmulationFault(fault.kind, fault.detail, instruction=text, line=line) from None
        return Instruction(opcode, tuple(modifiers), operands, bound, line, text)

    def _operand(self, text: str, scope: _Scope, line: int) -> Operand:
        """What a scope calls so; most are named several times."""
        key = scope.number, text
        if key not in self._operands:
            self._operands[key] = self._bind(parse_operand(text, line), scope, line)
        return self._operands[key]

    def _register(self, name: str, scope: _Scope, line: int, negated: bool = False) -> Register:
        found = scope.find(name)
        if found is None or found not in self._kernel.registers:
            raise syntax_fault(f"register {name} is not declared", line)
        return Register(found, negated)

    def _bind(self, operand: Operand, scope: _Scope, line: int) -> Operand:
        match operand:
            case Register(name, negated):
                return self._register(name, scope, line, negated)
            case Sum(Register(name), offset):
                return Sum(self._register(name, scope, line), offset)
            case Symbol(name, offset):
                return self._bind_symbol(name, offset, scope)
            case Address(base, offset, coordinates):
                bound = self._bind(base, scope, line)
                assert isinstance(bound, Register | Symbol | Immediate)
                return Address(bound, offset, tuple(self._bind(item, scope, line) for item in coordinates))
            case Vector(items):
                return Vector(tuple(self._bind(item, scope, line) for item in items))
            case Pair(first, second):
                return Pair(self._bind(first, scope, line), self._bind(second, scope, line))
            case _:
                return operand

    def _bind_symbol(self, name: str, offset: int, scope: _Scope) -> Operand:
        found = scope.find(name)
        if found is None:
            return Symbol(name, offset)
        if found in self._kernel.registers:
            return Register(found)
        return Symbol(found, offset) if found in self._kernel.variables else Target(found)


def _parse_parameters(text: str, line: int) -> tuple[Parameter, ...]:
    parameters: list[Parameter] = []
    offset = 0
    for item in split_operands(text):
        match = _PARAMETER.match(item.strip())
        if match is None:
            raise syntax_fault(f"expected a parameter, found {item.strip()!r}", line)
        attributes, name, count = match.groups()
        # `.ptr .global .align 1` tells about the pointee: only the alignment before `.ptr` is the parameter's own.
        own = attributes.split(".ptr")[0]
        element, lanes = _element_type(own, line)
        aligned = re.search(r"\.align\s+(\d+)", own)
        alignment = max(int(aligned.group(1)), 1) if aligned else element * lanes
        size = element * lanes * int(count or 1)
        offset = -(-offset // alignment) * alignment
        parameters.append(Parameter(name, offset, size, alignment))
        offset += size
    return tuple(parameters)
