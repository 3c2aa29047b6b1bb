"""Characters that HTML may hold but an XML tree may not: lxml refuses to have them set.

They are replaced, never removed: without its control character `<!--\\x01>` would be a whole comment, and what follows
markup.
"""

from __future__ import annotations

import re

_CONTROLS = bytes(code for code in range(0x20) if code not in b"\t\n\r")
_SPACES = bytes.maketrans(_CONTROLS, b" " * len(_CONTROLS))
_ILLEGAL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def legal_bytes(utf8: bytes) -> bytes:
    """UTF-8 text with spaces for control characters and U+FFFD for noncharacters."""
    text = utf8.translate(_SPACES)
    if b"\xef" not in text:
        return text
    return text.replace(b"\xef\xbf\xbe", b"\xef\xbf\xbd").replace(b"\xef\xbf\xbf", b"\xef\xbf\xbd")


def legal_text(text: str) -> str:
    """Text with spaces for all of these."""
    return _ILLEGAL.sub(" ", text)
