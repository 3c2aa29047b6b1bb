"""Record what a crawl learns beyond the rows of its frontier, so that it can be resumed after an interruption.

Each call of certain methods is written to the archive as a command in JSON: owner, method and arguments. A resumed
crawl makes the same calls again, and so learns the same.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from blogcrawler.crawl.duplicates import ComparableContent
from blogcrawler.frontier import Frontier, Link, Observation
from blogcrawler.serialise import load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from blogcrawler.backend import Archive
    from blogcrawler.backend.frontier_store import SqlFrontierStore

Command = list[Any]
"""[owner, method, [arguments], {named arguments}]"""
OBSERVATION = ["frontier", "lesson"]
"""Owner and method of the command that holds an observation for the frontier."""
AT_A_TIME = 100
"""Number of commands that are repeated before other tasks of the event loop may run."""
TO_JSON: dict[type, tuple[str, Callable[[Any], Any]]] = {
    Link: ("link", asdict),
    ComparableContent: ("shown", ComparableContent.to_dict),
    Observation: ("lesson", Observation.to_dict),
}
"""For arguments that are not JSON types: their name, and the function that converts them."""
FROM_JSON: dict[str, Callable[[Any], Any]] = {
    "link": lambda data: load(Link, data),
    "shown": ComparableContent.from_dict,
    "lesson": Observation.from_dict,
}


class Journal:
    """Records calls of the methods that it follows, and repeats recorded calls."""

    def __init__(self) -> None:
        #: recorded commands that are not written yet
        self.unsaved: list[Command] = []
        self._is_silent = False
        self._actors: dict[tuple[str, str], Callable[..., Any]] = {}

    def follow(self, name: str, owner: object, *methods: str) -> None:
        """Record each call of these methods from now on, except calls that are made by another recorded call."""
        for method in methods:
            original = getattr(owner, method)
            self._actors[name, method] = original
            setattr(owner, method, self._noted(name, method, original))

    def on(self, name: str, method: str, do: Callable[..., Any]) -> None:
        """Call `do` instead of a method when a recorded call of it is repeated."""
        self._actors[name, method] = do

    def note(self, name: str, method: str, *arguments: Any) -> None:  # noqa: ANN401
        """Record a call that no followed method makes."""
        if not self._is_silent:
            self.unsaved.append([name, method, _to_json(arguments), {}])

    async def repeat(self, commands: Iterable[Command]) -> None:
        """Repeat the calls of an earlier run of the crawl whose methods are known here.

        Observations of pages are left out; `open_frontier` loads them. O(n).
        """
        for count, command in enumerate(commands, 1):
            if command[0] != OBSERVATION[0]:
                with suppress(TypeError, KeyError, ValueError, AttributeError):  # written by another version
                    self._repeat(*command)
            if count % AT_A_TIME == 0:
                await asyncio.sleep(0)

    def _repeat(self, name: str, method: str, arguments: list[Any], named: Mapping[str, Any]) -> None:
        if (do := self._actors.get((name, method))) is not None:
            with self._silence():
                do(*map(_from_json, arguments), **{key: _from_json(value) for key, value in named.items()})

    @contextmanager
    def _silence(self) -> Iterator[None]:
        before, self._is_silent = self._is_silent, True
        try:
            yield
        finally:
            self._is_silent = before

    def _noted(self, name: str, method: str, original: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401
            if self._is_silent:
                return original(*arguments, **named)
            arguments = tuple(map(_readable_twice, arguments))
            with self._silence():
                result = original(*arguments, **named)
            more = {key: _to_json(value) for key, value in named.items()}
            self.unsaved.append([name, method, _to_json(arguments), more])
            return result

        return call


class JournalledStore:
    """A frontier's store that writes the commands of a journal together with the rows of the same moment."""

    def __init__(self, store: SqlFrontierStore, journal: Journal) -> None:
        self._store, self._journal = store, journal
        self.load, self.clear = store.load, store.clear

    def save(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Insert the rows, or replace those with the same key, and write the recorded commands."""
        unsaved = self._journal.unsaved
        if rows or unsaved:
            self._store.write(rows, unsaved)
            unsaved.clear()


def open_frontier(archive: Archive, home: str, journal: Journal) -> Frontier:
    """The frontier of a blog as an earlier run left it; the journal records its observations from now on."""
    store = archive.frontier_store(home)
    return Frontier(
        JournalledStore(store, journal),
        observations=_observations(store.observations()),
        on_observation=lambda observation: journal.note(*OBSERVATION, observation),
    )


def _observations(commands: Iterable[Command]) -> Iterator[Observation]:
    for command in commands:
        if command[:2] == OBSERVATION:
            with suppress(TypeError, KeyError, ValueError, AttributeError, IndexError):  # written by another version
                yield Observation.from_dict(command[2][0]["lesson"])


def _readable_twice(argument: Any) -> Any:  # noqa: ANN401
    is_spent = isinstance(argument, Iterable) and not isinstance(argument, str | list | tuple | set | frozenset)
    return list(argument) if is_spent else argument


def _to_json(value: Any) -> Any:  # noqa: ANN401
    if type(value) in TO_JSON:
        name, to_json = TO_JSON[type(value)]
        return {name: to_json(value)}
    if isinstance(value, str) or not isinstance(value, Iterable):
        return value
    if isinstance(value, Mapping):
        raise TypeError(f"{type(value).__name__} cannot be noted")
    return [_to_json(item) for item in value]


def _from_json(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, Mapping):
        ((name, content),) = value.items()
        return FROM_JSON[name](content)
    return [_from_json(item) for item in value] if isinstance(value, list) else value
