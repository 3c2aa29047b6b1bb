"""Turns errors into messages and exit codes of a command."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError

from blogcrawler.errors import TEMPORARY, BadArgument, BlogcrawlerError, OutOfMemory
from blogcrawler.sentences import FAILED, WRONG_USAGE, end, say

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def exit_on_error(*, temporary: int = FAILED) -> Iterator[None]:
    """Report an error in one sentence and exit; `temporary` is the exit code of failures outside the blog."""
    try:
        yield
    except (UsageError, BadArgument) as error:
        end(str(error), WRONG_USAGE)
    except OutOfMemory as error:
        say(str(error))
        sys.stdout.flush()
        os._exit(temporary)  # a regular exit needs memory
    except TEMPORARY as error:
        end(str(error), temporary)
    except BlogcrawlerError as error:
        end(str(error), FAILED)
