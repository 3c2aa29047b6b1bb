"""What one spider does to what it knows of its blog, written down for others to do the same.

Those are the other spiders of that blog, and the one that goes on with a crawl that was cut short. Commands are JSON
types: who is told, which method, and its arguments. So spiders that share a blog are replicas of one state machine:
Lamport, "Time, Clocks, and the Ordering of Events in a Distributed System", CACM 21(7), 1978. Their orders may differ
where that makes no difference; which page is whose is not for the journal to say.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Protocol

from blogcrawler.frontier.features import Link
from blogcrawler.frontier.store import FrontierStore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

Command = list[Any]
"""[who, method, [arguments], {named arguments}]"""


class Journal:
    """Tells what is done by methods that it follows, and does again what others have told."""

    def __init__(self) -> None:
        self._told: list[Command] = []
        self._depth = 0
        self._is_replaying = False
        self._actors: dict[tuple[str, str], Callable[..., Any]] = {}
        #: kinds of arguments besides JSON's and links: name, to JSON types, and back
        self._kinds: dict[type, tuple[str, Callable[[Any], Any]]] = {Link: ("link", asdict)}
        self._readers: dict[str, Callable[[Any], Any]] = {"link": _link}

    def teach(self, kind: type, name: str, to_json: Callable[[Any], Any], from_json: Callable[[Any], Any]) -> None:
        """How arguments of another kind are told."""
        self._kinds[kind] = name, to_json
        self._readers[name] = from_json

    def follow(self, who: str, one: object, *methods: str) -> None:
        """Tell, from now on, each call of these methods of an object that no other followed one has made."""
        for method in methods:
            original = getattr(one, method)
            self._actors[who, method] = original
            setattr(one, method, self._followed(who, method, original))

    def on(self, who: str, method: str, do: Callable[..., Any]) -> None:
        """What is done when others tell of a method, in place of the same."""
        self._actors[who, method] = do

    def tell(self, who: str, method: str, *arguments: Any) -> None:  # noqa: ANN401
        """Tell of something by hand."""
        if not self._depth:
            self._told.append([who, method, [self._to_json(one) for one in arguments], {}])

    def take(self) -> list[Command]:
        """All that is to be told, which is forgotten."""
        told, self._told = self._told, []
        return told

    def put_back(self, told: Iterable[Command]) -> None:
        """What was taken could not be told: it comes before what is to be told since."""
        self._told[:0] = told

    def replay(self, commands: Iterable[Command]) -> None:
        """Do what others have told, as far as it is known here. O(n) calls."""
        self._is_replaying = True
        try:
            with self.silently():
                for who, method, arguments, named in commands:
                    if (do := self._actors.get((who, method))) is not None:
                        more = {name: self._from_json(one) for name, one in named.items()}
                        do(*map(self._from_json, arguments), **more)
        finally:
            self._is_replaying = False

    @property
    def is_replaying(self) -> bool:
        """Is being done what others have told?"""
        return self._is_replaying

    @contextmanager
    def silently(self) -> Iterator[None]:
        """Tell nothing of what is done meanwhile."""
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1

    def _followed(self, who: str, method: str, original: Callable[..., Any]) -> Callable[..., Any]:
        def told(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401
            if self._depth:
                return original(*arguments, **named)
            arguments = tuple(map(_held, arguments))
            with self.silently():
                result = original(*arguments, **named)
            more = {name: self._to_json(one) for name, one in named.items()}
            self._told.append([who, method, [self._to_json(one) for one in arguments], more])
            return result

        return told

    def _to_json(self, value: Any) -> Any:  # noqa: ANN401
        if type(value) in self._kinds:
            name, to_json = self._kinds[type(value)]
            return {name: to_json(value)}
        if isinstance(value, str) or not isinstance(value, Iterable):
            return value
        if isinstance(value, Mapping):
            raise TypeError(f"{type(value).__name__} cannot be told")
        return [self._to_json(one) for one in value]

    def _from_json(self, value: Any) -> Any:  # noqa: ANN401
        if isinstance(value, Mapping):
            ((name, content),) = value.items()
            return self._readers[name](content)
        return [self._from_json(one) for one in value] if isinstance(value, list) else value


class JournalStore(FrontierStore, Protocol):
    """A store that keeps a journal beside the rows."""

    def write(self, rows: Sequence[Mapping[str, Any]], told: Sequence[Command] = ()) -> None:
        """Save rows, and what is told: all or nothing."""


class JournalledStore:
    """A frontier's store in which what a journal tells is kept with the rows that are of the same moment."""

    def __init__(self, store: JournalStore, journal: Journal) -> None:
        self._store = store
        self._journal = journal

    def load(self, status: str | None = None, limit: int | None = None) -> Iterable[Mapping[str, Any]]:
        """All rows, by position; only those in a state, and the first `limit`, where these are given."""
        return self._store.load(status, limit)

    def save(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Insert the rows, or replace those with the same key, and keep what was told until now."""
        told = self._journal.take()
        try:
            if rows or told:
                self._store.write(rows, told)
        except BaseException:
            self._journal.put_back(told)
            raise

    def clear(self) -> None:
        """Forget all rows, and what was told."""
        self._store.clear()


def _held(argument: Any) -> Any:  # noqa: ANN401
    """An argument that can be read twice."""
    if isinstance(argument, Iterable) and not isinstance(argument, str | list | tuple | set | frozenset):
        return list(argument)
    return argument


def _link(content: Mapping[str, Any]) -> Link:
    return Link(**{**content, "marks": tuple(content["marks"])})
