"""Repositories by what a setting or a command says of them, in one line."""

from __future__ import annotations

import re
import uuid
from importlib import import_module
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from blogcrawler.deposit.dspace import Dspace
from blogcrawler.deposit.invenio import Invenio
from blogcrawler.deposit.repository import Repository
from blogcrawler.errors import BadArgument, BlogcrawlerError

if TYPE_CHECKING:
    from collections.abc import Callable

    from blogcrawler.deposit.client import Pace

HOW = (
    "say invenio URL COMMUNITY, dspace URL COLLECTION, or the class of a repository of your own, as in "
    "invenio https://repository.example.org my-community"
)
_CLASS = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")


def _invenio(pace: Pace | None, url: str, community: str | None = None) -> Repository:
    return Invenio(_address(url), community, pace=pace)


def _dspace(pace: Pace | None, url: str, collection: str) -> Repository:
    try:
        number = uuid.UUID(collection)
    except ValueError as error:
        raise BadArgument(
            f"{collection!r} is no collection of a DSpace; give its number, as in "
            "1c11f3f1-ba1f-4f36-908a-3f1ea9a557eb, which is the end of its address there."
        ) from error
    return Dspace(_address(url), str(number), pace=pace)


_KINDS: dict[str, Callable[..., Repository]] = {"dspace": _dspace, "invenio": _invenio}


def repository_of(text: str, pace: Pace | None = None) -> Repository:
    """The repository that a text names. Raises BadArgument."""
    name, *arguments = text.split() or [""]
    made = _KINDS.get(name)
    if made is None and not _CLASS.fullmatch(name):
        raise BadArgument(f"{name!r} is no kind of repository; {HOW}.")
    try:
        found = made(pace, *arguments) if made is not None else _class(name)(*arguments)
    except TypeError as error:
        raise BadArgument(f"{text!r} does not say a repository ({error}); {HOW}.") from error
    except BlogcrawlerError:
        raise
    except Exception as error:  # a class of somebody's own may raise anything
        raise BadArgument(f"{text!r} cannot be used ({type(error).__name__}: {error}).") from error
    if not isinstance(found, Repository) or not getattr(found, "name", ""):
        raise BadArgument(f"{name} makes no blogcrawler.deposit.Repository with a name.")
    return found


def _class(path: str) -> Callable[..., object]:
    module, _, name = path.rpartition(".")
    try:
        found = getattr(import_module(module), name)
    except Exception as error:  # what is imported may raise anything
        raise BadArgument(f"{path} cannot be imported ({error}); {HOW}.") from error
    if not callable(found):
        raise BadArgument(f"{path} is no class; {HOW}.")
    return found  # type: ignore[no-any-return]


def _address(url: str) -> str:
    """The address of a repository. Raises BadArgument."""
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address or parts.username is not None or parts.query or parts.fragment:
        raise BadArgument(f"{url!r} is no address of a repository; give one such as https://repository.example.org.")
    return url.rstrip("/")
