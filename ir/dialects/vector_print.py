"""vector: print, of a value, of a text or of punctuation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from ..attributes import EnumAttr, StringAttr
from ..core import Operation, Value
from ..define import attribute, optional_attribute, optional_operand, scalar_like
from ..messages import Message, Shown


class MessageOp(Operation):
    """Prints something: once for each owner that gets to it, in the order of its program."""

    pure = False

    @property
    def message(self) -> Message:
        """What, with the types of the values in it."""
        raise AssertionError

    @property
    def told(self) -> tuple[Value, ...]:
        """The values in it."""
        return self.operands


class PunctuationAttr(EnumAttr):
    """What `vector.print` prints behind a value, or alone."""

    mnemonic = "vector.punctuation"
    cases = ("no_punctuation", "newline", "comma", "open", "close")
    texts: ClassVar[Mapping[str, str]] = {"newline": "\n", "comma": ", ", "open": "( ", "close": " )"}

    @property
    def text(self) -> str:
        return self.texts.get(self.value, "")


PunctuationAttr.register()


class PrintOp(MessageOp, opname="vector.print"):
    """A value in nested parentheses, then the punctuation: a new line, if nothing else is said; or a text as it is."""

    pure = False
    source = optional_operand(scalar_like)
    stringLiteral = optional_attribute(StringAttr)
    punctuation = attribute(PunctuationAttr, default=PunctuationAttr("newline"))
    assembly = "($source^ `:` type($source))? (`str` $stringLiteral^)? (`punctuation` $punctuation^)? attr-dict"

    @property
    def message(self) -> Message:
        literal = self.stringLiteral
        last = self.punctuation.text if literal is None else literal.value
        values = () if self.source is None else (Shown("", self.source.type),)
        return (*values, last) if last else values
