"""The exceptions of blogcrawler, in a single tree.

BlogcrawlerError
├── BadArgument            an invalid URL or argument
├── Unreachable            the start URL's host does not respond, or responds with an error
│   └── ExcludedFromArchive  a web archive does not show its captures of the URL
├── NotAWebPage            the response is neither a page nor a feed
│   ├── PageTooComplex     a page exceeds the limits of size, tags, attributes or depth
│   └── PageTooSlow        a page, file or feed exceeds the limit of processor time
├── NotAFeed               the data are not a feed
├── NoFeed                 no feed of the blog was found
├── EmptyFeed              the feed has no usable entries
├── NoPages                no page of the feed's entries can be fetched
├── NotEnoughExamples      there are no examples from which to learn
├── UnreadableRules        the stored rules are damaged, or of another version
├── NotArchived            the blog is not in the archive, or not in a state in which it can be updated
├── RemovedOnRequest       a post or blog that was removed on request has been found again
├── BeingCrawled           another process crawls the blog
├── BackendUnavailable     the archive's database or file store cannot be opened or written
│   └── NoArchive          the database contains no archive yet
├── OutOfMemory            the program needs more memory than is available
├── LogsUnavailable        the folder for the logs of crawls is unusable
├── RedisUnavailable       the Redis that crawlers share does not respond, or rejects requests
├── LeftBehind             another process has ended the crawl that this process should join
├── FileRefused            the file store rejects a file
├── QueueUnavailable       the queue of crawls is unavailable, or its driver is missing
├── ProgramFault           an unexpected error in the program
├── DamagedCapture         a page cannot be read from the WARC files
├── TargetUnwritable       the target of an export cannot be written
├── NotPermitted           a repository denies access (401, 403)
├── DepositRefused         a repository rejects a post
└── RepositoryUnavailable  a repository does not respond, or asks to wait for too long

Each message tells the user in a sentence what went wrong, where, and what to do.
"""

from __future__ import annotations


class BlogcrawlerError(Exception):
    """Base class of all errors of this package; `str()` is a message for the user.

    `url` is the URL that the error concerns, if there is one.
    """

    def __init__(self, message: str, *, url: str | None = None) -> None:
        super().__init__(message)
        self.url = url


class BadArgument(BlogcrawlerError):
    """An invalid URL or argument."""


class Unreachable(BlogcrawlerError):
    """The start URL's host does not respond, or responds with an error."""


class ExcludedFromArchive(Unreachable):
    """A web archive does not show its captures of the URL."""


class NotAWebPage(BlogcrawlerError):
    """The response is neither a page nor a feed."""


class PageTooComplex(NotAWebPage):
    """A page exceeds the limits of size, tags, attributes or depth."""


class PageTooSlow(NotAWebPage):
    """A page, file or feed exceeds the limit of processor time."""


class NotAFeed(BlogcrawlerError):
    """The data are not a feed."""


class NoFeed(BlogcrawlerError):
    """No feed of the blog was found."""


class EmptyFeed(BlogcrawlerError):
    """The feed has no usable entries."""


class NoPages(BlogcrawlerError):
    """No page of the feed's entries can be fetched."""


class NotEnoughExamples(BlogcrawlerError):
    """There are no examples from which to learn."""


class UnreadableRules(BlogcrawlerError):
    """The stored rules are damaged, or of another version."""


class NotArchived(BlogcrawlerError):
    """The blog is not in the archive, or not in a state in which it can be updated."""


class Unchanged(BlogcrawlerError):
    """A post has not changed."""


class RemovedOnRequest(BlogcrawlerError):
    """A post or blog that was removed on request has been found again."""


class BeingCrawled(BlogcrawlerError):
    """Another process crawls the blog."""


class BackendUnavailable(BlogcrawlerError):
    """The archive's database or file store cannot be opened or written."""


class NoArchive(BackendUnavailable):
    """The database contains no archive yet."""


class OutOfMemory(BlogcrawlerError):
    """The program needs more memory than is available."""

    def __init__(self) -> None:
        super().__init__(
            "There is not enough memory; end other programs or raise the limit (ulimit -v), and start again: "
            "nothing that was saved is lost."
        )


class LogsUnavailable(BlogcrawlerError):
    """The folder for the logs of crawls is unusable."""


class RedisUnavailable(BlogcrawlerError):
    """The Redis that crawlers share does not respond, or rejects requests."""


class LeftBehind(BlogcrawlerError):
    """Another process has ended the crawl that this process should join."""


class FileRefused(BlogcrawlerError):
    """The file store rejects a file."""


class QueueUnavailable(BlogcrawlerError):
    """The queue of crawls is unavailable, or its driver is missing."""


class ProgramFault(BlogcrawlerError):
    """An unexpected error in the program."""


class DamagedCapture(BlogcrawlerError):
    """A page cannot be read from the WARC files."""


class TargetUnwritable(BlogcrawlerError):
    """The target of an export cannot be written."""


class NotPermitted(BlogcrawlerError):
    """A repository denies access (401, 403)."""


class DepositRefused(BlogcrawlerError):
    """A repository rejects a post."""


class RepositoryUnavailable(BlogcrawlerError):
    """A repository does not respond, or asks to wait for too long."""


_NO_MEMORY = (
    "failed to map segment",
    "annot allocate memory",
    "without exception set",
    "can't start new thread",
    "Can't parse HTML",
)


def is_lack_of_memory(error: BaseException) -> bool:
    """True if memory has run out, which the dynamic linker, threads, imports and parsers report differently."""
    return isinstance(error, MemoryError) or any(sign in str(error) for sign in _NO_MEMORY)


TEMPORARY = (BeingCrawled, BackendUnavailable, OutOfMemory, LogsUnavailable, RedisUnavailable)
"""The crawl cannot continue now, though its blog is not the cause: a service is unavailable, or another process
crawls the blog."""
UNREADABLE = (PageTooComplex, PageTooSlow)
"""A page or piece of markup exceeds the limits."""
