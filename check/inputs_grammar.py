"""Reads `// lanewise.args` comments: which arrays and numbers a kernel is run on, and how many workgroups run.

    // lanewise.args @softmax M=300, N=1000:
    //   x = normal(M, N), y = empty(M, N), M, N;
    //   grid = ceildiv(M, 4)

    args       ::= ["@" name] [sizes ":"] [argument {"," argument}] [";" "grid" "=" grid]
    sizes      ::= name "=" expression {"," name "=" expression}
    argument   ::= [name "="] (generator | expression)
    generator  ::= name "(" [option {"," option}] ")"        option ::= expression | name "=" expression
    grid       ::= expression | "(" expression {"," expression} ")"
    expression ::= numbers and sizes with + - * // % ( ), ceildiv(a, b), min(a, ...), max(a, ...)

The comment goes on over the comment lines below it that begin with at least two spaces after `//`. In a file of Python
comments begin with `#`. Nothing is handed to Python's own evaluator.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NoReturn, TypeAlias

from ..ir.did_you_mean import did_you_mean
from ..support.dataclasses import dataclass
from ..support.diagnostics import Diagnostic, Location, ProgramError, Source

MAX_DEPTH = 64
MAX_TOKENS = 1000
MAX_MAGNITUDE = 2**63

Number: TypeAlias = int | float


class InputsError(ProgramError):
    """A `lanewise.args` text is wrong, or does not fit its kernel."""


def fail(location: Location, message: str, hint: str = "") -> NoReturn:
    raise InputsError([Diagnostic(message, location, hint=hint)])


@dataclass(frozen=True, slots=True)
class Literal:
    value: Number
    location: Location


@dataclass(frozen=True, slots=True)
class Name:
    name: str
    location: Location


@dataclass(frozen=True, slots=True)
class Binary:
    operator: str
    left: Expression
    right: Expression
    location: Location


@dataclass(frozen=True, slots=True)
class Call:
    """`function(positional, name=named)`: arithmetic, or what makes an array."""

    function: str
    positional: tuple[Expression, ...]
    named: tuple[tuple[str, Expression], ...]
    location: Location


Expression: TypeAlias = Literal | Name | Binary | Call


@dataclass(frozen=True, slots=True)
class Item:
    """`name = value`, or a value alone."""

    name: str | None
    value: Expression
    location: Location


@dataclass(frozen=True, slots=True)
class InputsText:
    """What one comment says. `kernel` is None where the comment names none; `grid` has one to three expressions."""

    kernel: str | None
    sizes: tuple[Item, ...]
    arguments: tuple[Item, ...]
    grid: tuple[Expression, ...]
    location: Location


# Evaluation


def evaluate(expression: Expression, names: Mapping[str, Number]) -> Number:
    """The value of an expression; raises InputsError for an unknown name, a division by zero or a huge result."""
    match expression:
        case Literal(value=value):
            return value
        case Name(name=name, location=location):
            if name not in names:
                known = ", ".join(names) or "none"
                hint = did_you_mean(name, names, "sizes stand before ':', as in 'M=300, N=8:'")
                fail(location, f"unknown size '{name}'; known: {known}", hint)
            return names[name]
        case Binary(operator=operator, location=location):
            operands = [evaluate(expression.left, names), evaluate(expression.right, names)]
            return _checked(_OPERATORS[operator], operands, location)
        case Call(function=name, location=location):
            if name not in _FUNCTIONS or expression.named:
                known, hint = ", ".join(_FUNCTIONS), did_you_mean(name, _FUNCTIONS)
                fail(location, f"'{name}(...)' is no arithmetic; it has {known}", hint)
            operands = [evaluate(operand, names) for operand in expression.positional]
            if len(operands) < 2 or (name == "ceildiv" and len(operands) > 2):
                fail(location, f"'{name}' takes {'two' if name == 'ceildiv' else 'two or more'} numbers")
            return _checked(_FUNCTIONS[name], operands, location)


def evaluate_integer(expression: Expression, names: Mapping[str, Number], what: str, least: int = 0) -> int:
    """The value of an expression that has to be an integer of at least `least`."""
    value = evaluate(expression, names)
    if not isinstance(value, int) or value < least:
        fail(expression.location, f"{what} must be an integer >= {least}, found {value}")
    return value


def _checked(function: Callable[..., Number], operands: Sequence[Number], location: Location) -> Number:
    try:
        value = function(*operands)
    except ZeroDivisionError:
        fail(location, "division by zero")
    except OverflowError:
        fail(location, "the result is too large")
    if isinstance(value, int) and abs(value) >= MAX_MAGNITUDE:
        fail(location, f"the result {value} does not fit into 64 bits")
    return value


def _ceildiv(a: Number, b: Number) -> Number:
    return -(-a // b)


_FUNCTIONS: Mapping[str, Callable[..., Number]] = {"ceildiv": _ceildiv, "min": min, "max": max}
_OPERATORS: Mapping[str, Callable[[Number, Number], Number]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
}
_PRECEDENCE: Sequence[tuple[str, ...]] = (("+", "-"), ("*", "//", "%"))


# Reading


class _Comments:
    """How the comments of a language begin, and go on.

    Attributes:
        sign: Their sign.
    """

    def __init__(self, sign: str) -> None:
        self.sign = sign
        self.begins = re.compile(rf"^[ \t]*{sign}[ \t]*lanewise\.args\b", re.MULTILINE)
        self.goes_on = re.compile(rf"\n[ \t]*{sign}(?=[ \t]{{2,}}\S)[^\n]*")
        self.next_line = re.compile(rf"\n[ \t]*{sign}")
        self.further = re.compile(rf"\n[ \t]*{sign}[ \t]?\S")


_OF_MLIR, _OF_PYTHON = _Comments("//"), _Comments("#")


def _comments_of(source: Source) -> _Comments:
    return _OF_PYTHON if source.name.endswith(".py") else _OF_MLIR


_TOKEN = re.compile(
    r"(?P<number>(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][+-]?\d+)?|\d+)|(?P<word>[A-Za-z_]\w*)|(?P<mark>//|[-+*%(),;:=@])"
)


def read_comments(source: Source) -> list[InputsText]:
    """Every `lanewise.args` comment of a program's text, in order."""
    return [_parse(source, start, end) for start, end in _comments(source)]


def read_inputs(text: str, name: str = "<args>") -> InputsText:
    """A text of the same form that stands alone, without `lanewise.args`."""
    return _parse(Source(text, name), 0, len(text))


def inputs_of(comments: Sequence[InputsText], kernel: str) -> InputsText | None:
    """The comment for a kernel: the one that names it, else one that names none."""
    exact = [comment for comment in comments if comment.kernel == kernel]
    return next(iter(exact or [comment for comment in comments if comment.kernel is None]), None)


def _comments(source: Source) -> Iterator[tuple[int, int]]:
    text, comments = source.text, _comments_of(source)
    for mark in comments.begins.finditer(text):
        end = text.find("\n", mark.end())
        end = len(text) if end < 0 else end
        while more := comments.goes_on.match(text, end):
            end = more.end()
        yield mark.end(), end


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    location: Location


def _tokens(source: Source, start: int, end: int) -> list[_Token]:
    # The marks of continuation lines are blanked, not cut out, so that every offset stays that of the source.
    text = _comments_of(source).next_line.sub(lambda m: " " * len(m[0]), source.text[start:end])
    tokens: list[_Token] = []
    position = 0
    while position < len(text):
        if text[position].isspace():
            position += 1
            continue
        location = Location(source, start + position)
        match = _TOKEN.match(text, position)
        if match is None:
            hint = "a // b divides and rounds down, ceildiv(a, b) rounds up" if text[position] == "/" else ""
            fail(location, f"unexpected character {text[position]!r}", hint)
        if len(tokens) == MAX_TOKENS:
            fail(location, f"more than {MAX_TOKENS} words and signs")
        tokens.append(_Token(str(match.lastgroup), match[0], location))
        position = match.end()
    return [*tokens, _Token("end", "the end of the text", Location(source, end))]


_ORDER = "sizes stand before ':', arguments behind it, the grid behind ';'"


def _goes_on(token: _Token) -> str:
    """What an end that comes too soon may be: a line below was meant to belong to the comment."""
    source = token.location.source
    comments = _comments_of(source)
    if token.kind != "end" or not comments.further.match(source.text, token.location.offset):
        return ""
    return f"the comment goes on over lines that begin with two spaces behind '{comments.sign}'"


def _parse(source: Source, start: int, end: int) -> InputsText:
    return _Reader(_tokens(source, start, end)).inputs()


class _Reader:
    """Recursive descent over the tokens of one comment."""

    def __init__(self, tokens: Sequence[_Token]) -> None:
        self._tokens = tokens
        self._position = 0
        self._depth = 0

    @property
    def _token(self) -> _Token:
        return self._tokens[self._position]

    def _next(self) -> _Token:
        token = self._token
        self._position += token.kind != "end"
        return token

    def _accept(self, *texts: str) -> _Token | None:
        return self._next() if self._token.kind == "mark" and self._token.text in texts else None

    def _expect(self, kind: str, what: str) -> _Token:
        token = self._next()
        if kind not in (token.kind, token.text):
            fail(token.location, f"expected {what}, found '{token.text}'", _goes_on(token))
        return token

    def inputs(self) -> InputsText:
        location = self._token.location
        kernel = self._expect("word", "a kernel's name").text if self._accept("@") else None
        items = self._items()
        sizes: list[Item] = []
        if self._accept(":"):
            sizes, items = items, self._items()
        for item in sizes:
            if item.name is None:
                fail(item.location, "before ':' stand sizes, as in 'M=300, N=1000:'")
        grid = self._grid() if self._accept(";") else ()
        if self._token.kind != "end":
            hint = _ORDER if self._token.text == ":" else ""
            fail(self._token.location, f"expected ',' or ';', found '{self._token.text}'", hint)
        return InputsText(kernel, tuple(sizes), tuple(items), grid, location)

    def _items(self) -> list[Item]:
        if self._token.kind == "end" or self._token.text in ":;":
            return []
        items = [self._item()]
        while self._accept(","):
            items.append(self._item())
        return items

    def _item(self) -> Item:
        location = self._token.location
        return Item(self._optional_name(), self._expression(), location)

    def _optional_name(self) -> str | None:
        following = self._tokens[min(self._position + 1, len(self._tokens) - 1)]
        if self._token.kind != "word" or following.text != "=":
            return None
        name = self._next().text
        self._next()
        return name

    def _grid(self) -> tuple[Expression, ...]:
        if self._token.text != "grid":
            hint = _goes_on(self._token) or _ORDER
            fail(self._token.location, f"expected 'grid = ...', found '{self._token.text}'", hint)
        self._next()
        self._expect("=", "'='")
        opening = self._position
        if self._accept("("):
            extents = [self._expression()]
            while self._accept(","):
                extents.append(self._expression())
            closing = self._expect(")", "')'")
            if len(extents) > 3:
                fail(closing.location, f"a grid has at most three extents, found {len(extents)}")
            if len(extents) > 1 or self._token.kind == "end":
                return tuple(extents)
        self._position = opening
        return (self._expression(),)

    # Expressions

    def _expression(self, level: int = 0) -> Expression:
        if level == len(_PRECEDENCE):
            return self._factor()
        left = self._expression(level + 1)
        while operator := self._accept(*_PRECEDENCE[level]):
            left = Binary(operator.text, left, self._expression(level + 1), operator.location)
        return left

    def _factor(self) -> Expression:
        token = self._next()
        self._depth += 1
        if self._depth > MAX_DEPTH:
            fail(token.location, f"nested more than {MAX_DEPTH} deep")
        result = self._factor_after(token)
        self._depth -= 1
        return result

    def _factor_after(self, token: _Token) -> Expression:
        if token.kind == "number":
            return Literal(_number(token), token.location)
        if token.kind == "word":
            return self._call(token) if self._accept("(") else Name(token.text, token.location)
        if token.text == "-":
            return Binary("-", Literal(0, token.location), self._factor(), token.location)
        if token.text == "(":
            inner = self._expression()
            self._expect(")", "')'")
            return inner
        fail(token.location, f"expected a number or a name, found '{token.text}'", _goes_on(token))

    def _call(self, function: _Token) -> Call:
        positional: list[Expression] = []
        named: list[tuple[str, Expression]] = []
        while not self._accept(")"):
            if positional or named:
                self._expect(",", "',' or ')'")
            location, name = self._token.location, self._optional_name()
            value = self._expression()
            if name is not None:
                named.append((name, value))
            elif named:
                fail(location, "extents stand before named options")
            else:
                positional.append(value)
        return Call(function.text, tuple(positional), tuple(named), function.location)


def _number(token: _Token) -> Number:
    if not token.text.isdigit():
        return float(token.text)
    if len(token.text) > 19 or int(token.text) >= MAX_MAGNITUDE:
        fail(token.location, f"{token.text[:24]} does not fit into 64 bits")
    return int(token.text)
