"""Posts for which a server temporarily failed to return something: the next updates request it again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from blogcrawler.urls import identity

if TYPE_CHECKING:
    from blogcrawler.backend.archive import Archive

LATE_COMMENTS, LATE_MEDIA = "late comments", "late media"

MOST_KEPT = 10_000
FEW, MANY = 10, 100
"""Number of posts that an update requests: `FEW` until some requests succeed, then `MANY`."""
SHARE_CHANGED = 0.05
"""The list is saved after this share of it has changed, since each save takes O(n)."""
MOST_TRIES = 5
"""Number of failed updates after which a post is dropped. All posts are dropped after as many consecutive updates
without any success."""


class LatePosts:
    """The posts of one blog with missing data, as loaded and saved by a crawl.

    The archive stores them under `name`, the kind of the missing data.
    """

    def __init__(self, archive: Archive, home: str, name: str) -> None:
        self._archive, self._home, self._name = archive, home, name
        state: dict[str, Any] = archive.load_source_state(home, name)
        #: by URL of the post: number of attempts, and URL of its comment feed; in the order of waiting
        self._waiting: dict[str, tuple[int, str | None]] = {url: (n, feed) for url, n, feed in state.get("waiting", ())}
        self._failed_updates: int = state.get("in_vain", 0)
        self._had_success: bool = state.get("were_had", False)
        #: state before `take_up`, for `give_back`: the due posts, and the two fields above
        self._taken_up: tuple[list[str], int, bool] = [], self._failed_updates, self._had_success
        #: number of changes since the last save
        self._changes = 0
        #: URLs of the comment feeds of the posts that are due, as in their entries, by `urls.identity`
        self._due: dict[str, str | None] = {}

    def take_up(self) -> list[str]:
        """Return the posts that an update should request. This counts as an attempt at once: if their pages are gone or
        moved, nothing else is recorded."""
        if self._failed_updates >= MOST_TRIES:
            self._waiting.clear()
        waiting = {url: values for url, values in self._waiting.items() if values[0] < MOST_TRIES}
        due = list(waiting)[: MANY if self._had_success else FEW]
        self._taken_up = due, self._failed_updates, self._had_success
        self._changes += bool(due) or len(waiting) < len(self._waiting)
        self._due = {identity(url): waiting[url][1] for url in due}
        requested = {url: (tries + 1, feed) for url in due for tries, feed in [waiting.pop(url)]}
        self._waiting = waiting | requested
        self._failed_updates, self._had_success = self._failed_updates + 1 if due else 0, False
        self.save()
        return due

    def give_back(self) -> None:
        """Undo the last `take_up`, since the update could not continue; later notes are kept."""
        due, failed_updates, had_success = self._taken_up
        current = LatePosts(self._archive, self._home, self._name)
        for url in set(due).intersection(current._waiting):
            tries, feed = current._waiting[url]
            current._waiting[url] = max(0, tries - 1), feed
        current._failed_updates, current._had_success = (
            min(failed_updates, current._failed_updates),
            had_success or current._had_success,
        )
        current._changes += bool(due)
        current.save()

    def is_due(self, url: str) -> bool:
        """True if a post is requested again."""
        return identity(url) in self._due

    def feed_of(self, url: str) -> str | None:
        """URL of the comment feed of a post that is due, as in its entry."""
        return self._due.get(identity(url))

    def note(self, url: str, feed: str | None = None, *, is_late: bool) -> None:
        """Record whether a post is complete, and the URL of its comment feed in its entry."""
        was_late, (tries, known_feed) = url in self._waiting, self._waiting.pop(url, (0, None))
        if is_late and len(self._waiting) < MOST_KEPT:
            self._waiting[url] = tries, feed or known_feed
            self._changes += not was_late or (feed or known_feed) != known_feed
        elif was_late:
            self._changes += 1
            self._failed_updates, self._had_success = 0, True

    def __contains__(self, url: object) -> bool:
        """True if a later update should request a post."""
        return url in self._waiting

    def __len__(self) -> int:
        return len(self._waiting)

    def save_now_and_then(self) -> None:
        """Call `save` if a certain share of the list has changed. O(1) on average."""
        if self._changes > SHARE_CHANGED * len(self):
            self.save()

    def save(self) -> None:
        """Save the list for the next crawl."""
        if self._changes:
            waiting = [(url, *values) for url, values in self._waiting.items()]
            state = {"waiting": waiting, "in_vain": self._failed_updates, "were_had": self._had_success}
            self._archive.save_source_state(self._home, self._name, state)
            self._changes = 0
