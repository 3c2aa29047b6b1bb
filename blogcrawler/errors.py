"""The exceptions of blogcrawler, one tree.

BlogcrawlerError
├── BadArgument            a URL or an argument that cannot be used
├── Unreachable            the start URL's host does not answer, or answers with an error
├── NotAWebPage            what answered is no page and no feed
│   ├── PageTooComplex     a page past the bounds on size, tags, attributes or depth
│   └── PageTooSlow        a page, file or feed past the bound on processor time
├── NotAFeed               bytes that no feed parser understands
├── NoFeed                 a blog that names no feed
├── EmptyFeed              a feed without entries that can be used
├── NoPages                a feed whose entries' pages cannot be fetched
├── NotEnoughExamples      nothing to learn from
├── UnreadableRules        rules kept by another version, or damaged
├── NotArchived            a blog that the archive does not have, or not so that an update could begin with it
├── RemovedOnRequest       a post or blog that was removed on request, and comes again
├── BeingCrawled           a blog that another process crawls
├── BackendUnavailable     the archive's database, or its store of files, cannot be opened or written
│   └── NoArchive          a database that holds no archive yet
├── OutOfMemory            less memory than the program needs
├── LogsUnavailable        the folder for the logs of crawls cannot be used
├── RedisUnavailable       a Redis that crawlers share and that does not answer
├── LeftBehind             a crawl that another process has ended
├── FileRefused            a file that the store of files does not take
├── QueueUnavailable       a queue of crawls that cannot be used
├── ProgramFault           the program broke, by no fault of what it was given
├── DamagedCapture         a page that cannot be read from the WARC files
├── TargetUnwritable       where an export should go cannot be written
├── NotPermitted           a repository that does not know us, or does not let us do it
├── DepositRefused         a post that a repository does not take
└── RepositoryUnavailable  a repository that does not answer, or asks to wait for too long

Each message is one sentence for the user: what went wrong, with what, what to do.
"""

from __future__ import annotations


class BlogcrawlerError(Exception):
    """Base of all errors of this package; `str()` is a sentence for the user.

    `url` is what it is about, where there is one.
    """

    def __init__(self, message: str, *, url: str | None = None) -> None:
        super().__init__(message)
        self.url = url


class BadArgument(BlogcrawlerError):
    """A URL or an argument that cannot be used."""


class Unreachable(BlogcrawlerError):
    """The start URL's host does not answer, or answers with an error."""


class NotAWebPage(BlogcrawlerError):
    """What answered is no page and no feed."""


class PageTooComplex(NotAWebPage):
    """A page past the bounds on size, tags, attributes or depth."""


class PageTooSlow(NotAWebPage):
    """A page, file or feed past the bound on processor time."""


class NotAFeed(BlogcrawlerError):
    """Bytes that no feed parser understands."""


class NoFeed(BlogcrawlerError):
    """A blog that names no feed."""


class EmptyFeed(BlogcrawlerError):
    """A feed without entries that can be used."""


class NoPages(BlogcrawlerError):
    """A feed whose entries' pages cannot be fetched."""


class NotEnoughExamples(BlogcrawlerError):
    """Nothing to learn from."""


class UnreadableRules(BlogcrawlerError):
    """Rules kept by another version, or damaged."""


class NotArchived(BlogcrawlerError):
    """A blog that the archive does not have, or not so that an update could begin with it."""


class Unchanged(BlogcrawlerError):
    """A post that says what it said before."""


class RemovedOnRequest(BlogcrawlerError):
    """A post or blog that was removed from the archive on request, and comes again."""


class BeingCrawled(BlogcrawlerError):
    """A blog that another process crawls."""


class BackendUnavailable(BlogcrawlerError):
    """The archive's database, or its store of files, cannot be opened or written."""


class NoArchive(BackendUnavailable):
    """A database that holds no archive yet, where one is only looked at."""


class OutOfMemory(BlogcrawlerError):
    """The machine, or a limit, gives the program less memory than it needs."""

    def __init__(self) -> None:
        super().__init__(
            "There is not enough memory; end other programs or raise the limit (ulimit -v), and start again: "
            "nothing that was saved is lost."
        )


class LogsUnavailable(BlogcrawlerError):
    """The folder for the logs of crawls cannot be made, or no file in it."""


class RedisUnavailable(BlogcrawlerError):
    """A Redis that crawlers share and that does not answer, or cannot be asked."""


class LeftBehind(BlogcrawlerError):
    """A crawl with which this process was to help, and that has ended."""


class FileRefused(BlogcrawlerError):
    """A file that the store of files does not take, though it takes others."""


class QueueUnavailable(BlogcrawlerError):
    """A queue of crawls that cannot be used: its server does not answer, or what it needs is not installed."""


class ProgramFault(BlogcrawlerError):
    """The program broke, by no fault of what it was given."""


class DamagedCapture(BlogcrawlerError):
    """A page that cannot be read from the WARC files."""


class TargetUnwritable(BlogcrawlerError):
    """Where an export should go cannot be written."""


class NotPermitted(BlogcrawlerError):
    """A repository that does not know us, or does not let us do it (401, 403)."""


class DepositRefused(BlogcrawlerError):
    """A post that a repository does not take."""


class RepositoryUnavailable(BlogcrawlerError):
    """A repository that does not answer, or asks to wait for too long."""


_NO_MEMORY = (
    "failed to map segment",
    "annot allocate memory",
    "without exception set",
    "can't start new thread",
    "Can't parse HTML",
)


def is_lack_of_memory(error: BaseException) -> bool:
    """True where memory has run out, which the dynamic linker, threads, imports and parsers say in their own words."""
    return isinstance(error, MemoryError) or any(sign in str(error) for sign in _NO_MEMORY)


TEMPORARY = (BeingCrawled, BackendUnavailable, OutOfMemory, LogsUnavailable, RedisUnavailable)
"""A crawl cannot go on now, for no fault of its blog: what it needs is away, or another one has the blog."""
UNREADABLE = (PageTooComplex, PageTooSlow)
"""A page, or a piece of markup, is past the bounds on what is read."""
