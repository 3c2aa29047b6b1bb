"""What the program says when it cannot do its job: one sentence on standard error, and an exit code."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn, TextIO

from scrapy.exceptions import UsageError

from blogcrawler.errors import BadArgument, BlogcrawlerError, TemporaryFailure

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["BEGINNING", "FAILED", "TEMPORARY_FAILURE", "WRONG_USAGE", "end", "say", "show", "told"]

BEGINNING = "blogcrawler: "
"""Of what is said to people."""
FAILED = 1
"""Exit code of what could not be done."""
WRONG_USAGE = 2
"""Exit code of what was asked for wrongly."""
TEMPORARY_FAILURE = 75
"""Exit code of a crawl that could not go on for no fault of its blog: EX_TEMPFAIL of sysexits.h."""


def end(message: str, code: int) -> NoReturn:
    """Say why, and end the process with this exit code."""
    say(message)
    raise SystemExit(code)


def say(message: str) -> None:
    """Say what went wrong, in one line on standard error."""
    show(f"{BEGINNING}{message}", sys.stderr)


def show(line: str, stream: TextIO) -> None:
    """Write a line, without what cannot be printed; nothing more where nobody reads it, as on a closed terminal."""
    try:
        print("".join(character if character.isprintable() else " " for character in line), file=stream, flush=True)
    except OSError:
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, stream.fileno())
        os.close(nothing)


@contextmanager
def told(*, temporary: int = FAILED) -> Iterator[None]:
    """Tell the errors that are for users, and end the process; `temporary` is the code where no blog is at fault."""
    try:
        yield
    except (UsageError, BadArgument) as error:
        end(str(error), WRONG_USAGE)
    except TemporaryFailure as error:
        end(str(error), temporary)
    except BlogcrawlerError as error:
        end(str(error), FAILED)
