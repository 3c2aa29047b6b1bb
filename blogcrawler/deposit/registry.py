"""Parses the one-line description of a repository in settings and commands."""

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
    "give invenio URL COMMUNITY, dspace URL COLLECTION, or your own repository class, as in "
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
            f"{collection!r} is not the number of a DSpace collection; give one such as "
            "1c11f3f1-ba1f-4f36-908a-3f1ea9a557eb, the last part of the collection's web address."
        ) from error
    return Dspace(_address(url), str(number), pace=pace)


_KINDS: dict[str, Callable[..., Repository]] = {"dspace": _dspace, "invenio": _invenio}


def repository_of(text: str, pace: Pace | None = None) -> Repository:
    """Create the repository that a text describes. Raises BadArgument."""
    name, *arguments = text.split() or [""]
    factory = _KINDS.get(name)
    if factory is None and not _CLASS.fullmatch(name):
        raise BadArgument(f"{name!r} is not a kind of repository; {HOW}.")
    try:
        repository = factory(pace, *arguments) if factory is not None else _class(name)(*arguments)
    except TypeError as error:
        raise BadArgument(f"{text!r} does not describe a repository ({error}); {HOW}.") from error
    except BlogcrawlerError:
        raise
    except Exception as error:  # custom classes may raise anything
        raise BadArgument(f"{text!r} cannot be used ({type(error).__name__}: {error}).") from error
    if not isinstance(repository, Repository) or not getattr(repository, "name", ""):
        raise BadArgument(f"{name} does not create a blogcrawler.deposit.Repository with a name.")
    return repository


def _class(path: str) -> Callable[..., object]:
    module, _, name = path.rpartition(".")
    try:
        attribute = getattr(import_module(module), name)
    except Exception as error:  # importing a module may raise anything
        raise BadArgument(f"{path} cannot be imported ({error}); {HOW}.") from error
    if not callable(attribute):
        raise BadArgument(f"{path} is not a class; {HOW}.")
    return attribute  # type: ignore[no-any-return]


def _address(url: str) -> str:
    """Check the address of a repository. Raises BadArgument."""
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address or parts.username is not None or parts.query or parts.fragment:
        raise BadArgument(
            f"{url!r} is not the address of a repository; give one such as https://repository.example.org."
        )
    return url.rstrip("/")
