"""What all spiders of blogs share: which pages are posts, and what becomes of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scrapy import Request

from blogcrawler.browser import LIST
from blogcrawler.crawl.blocked_site import without_content
from blogcrawler.crawl.browser_need import Rendering
from blogcrawler.crawl.completeness import Waiting
from blogcrawler.crawl.reasons import COPY, LEADS_AWAY, NO_POST, NO_WEB_PAGE, PART, TOO_SLOW
from blogcrawler.crawl.refinement import SIZE, Sample, refined
from blogcrawler.dom import MAX_PAGES, comment_pages, first_page, further_pages, parse_page
from blogcrawler.downloader import is_gate_gone
from blogcrawler.downloader.in_flight import is_fetching, noting_read
from blogcrawler.downloader.reasons import NOT_SHOWN, is_gone, status_reason
from blogcrawler.errors import NotAWebPage, PageTooSlow, Unreachable
from blogcrawler.frontier import Candidate, Link, Stop, has_number, is_told_by_numbers
from blogcrawler.items import Entry, Page, Record, RecordSource
from blogcrawler.routes import is_routed, out_of_path
from blogcrawler.similarity import fold
from blogcrawler.spiders.base import COMPLETE, FrontierSpider, now
from blogcrawler.urls import canonicalise, identity, with_other_slash

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement
    from scrapy.http import Response
    from twisted.python.failure import Failure

    from blogcrawler.crawl.classifier import PostClassifier
    from blogcrawler.crawl.coverage import Coverage
    from blogcrawler.wrapper import Wrapper

__all__ = ["BlogSpider"]

COVERAGE = "coverage"
"""Under which name the archive keeps what is believed of the source that lists the posts."""
ITEMS_SHARED = 4
"""Posts in the pipeline, besides those that are held, above which a spider leaves further ones to others."""
MOST_UNDECIDED = 100
"""Pages that are kept in memory until more pages tell whether they are posts."""


class BlogSpider(FrontierSpider):
    """Crawls one blog.

    A page's links are written to the frontier together with the fact that it is done; a post becomes a record.
    `prepare` sets `reader`, too. Arguments: `url`, the address of the blog's home page, of its feed or of a post.
    """

    arguments = frozenset({"url"})
    reader: PostClassifier

    def __init__(self, url: str | None = None, **more: Any) -> None:  # noqa: ANN401
        super().__init__(url=url, **more)
        self._entries: dict[str, Entry] = {}
        #: what came at the addresses of entries, whatever it was, unless it says that nothing is there
        self._answers: dict[str, tuple[Page, Entry]] = {}
        self._sample = Sample()
        self._undecided: list[Page] = []
        #: addresses of those of them whose harvest was counted
        self._counted: set[str] = set()
        self._coverage: Coverage | None = None
        self._rendering = Rendering()

    # ------------------------------------------------------------------------------------------------ what comes next

    def _stop(self) -> Stop | None:
        """The rule that ends the crawl as soon as the pages under way are in."""
        stop = super()._stop()
        coverage = self._coverage
        if stop is None and coverage is not None and coverage.is_proven and not self.frontier.pending_posts:
            return coverage.stop
        return stop

    def _known_posts(self) -> int:
        return self.reader.known_posts

    def _seeds(self) -> int:
        return len(self._entries)

    def _is_proving(self) -> bool:
        return self._coverage is not None and self._coverage.is_whole

    def _next_url(self) -> str | None:
        """What to fetch next: the frontier's best; but where a source has all posts, no more than proves that."""
        coverage = self._coverage
        if coverage is not None:
            portion = coverage.next_portion(self.frontier.pending_posts)
            if portion:
                self.frontier.add_many([Link(url, is_post=True) for url in portion], found_on=self.home)
        if coverage is None or not coverage.is_whole:
            return super()._next_url()
        if (post := self.frontier.pop(posts_only=True)) is not None:
            return post.url
        if not self._only_sample_in_work():
            return None
        while (url := coverage.next_proof(self._pending_pages)) is not None:
            is_waiting = self.frontier.status(url) in (None, "pending") and not self.frontier.is_mirrored(url)
            if is_waiting and self.frontier.redirected(url, url):
                self._group.tell("coverage", "note_asked", url, coverage.take_proof_state())
                return url
            coverage.note_gone(url)  # it was fetched since it was chosen
        return None

    def _has_enough_in_work(self) -> bool:
        """Are so many posts in the pipeline that no further page should be asked for? Others may be free for it.

        One alone takes as many as without others: they wait for each other to learn how comments are shown.
        """
        in_work = len(self._in_work) - len(self._sample.held)
        return super()._has_enough_in_work() or (self._group.pages > 0 and in_work >= ITEMS_SHARED)

    def _left_over(self, stop: Stop | None) -> Request | None:
        """Pages that are undecided, when nothing else can tell; then posts that are held as a sample."""
        if not self._only_sample_in_work():
            return None
        if self._undecided and self._is_at_end(stop):
            return self.kept(self._undecided.pop(0), is_last=True)
        can_release = self._sample.held and not self._group.is_refining_elsewhere
        return self._release_request() if can_release else None

    def _held_posts(self) -> set[str]:
        """The addresses of the pages of posts that are held back."""
        return {record.page_url for record in self._sample.held}

    def _pending_pages(self) -> Iterator[Waiting]:
        self.frontier.flush()
        places, coverage = self.reader.places, self._coverage
        for page in map(Candidate.from_row, self.frontier.store.load("pending")):
            url, key = page.url, identity(page.url)
            if not page.is_post and not self.frontier.is_mirrored(url):
                is_likely = self._may_be_post(url) and not (coverage and coverage.knows(url))
                is_likely = is_likely or self.frontier.may_be_version(page)
                is_list = page.bonus > 0 or (key in self.reader.menu and has_number(page.marks))
                yield Waiting(url, is_likely, places.tell(key) is True, places.is_linked(key), is_list)

    def _may_be_post(self, url: str) -> bool:
        """Does a page look like a post?"""
        is_likely = self.reader.is_permalink(url) and identity(url) not in self.reader.menu
        return is_likely and not self.frontier.is_mirrored(url)

    def _is_at_end(self, stop: Stop | None) -> bool:
        """Will no later crawl go on from here? Else what is undecided is left to that."""
        return stop is None or stop.rule in COMPLETE

    def _only_sample_in_work(self) -> bool:
        is_quiet = len(self._in_work) <= len(self._sample.held) and not is_fetching(self.crawler.engine)
        return is_quiet and not self._group.is_reading

    # ---------------------------------------------------------------------------------------- the source of all posts

    def _judge(self, url: str, *, is_post: bool) -> None:
        """Tell the source that lists posts what became of a page."""
        if self._coverage is not None and self._coverage.judge(url, is_post=is_post):
            self.logger.info("The %s does not tell all posts, as %s shows.", self._coverage.source, url)
            self.frontier.reclassify(self._is_post_link)
            self._save_coverage()

    def _is_post_link(self, url: str) -> bool:
        """Is a link to be followed as one to a post? Where a source has all posts, that is for it to say."""
        if not self.reader.is_permalink(url):
            return False
        return self._coverage is None or not self._coverage.is_whole or self._coverage.expects(url)

    def _alias(self, url: str, target: str) -> None:
        if self._coverage is not None:
            self._coverage.alias(url, target)

    def _save_coverage(self) -> None:
        """Keep what is believed of the source that lists posts."""
        if self._coverage is not None:
            state = {"source": self._coverage.source, "is_whole": self._coverage.is_whole}
            self.archive.save_source_state(self.home, COVERAGE, state)

    # ---------------------------------------------------------------------------------------------------------- pages

    def _is_rendered(self, url: str) -> bool | str:
        """Is a page shown in the browser before it is read? See `downloader.render`."""
        is_list = not self.reader.is_permalink(url)
        return LIST if self._rendering.of_lists and is_list else self._rendering.of_posts

    def _redirect_refusal(self, asked: str, target: str) -> str | None:
        """Why the target of a redirect needs no request; None where it does."""
        return super()._redirect_refusal(asked, target) if self.reader.scope.covers(target) else LEADS_AWAY

    def _found_again(self, asked: str, target: str) -> None:
        """A page turned out to be one that was fetched before."""
        self._alias(asked, target)
        super()._found_again(asked, target)

    def _give_up(self, url: str, reason: str, *, detours: int = 0) -> None:
        """Note that a page is lost, and why."""
        self._judge(url, is_post=False)
        if self._coverage is not None:
            self._coverage.note_gone(url)
        if is_gone(reason) and self.archive.mark_gone(self.home, url, now=now()):
            self.tally.gone()
        super()._give_up(url, reason, detours=detours)

    def _is_blocked(self) -> bool:
        """True if no page shows its post, so that nothing is known of the blog but what its feed tells."""
        return isinstance(self.fault, Unreachable)

    def _take_in(self, page: Page, asked: str, *, is_last: bool) -> Iterator[Record | Request]:
        if self._is_blocked() and self._entry_of(page.url):
            page = without_content(page)
        elif page.status != 200:
            self._give_up(asked, status_reason(page.status))
            return
        if is_routed(asked) and not page.is_rendered:
            self._give_up(asked, NOT_SHOWN)
            return
        if identity(page.url) != identity(asked):
            self._alias(asked, page.url)
            if not self.frontier.redirected(asked, page.url):
                self.frontier.flush()
                return
        tree = self._tree_of(page)
        try:
            yield from self._read_page(page, asked, tree, is_last=is_last)
        except PageTooSlow:
            self._give_up(page.url, TOO_SLOW)

    def _read_page(
        self, page: Page, asked: str, tree: HtmlElement | None, *, is_last: bool
    ) -> Iterator[Record | Request]:
        """Take in a page; raises `PageTooSlow` before that has changed anything."""
        told = None if tree is None else self.reader.canonical(tree, page.url)
        if told is not None and self.frontier.is_spelling(page.url, told):  # as good as a redirect
            self._alias(page.url, told)
            if not self.frontier.redirected(page.url, told):
                self.frontier.flush()
                return
            page = replace(page, url=told)
        elif tree is not None:
            page = replace(page, url=self.reader.spelled(tree, page.url))
        if tree is not None and not self._is_mirrored(page, tree):
            entry = self._entry_of(page.url) or self._entry_of_redirected(asked, page, tree)
            yield from self._take(page, tree, entry, is_last=is_last)

    def _is_mirrored(self, page: Page, tree: HtmlElement) -> bool:
        """Is a page a post that was found at an address of another spelling? Then it is done."""
        if not self.frontier.has_twin(page.url):
            return False
        other = self.reader.repeated(tree, page.url, page.fetched_at)
        if not self.frontier.mirrors(page.url, other):
            return False
        assert other is not None
        self._alias(page.url, other)
        self._harvest.record(0)
        self.frontier.flush()
        return True

    def _entry_of(self, url: str) -> Entry | None:
        """What the feed, or another source, says of the post at a URL. It may have left out the slash at the end."""
        keys = (identity(url), with_other_slash(identity(url)))
        entry = next((self._entries[key] for key in keys if key in self._entries), None)
        return entry or next((told for key in keys if (told := self.archive.source_entry(self.home, key))), None)

    def _entry_of_redirected(self, asked: str, page: Page, tree: HtmlElement) -> Entry | None:
        """The entry of the address that was asked for, where the page that it led to is a post."""
        if identity(asked) == identity(page.url) or identity(page.url) in self.reader.no_posts:
            return None
        entry = self._entry_of(asked)
        return entry if entry is not None and self.reader.wrapper.is_post(tree, page.url, page.fetched_at) else None

    def _take(
        self, page: Page, tree: HtmlElement, entry: Entry | None, *, is_last: bool, is_apart: bool = False
    ) -> Iterator[Record | Request]:
        """A page's links go to the frontier; a post goes to the pipeline, and its page is done when it comes out."""
        self.reader.read_page(tree, page.url, page.fetched_at)
        links = self._links(tree, page.url)
        other = self.reader.canonical(tree, page.url)
        if other is not None:
            self._alias(page.url, other)
            links = [Link(other, self._is_post_link(other)), *links]
        is_part = entry is None and not is_apart and self._is_further_page(tree, page.url)
        is_post: bool | None = entry is not None
        if entry is None and other is None and not is_part and not self._is_blocked():
            is_post = self._verdict(page, tree, is_last=is_last or len(self._undecided) >= MOST_UNDECIDED)
        if is_post is None:
            self._keep_undecided(page, links)
        elif is_post:
            yield from self._take_post(page, tree, entry, links)
        else:
            if self.reader.is_permalink(page.url) and other is None and not is_part:
                is_copy = self.reader.repeated(tree, page.url, page.fetched_at) is not None
                self.tally.failure(COPY if is_copy else NO_POST, out_of_path(page.url))
            self._take_other(page, tree, links)

    def _is_further_page(self, tree: HtmlElement, url: str) -> bool:
        """Is a page one of those after the first of an article?"""
        first = first_page(tree, url)
        return first is not None and self.reader.is_permalink(first)

    def _verdict(self, page: Page, tree: HtmlElement, *, is_last: bool) -> bool | None:
        """Is a page a post? None where more pages must be read to tell."""
        is_post = self.reader.verdict(tree, page.url, page.fetched_at, is_last=is_last)
        if is_post is None and self.reader.repeated(tree, page.url, page.fetched_at) is not None:
            return False  # a copy, or what a site shows for pages that are not there
        return is_post

    def _keep_undecided(self, page: Page, links: list[Link]) -> None:
        listed = self._shown(self.frontier.outside_frame(links))
        self.frontier.add_many(links, found_on=page.url)
        self.frontier.undecided(page.url)
        if page.url not in self._counted:
            if self._coverage is not None:
                self._coverage.doubt(page.url)
            self._record_harvest(page.url, self.frontier.new_posts_of(page.url), self._shown(links), listed)
            self.note_counted(page.url)
        self._undecided.append(replace(page, tree=None))
        self.archive.save_training_page(self.home, page, Entry(page.url))  # a crawl that goes on needs it again

    def note_counted(self, url: str) -> None:
        """The harvest of a page was counted before it is known whether it is a post."""
        self._counted.add(url)

    def _take_other(self, page: Page, tree: HtmlElement, links: list[Link]) -> int:
        """Take in a page that is no post; how many posts it leads to that nobody knew."""
        self._judge(page.url, is_post=False)
        shown, listed = self._shown(links), self._shown(self.frontier.outside_frame(links))
        yield_ = 0 if self._harvest.is_repetition(shown) else _post_links(links)
        is_copy = self.reader.repeats_post(tree, page.url, page.fetched_at)
        new_posts = self.frontier.commit_page(
            page.url, yield_=yield_, links=links, is_post=False, is_copy=is_copy, flush=False
        )
        self._note_links(page.url, links, is_post=False)
        self.tally.other_page(leads_to_posts=bool(listed) and not is_copy)
        if self._coverage is not None:
            self._coverage.note_list(page.url, listed)
        if page.url not in self._counted:
            self._record_harvest(page.url, new_posts, shown, listed)
        self.frontier.flush()  # with all that the page has taught
        return new_posts

    def _take_post(
        self, page: Page, tree: HtmlElement, entry: Entry | None, links: list[Link]
    ) -> Iterator[Record | Request]:
        self._harvest.look(self._shown(links))
        self._judge(page.url, is_post=True)
        self._note_links(page.url, links, is_post=True)
        if self.reader.add_post(tree, page.url, page.fetched_at):
            self.frontier.reclassify(self._is_post_link)
            self._save_state()
        further = [url for url in further_pages(tree, page.url) if self.reader.scope.covers(url)]
        for url in further:
            self.frontier.redirected(url, url)  # nothing else is to fetch it
        for url in comment_pages(tree, page.url):
            self.frontier.set_aside(url, PART)
        self.frontier.add_many(links, found_on=page.url)
        self._in_work[page.url] = _post_links(links)
        new_posts = self.frontier.learn(page.url, yield_=_post_links(links), is_post=True)
        is_expected = entry is not None or self.reader.is_permalink(page.url) or is_told_by_numbers(page.url)
        if new_posts or not is_expected:  # there may be others like it
            self._harvest.discovered()
        self.tally.post()
        source = RecordSource(page, self.reader.wrapper, entry)
        yield from self._gather(source, further)

    def _record_harvest(self, url: str, new_posts: int, shown: set[str], listed: set[str]) -> None:
        """Count a page; lists of any order do not go on through the posts, however many of them they show."""
        self._harvest.record(new_posts, shown, set() if self.frontier.is_sorted(url) else listed)

    def _links(self, tree: HtmlElement, url: str) -> list[Link]:
        found = self.reader.found_links(tree, url)
        return [replace(link, is_post=self._is_post_link(link.url)) for link in found]

    def _note_links(self, url: str, links: list[Link], *, is_post: bool) -> None:
        """Tell the source that lists posts what a page links to."""
        if self._coverage is not None:
            self.tell_coverage(url, [link.url for link in links if link.url != url], is_post=is_post)

    def tell_coverage(self, url: str, others: list[str], *, is_post: bool) -> None:
        """Tell the source that lists posts which other pages a page links to."""
        if self._coverage is not None:
            self._coverage.note_links(url, others, self._may_be_post, is_post=is_post)

    def _shown(self, links: list[Link]) -> set[str]:
        """The known posts that links lead to."""
        posts = (link.url for link in links if link.is_post and self.reader.is_known_post(link.url))
        return {identity(url).rstrip("/") for url in posts}

    def _tree_of(self, page: Page) -> HtmlElement | None:
        """The tree of a page; None for one that cannot be read, which is noted, and which nothing is learned from."""
        try:
            page.tree = parse_page(page)
        except NotAWebPage as error:
            self._give_up(page.url, TOO_SLOW if isinstance(error, PageTooSlow) else NO_WEB_PAGE)
            self.archive.forget_training_pages(self.home, url=page.url)
        return page.tree

    def _save_state(self) -> None:
        entries = {key: entry.to_dict() for key, entry in self._entries.items()}
        state = {
            "reader": self.reader.to_dict(),
            "entries": entries,
            "rendering": self._rendering.to_dict(),
            "samples": self._sample.rounds,
        }
        self.archive.save_crawl_state(self.home, state)

    # ------------------------------------------------------------------------------- articles that have several pages

    def _gather(self, source: RecordSource, waiting: list[str]) -> Iterator[Record | Request]:
        """The record of a post, or a request for the next of the article's pages."""
        known = {identity(page.url) for page in (source.page, *source.more_pages)}
        url = next((url for url in waiting if identity(url) not in known), None)
        if url is None or len(known) >= MAX_PAGES:
            for left in waiting:
                if self.frontier.is_under_way(left):
                    self.frontier.set_aside(left, PART)
            yield from self._hand_on(Record(self.home, out_of_path(canonicalise(source.page.url)), source=source))
            return
        self._asked += 1
        own = self.sessions.own
        yield Request(
            self.sessions.address(url),
            dont_filter=True,
            callback=self.parse_further,
            errback=self.further_failed,
            cb_kwargs={"asked": url, "source": source, "waiting": waiting},
            meta={
                "check_redirect": lambda to: None if identity(own(to, url)) == identity(url) else LEADS_AWAY,
                "render": self._rendering.of_posts,
            },
        )

    def parse_further(
        self, response: Response, asked: str, source: RecordSource, waiting: list[str]
    ) -> Iterator[Record | Request]:
        """Take in a further page of an article."""
        page = self._fetched(response, asked)
        with self._ending_without_archive():
            yield from noting_read(response.meta, self._take_in_further(page, asked, source, waiting))

    def _take_in_further(
        self, page: Page, asked: str, source: RecordSource, waiting: list[str]
    ) -> Iterator[Record | Request]:
        if page.status != 200:
            self._give_up(asked, status_reason(page.status))
        tree = self._tree_of(page) if page.status == 200 else None
        if tree is None:
            yield from self._gather(source, _behind(waiting, asked))
            return
        if not self._goes_on(source.page, tree, page):  # a post of its own, below the address of another one
            yield from self._take(page, tree, None, is_last=True, is_apart=True)
            yield from self._gather(source, _behind(waiting, asked))
            return
        found = [url for url in further_pages(tree, page.url, source.page.url) if self.reader.scope.covers(url)]
        for url in found:
            if self.frontier.status(url) in (None, "pending"):
                self.frontier.redirected(url, url)
        self.frontier.commit_page(asked, yield_=None, links=self._links(tree, page.url))
        left = list(dict.fromkeys([*_behind(waiting, asked), *found]))
        yield from self._gather(replace(source, more_pages=(*source.more_pages, page)), left)

    def _goes_on(self, first: Page, tree: HtmlElement, page: Page) -> bool:
        """Has a further page the title of the article's first one, or none?"""
        begun = self._tree_of(first)
        titles = [
            fold(self.reader.wrapper.extract(one, url).title or "")
            for one, url in ((begun, first.url), (tree, page.url))
            if one is not None
        ]
        return "" in titles or titles[0].startswith(titles[-1]) or titles[-1].startswith(titles[0])

    def further_failed(self, failure: Failure) -> Iterator[Record | Request]:
        """A further page could not be fetched: the record is made from what is there, but where the crawl is over."""
        self.failed(failure)
        if failure.value is None or is_gate_gone(failure.value):
            return
        request: Request = failure.request  # type: ignore[attr-defined]
        kept = request.cb_kwargs
        with self._ending_without_archive():
            more = self._gather(kept["source"], _behind(kept["waiting"], kept["asked"]))
            yield from noting_read(request.meta, more)

    # ------------------------------------------------------------------------------- posts that the feed does not have

    def _hand_on(self, record: Record) -> Iterator[Record]:
        if not self._sample.wants(record, self.reader.wrapper):
            yield _brought_up_to_date(record, self.reader.wrapper)
            return
        self._sample.held.append(record)
        if record.material is not None:  # so that no crawl that goes on fetches it again
            self.archive.save_training_page(self.home, record.material.page, Entry(record.material.page.url))
        if len(self._sample.held) >= SIZE and self._sample.is_complete(self._may_be_held()):
            yield from self._release()

    def _may_be_held(self) -> list[str]:
        """The pages that are held, or may be when they have come, in the order in which they were found."""
        held = {identity(record.page_url) for record in self._sample.held}
        read = set(map(identity, (*self._in_work, *(page.url for page in self._undecided)))) - held
        pages = [(identity(one.url), one.is_post) for one in self.frontier.unfinished()]
        return [key for key, is_post in pages if key in held or (is_post and key not in read)]

    def _release(self, *, is_last: bool = False) -> Iterator[Record]:
        with self._group.refining() as is_ours:
            settled = self._refine(is_last=is_last) if is_ours else []
        yield from settled

    def _refine(self, *, is_last: bool) -> list[Record]:
        """Make the wrapper better by the records that are held; those that are to be handed on then."""
        held = self._sample.take(self._may_be_held())
        sample = held if is_last else held[:SIZE]
        kept = self.archive.load_training_pages(self.home)
        training = [(page, entry) for page, entry in kept if identity(page.url) in self._entries]
        with self._tolerating("what older posts teach"):
            self.reader.wrapper = refined(self.reader.wrapper, training, sample, is_last=is_last)
        with self.archive.transaction():
            self.archive.save_wrapper(self.home, self.reader.wrapper.to_dict())
            self._save_state()
        held = [_brought_up_to_date(record, self.reader.wrapper) for record in held]
        return self._sample.settled(held, self.reader.wrapper, is_last=is_last)

    def _release_request(self) -> Request:
        request = self.kept(Page(self.home, b""))
        return request.replace(callback=self.release, cb_kwargs={"asked": self.home})

    def release(self, response: Response, asked: str) -> Iterator[Record]:  # noqa: ARG002
        """The records that were held, when nothing else is left to fetch."""
        with self._ending_without_archive():
            yield from noting_read(response.meta, self._release(is_last=True))


def _post_links(links: list[Link]) -> int:
    """How many posts a page links to, menus aside."""
    return sum(link.is_post and not link.in_menu for link in links)


def _behind(waiting: list[str], asked: str) -> list[str]:
    return [url for url in waiting if identity(url) != identity(asked)]


def _brought_up_to_date(record: Record, wrapper: Wrapper) -> Record:
    """The record, to be made by the wrapper as it is now: it may have been refined while pages were under way."""
    if record.material is not None and record.material.wrapper is not wrapper:
        record.material = replace(record.material, wrapper=wrapper)
    return record
