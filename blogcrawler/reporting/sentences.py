"""What the program says when it cannot do its job: one sentence on standard error, and an exit code."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

from scrapy.exceptions import UsageError

from blogcrawler.errors import BadArgument, BlogcrawlerError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["BEGINNING", "FAILED", "WRONG_USAGE", "end", "say", "told"]

BEGINNING = "blogcrawler: "
"""Of what is said to people."""
FAILED = 1
"""Exit code of what could not be done."""
WRONG_USAGE = 2
"""Exit code of what was asked for wrongly."""


def end(message: str, code: int) -> NoReturn:
    """Say why, and end the process with this exit code."""
    say(message)
    raise SystemExit(code)


def say(message: str) -> None:
    """Say what went wrong, in one line on standard error."""
    clean = "".join(character if character.isprintable() else " " for character in message)
    print(f"{BEGINNING}{clean}", file=sys.stderr)


@contextmanager
def told() -> Iterator[None]:
    """Tell the errors that are for users, and end the process."""
    try:
        yield
    except (UsageError, BadArgument) as error:
        end(str(error), WRONG_USAGE)
    except BlogcrawlerError as error:
        end(str(error), FAILED)
