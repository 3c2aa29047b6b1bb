"""Names of people as feeds write them: with and without e-mail addresses, as markup, as a template's failure."""

from __future__ import annotations

import re

from .texts import title_text

_MAX_NAME = 300
_ADDRESS = r"(?:mailto:)?[^\s@<>()]{1,100}@[^\s@<>()]{1,200}\.[^\s@<>().]{2,30}"
_ONLY_ADDRESS = re.compile(rf"[<(]?{_ADDRESS}[>)]?")
_ADDRESS_FIRST = re.compile(rf"[<(]?{_ADDRESS}[>)]?[\s,;:-]{{0,9}}(.{{0,300}})", re.DOTALL)
_ADDRESS_LAST = re.compile(rf"([^@]{{1,300}}?)\s{{0,9}}[<(]{_ADDRESS}[>)]", re.DOTALL)
#: what templates print for a value that is not there
_NOTHING = frozenset(["undefined", "null", "none", "nil", "nan", "[object object]", "false", "true"])


def person_name(raw: str) -> str:
    """The name in `raw`, or "" where it holds an address alone, or none.

    "mail@example.org (Ann B)" and "Ann B <mail@example.org>" are "Ann B" (RFC 822, section 6.1).
    """
    text = raw[: 2 * _MAX_NAME].strip()
    if _ONLY_ADDRESS.fullmatch(text):
        return ""
    if found := _ADDRESS_FIRST.fullmatch(text):
        text = _unwrapped(found[1])
    elif found := _ADDRESS_LAST.fullmatch(text):
        text = found[1]
    name = title_text(text)[:_MAX_NAME].strip(' \t\r\n,;"')
    return "" if name.casefold() in _NOTHING or _ONLY_ADDRESS.fullmatch(name) else name


def _unwrapped(text: str) -> str:
    text = text.strip()
    return text[1:-1] if text.startswith("(") and text.endswith(")") else text
