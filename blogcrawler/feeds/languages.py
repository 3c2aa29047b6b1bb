"""Language tags as feeds and pages write them, to BCP 47 spelling (RFC 5646, section 2.1.1)."""

from __future__ import annotations

import re

_TAG = re.compile(r"([a-z]{2,3})((?:-[a-z0-9]{1,8}){0,6})", re.IGNORECASE)
_NO_LANGUAGE = frozenset(["und", "zxx", "mul", "mis"])


def language_tag(raw: str | None) -> str | None:
    """ "en_US" and "EN-us" are "en-US"; None where it is no tag, or the tag of no language."""
    match = _TAG.fullmatch((raw or "")[:60].strip().partition(".")[0].replace("_", "-"))
    if match is None or match[1].lower() in _NO_LANGUAGE:
        return None
    parts = [match[1].lower()]
    for part in match[2].split("-")[1:]:
        if len(part) == 2 and part.isalpha():
            parts.append(part.upper())
        else:
            parts.append(part.title() if len(part) == 4 and part.isalpha() else part.lower())
    return "-".join(parts)


def same_language(one: str | None, other: str | None) -> bool:
    """Do two tags name one language, whatever the region? Unknown is nobody's."""
    return bool(one and other) and str(one).partition("-")[0].lower() == str(other).partition("-")[0].lower()
