"""Posts of which a server could not give something at the time: the next updates ask for it again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from blogcrawler.urls import identity

if TYPE_CHECKING:
    from blogcrawler.backend.archive import Archive

LATE_COMMENTS, LATE_MEDIA = "late comments", "late media"

MOST_KEPT = 10_000
FEW, MANY = 10, 100
"""Posts that an update asks for: many as soon as some were had."""
SHARE_CHANGED = 0.05
"""Share of the posts that was changed when all are written once more: each time would be O(n)."""
MOST_TRIES = 5
"""Updates that ask in vain for what a post lacks; as many in a row that had none of any post's are enough for all."""


class LatePosts:
    """The posts of one blog that lack something for that reason, as a crawl finds them and leaves them.

    Under `name`, as that of what they lack, the archive keeps them.
    """

    def __init__(self, archive: Archive, home: str, name: str) -> None:
        self._archive, self._home, self._name = archive, home, name
        kept: dict[str, Any] = archive.load_source_state(home, name)
        #: by a post's address: how often it was asked for again, and the feed of its comments; in the order of waiting
        self._waiting: dict[str, tuple[int, str | None]] = {url: (n, feed) for url, n, feed in kept.get("waiting", ())}
        self._in_vain: int = kept.get("in_vain", 0)
        self._were_had: bool = kept.get("were_had", False)
        #: what `take_up` has changed: the posts that are due, and the two before it
        self._taken_up: tuple[list[str], int, bool] = [], self._in_vain, self._were_had
        #: since that was kept
        self._changes = 0
        #: the feeds of the comments of the posts that are due, as their entries have told them, by `urls.identity`
        self._due: dict[str, str | None] = {}

    def take_up(self) -> list[str]:
        """The posts that an update is to ask for. That is kept as a try: their pages may be gone, or have moved."""
        if self._in_vain >= MOST_TRIES:
            self._waiting.clear()
        waiting = {url: rest for url, rest in self._waiting.items() if rest[0] < MOST_TRIES}
        due = list(waiting)[: MANY if self._were_had else FEW]
        self._taken_up = due, self._in_vain, self._were_had
        self._changes += bool(due) or len(waiting) < len(self._waiting)
        self._due = {identity(url): waiting[url][1] for url in due}
        asked = {url: (tries + 1, feed) for url in due for tries, feed in [waiting.pop(url)]}
        self._waiting = waiting | asked
        self._in_vain, self._were_had = self._in_vain + 1 if due else 0, False
        self.save()
        return due

    def give_back(self) -> None:
        """Let the last `take_up` be no try, since the update could not go on; what was noted since then stays."""
        due, in_vain, were_had = self._taken_up
        left = LatePosts(self._archive, self._home, self._name)
        for url in set(due).intersection(left._waiting):
            tries, feed = left._waiting[url]
            left._waiting[url] = max(0, tries - 1), feed
        left._in_vain, left._were_had = min(in_vain, left._in_vain), were_had or left._were_had
        left._changes += bool(due)
        left.save()

    def is_due(self, url: str) -> bool:
        """True if a post is asked for again."""
        return identity(url) in self._due

    def feed_of(self, url: str) -> str | None:
        """The feed of the comments of a post that is due, as its entry has told it."""
        return self._due.get(identity(url))

    def note(self, url: str, feed: str | None = None, *, is_late: bool) -> None:
        """Take in whether all of a post could be had, and the feed of its comments as its entry tells it."""
        was_late, (tries, told) = url in self._waiting, self._waiting.pop(url, (0, None))
        if is_late and len(self._waiting) < MOST_KEPT:
            self._waiting[url] = tries, feed or told
            self._changes += not was_late or (feed or told) != told
        elif was_late:
            self._changes += 1
            self._in_vain, self._were_had = 0, True

    def __contains__(self, url: object) -> bool:
        """True if a post is to be asked for by a later update."""
        return url in self._waiting

    def __len__(self) -> int:
        return len(self._waiting)

    def save_now_and_then(self) -> None:
        """`save` where the list has changed by a share of its length. O(1) on average."""
        if self._changes > SHARE_CHANGED * len(self):
            self.save()

    def save(self) -> None:
        """Keep what is left for the next crawl."""
        if self._changes:
            waiting = [(url, *rest) for url, rest in self._waiting.items()]
            kept = {"waiting": waiting, "in_vain": self._in_vain, "were_had": self._were_had}
            self._archive.save_source_state(self._home, self._name, kept)
            self._changes = 0
