"""What a command line says, as frozen data; equality leaves out where it stood."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from irtui.grammar.problems import Span
from irtui.grammar.values import Value

__all__ = [
    "All",
    "AnyOf",
    "Assertion",
    "Command",
    "Comment",
    "Comparison",
    "Condition",
    "Fields",
    "Group",
    "Has",
    "Not",
    "Operand",
    "Output",
    "Pipeline",
    "Plain",
    "Quoted",
    "Ref",
    "Render",
    "Session",
    "Shell",
    "Sort",
    "Stage",
    "Statement",
    "Take",
    "Where",
    "Word",
]

_NOWHERE = Span(0, 0)


@dataclass(frozen=True, slots=True)
class Plain:
    """A stretch of a word without quotes; escapes are taken away. Holds no line break."""

    text: str


@dataclass(frozen=True, slots=True)
class Quoted:
    """A stretch in quotes, without them."""

    text: str
    double: bool = True


@dataclass(frozen=True, slots=True)
class Group:
    """What stands in the parentheses of ``field:(a|b)``, verbatim; balanced, its quotes closed."""

    text: str


@dataclass(frozen=True, slots=True)
class Ref:
    """``$name``, ``$1``, ``$1-3``, each with ``.field`` or without."""

    name: str
    until: int | None = None
    field: str = ""


Part: TypeAlias = "Plain | Quoted | Group | Ref"


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a line: parts that touch. ``raw`` is how it was written."""

    parts: tuple[Part, ...]
    span: Span = field(default=_NOWHERE, compare=False)
    raw: str = field(default="", compare=False)

    @property
    def ref(self) -> Ref | None:
        """The reference it is, when it is nothing else."""
        first = self.parts[0] if len(self.parts) == 1 else None
        return first if isinstance(first, Ref) else None

    @property
    def refs(self) -> tuple[Ref, ...]:
        """The references in it."""
        return tuple(part for part in self.parts if isinstance(part, Ref))

    @property
    def is_bare(self) -> bool:
        """Whether it begins without a quote, so that it may be an option or a keyword."""
        return bool(self.parts) and isinstance(self.parts[0], Plain)

    @property
    def is_option(self) -> bool:
        """Whether it is an option: a dash without quotes, and more."""
        return self.is_bare and len(self.text) > 1 and self.text.startswith("-")

    @property
    def text(self) -> str:
        """Its value: quotes and escapes taken away, references as they are written."""
        return "".join(_text_of(part) for part in self.parts)


def _text_of(part: Part) -> str:
    if isinstance(part, Group):
        return f"({part.text})"
    if isinstance(part, Ref):
        until = "" if part.until is None else f"-{part.until}"
        return f"${part.name}{until}{'.' if part.field else ''}{part.field}"
    return part.text


Operand: TypeAlias = "str | Ref"
"""The left side of a comparison: the name of a field, or a reference."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """``left operator right``; ``in`` has several values, every other operator one."""

    left: Operand
    operator: str
    right: tuple[Value | Ref, ...]
    span: Span = field(default=_NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Has:
    """``has field``: the field is there."""

    left: Operand
    span: Span = field(default=_NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Not:
    """``not condition``."""

    condition: Condition


@dataclass(frozen=True, slots=True)
class All:
    """``a and b``: at least two conditions that all hold."""

    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """``a or b``: at least two conditions of which one holds."""

    conditions: tuple[Condition, ...]


Condition: TypeAlias = "Comparison | Has | Not | All | AnyOf"


@dataclass(frozen=True, slots=True)
class Take:
    """``head n`` and ``tail n``."""

    end: Literal["head", "tail"]
    count: int
    span: Span = field(default=_NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Where:
    """``where condition``."""

    condition: Condition
    span: Span = field(default=_NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Sort:
    """``sort key``; the key does not begin with a dash."""

    key: str
    descending: bool = False
    span: Span = field(default=_NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Fields:
    """``fields a b``: at least one."""

    names: tuple[str, ...]
    span: Span = field(default=_NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Render:
    """A stage of one word: ``json``, ``ids``, ``count``, ``select``…"""

    name: str
    span: Span = field(default=_NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Shell:
    """``! command``: the rest of the line, for the system's shell."""

    command: str
    span: Span = field(default=_NOWHERE, compare=False)


Stage: TypeAlias = "Take | Where | Sort | Fields | Render | Shell"


@dataclass(frozen=True, slots=True)
class Command:
    """A verb and its words: options and arguments, in order."""

    verb: Word
    words: tuple[Word, ...] = ()


@dataclass(frozen=True, slots=True)
class Output:
    """``> path`` or ``>> path``."""

    path: Word
    append: bool = False


@dataclass(frozen=True, slots=True)
class Pipeline:
    """``name = command | stages > path``."""

    command: Command
    stages: tuple[Stage, ...] = ()
    output: Output | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """``:name words``: about the session, not the engine."""

    name: str
    words: tuple[Word, ...] = ()


@dataclass(frozen=True, slots=True)
class Assertion:
    """``assert condition``."""

    condition: Condition


@dataclass(frozen=True, slots=True)
class Comment:
    """``# text`` on a line of its own; the text begins with what follows the ``#``."""

    text: str


Statement: TypeAlias = "Pipeline | Session | Assertion | Comment"
