"""The user-visible messages in the source of the program."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from blogcrawler import errors

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = Path(errors.__file__).parent
VALUE = "x" * 20
"""Stands for each value that a message holds, such as a URL."""
LOG_METHODS = {"debug", "info", "warning", "error", "exception", "critical"}
PRINTING = {"say", "end", "show", "answer", "print", "UsageError", "CommandError", "Text"}
ERRORS = {name for name, value in vars(errors).items() if isinstance(value, type) and issubclass(value, Exception)}
HELP = {"Usage", "option"}
SENTENCE = re.compile(r"[A-Z][\w ].{20,}\.")
"""A message that a name stands for."""


@dataclass(frozen=True)
class Message:
    """A message and the place where it is written."""

    place: str
    text: str
    #: True for the help of a command or an option, which may be a paragraph
    is_help: bool


def messages() -> Iterator[Message]:
    """The messages of errors, log events, printed lines and help texts, with VALUE in the place of values."""
    for file in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and _is_message(node.func):
                arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
            elif isinstance(node, ast.Assign):
                arguments = [node.value]
            else:
                continue
            for text in (text for argument in arguments for text in _texts(argument)):
                if isinstance(node, ast.Call) or SENTENCE.fullmatch(text):
                    is_help = isinstance(node, ast.Call) and _is_help(node.func)
                    yield Message(f"{file.relative_to(PACKAGE.parent)}:{node.lineno}", text, is_help)


def _is_help(function: ast.expr) -> bool:
    return isinstance(function, ast.Name) and function.id in HELP


def _is_message(function: ast.expr) -> bool:
    if isinstance(function, ast.Attribute):
        return function.attr in LOG_METHODS
    return isinstance(function, ast.Name) and function.id in PRINTING | ERRORS | HELP


def _texts(node: ast.expr) -> Iterator[str]:
    """The texts of a literal, or those among which an expression chooses."""
    match node:
        case ast.Constant(value=str(text)):
            yield text.replace("%s", VALUE).replace("%d", VALUE)
        case ast.JoinedStr():
            yield "".join(part.value if isinstance(part, ast.Constant) else VALUE for part in node.values)
        case ast.IfExp():
            yield from _texts(node.body)
            yield from _texts(node.orelse)
        case ast.BinOp(op=ast.Add()):
            yield from (f"{left}{right}" for left in _texts(node.left) for right in _texts(node.right))
        case ast.Tuple() | ast.List():
            for part in node.elts:
                yield from _texts(part)
