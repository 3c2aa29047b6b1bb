"""How far a list of posts is believed, and what must be fetched before the crawl is over."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable
from itertools import pairwise
from typing import Any

import pytest

from blogcrawler.frontier import Progress, Stop, StopReason, StopRules
from blogcrawler.frontier.completeness import PendingPage
from blogcrawler.frontier.coverage import Coverage

SITE = "http://example.org"


def posts(count: int) -> list[str]:
    return [f"{SITE}/2014/05/post-{number}/" for number in range(count)]


def pages(name: str, count: int) -> list[str]:
    return [f"{SITE}/{name}/word-{number}/" for number in range(count)]


def waiting(
    urls: Iterable[str],
    *,
    among_posts: Collection[str] = (),
    linked: Collection[str] = (),
    likely: Collection[str] = (),
) -> list[PendingPage]:
    return [
        PendingPage(url, url in likely, url in among_posts, url in linked or url in among_posts, "list" in url)
        for url in urls
    ]


def proofs(
    coverage: Coverage,
    pending: Iterable[str],
    *,
    gone: Collection[str] = (),
    is_permanent: bool = False,
    **known: Collection[str],
) -> list[str]:
    found: list[str] = []
    while (url := coverage.next_check_page(lambda: waiting(pending, **known))) is not None:
        found.append(url)
        if url in gone:
            coverage.check.note_gone(url, is_permanent=is_permanent)
    return found


def never(url: str) -> bool:
    return False


def whole(count: int = 100, may_be_post: Callable[[str], bool] = never) -> Coverage:
    coverage = Coverage("sitemap", is_whole=True, may_be_post=may_be_post)
    coverage.add(posts(count))
    return coverage


class TestPortions:
    def test_they_grow(self) -> None:
        coverage = Coverage("sitemap", is_whole=True)
        coverage.add_likely(posts(100))
        assert [len(coverage.next_portion(0)) for _ in range(4)] == [20, 40, 40, 0]

    def test_none_is_taken_while_posts_wait(self) -> None:
        coverage = Coverage("sitemap", is_whole=True)
        coverage.add_likely(posts(100))
        assert coverage.next_portion(pending_posts=8) == []

    def test_dead_addresses_are_not_tried_for_ever_until_one_is_alive(self) -> None:
        coverage = Coverage("sitemap", is_whole=True)
        coverage.add_likely(posts(500))
        for url in coverage.next_portion(0):
            coverage.judge(url, is_post=False)
        assert coverage.next_portion(0) == []
        assert coverage.is_whole
        assert len(proofs(coverage, pages("tag", 50))) == 25, "2, 4 of 100, and 3 since much is gone"
        for url in posts(500)[400:410]:  # linked from these pages
            coverage.judge(url, is_post=True)
        assert not coverage.is_proven
        assert coverage.next_portion(0)

    def test_a_form_that_holds_no_posts_does_not_hold_up_the_others(self) -> None:
        coverage = Coverage("sitemap", is_whole=True)
        coverage.add_likely([*pages("tag", 500), *posts(100)])
        tried: list[str] = []
        while portion := coverage.next_portion(0):
            tried += portion
            for url in portion:
                coverage.judge(url, is_post="post-" in url)
        assert set(posts(100)) < set(tried)
        assert len(tried) <= 150
        assert coverage.expects(posts(1)[0])
        assert not coverage.expects(pages("tag", 500)[-1])

    def test_each_address_is_taken_once(self) -> None:
        coverage = Coverage("sitemap", is_whole=True)
        coverage.add_likely([*posts(3), *posts(3)])
        coverage.add_likely(posts(3))
        assert coverage.next_portion(0) == posts(3)


class TestStrays:
    def test_a_source_is_disproved_by_more_than_a_few(self) -> None:
        coverage = whole()
        strays = [f"{SITE}/old/word-{number}.html" for number in range(3)]
        assert [coverage.judge(url, is_post=True) for url in strays] == [False, False, True]
        assert not coverage.is_whole

    def test_each_asks_for_more_proof(self) -> None:
        coverage = whole()
        pending = pages("tag", 50)
        assert len(proofs(coverage, pending)) == 6
        assert coverage.is_proven
        coverage.judge(f"{SITE}/stray/", is_post=True)
        assert not coverage.is_proven
        assert len(proofs(coverage, pending)) == 16
        assert coverage.is_proven

    def test_pages_that_are_no_posts_disprove_nothing(self) -> None:
        coverage = whole()
        assert not any(coverage.judge(url, is_post=False) for url in pages("tag", 50))

    def test_other_addresses_of_a_post_are_the_post(self) -> None:
        coverage = whole()
        for number, url in enumerate(posts(9)):
            coverage.alias(url, f"{SITE}/new/{number}")
            assert not coverage.judge(f"{SITE}/new/{number}", is_post=True)
        assert coverage.is_whole

    def test_what_is_listed_in_the_form_of_a_stray_is_posts(self) -> None:
        coverage = whole()
        coverage.add_others([*pages("old", 30), *pages("tag", 9)])
        assert not coverage.judge(pages("old", 30)[4], is_post=True)
        assert coverage.next_portion(0) == []
        assert proofs(coverage, [*pages("tag", 9), *pages("old", 4)])[:2] == pages("old", 2)
        assert not coverage.judge(pages("old", 30)[0], is_post=True)
        assert set(coverage.next_portion(0)) | set(coverage.next_portion(0)) == set(pages("old", 30))
        assert coverage.lists(pages("old", 30)[29])
        assert not coverage.lists(pages("tag", 9)[0])

    def test_then_a_new_proof_is_needed(self) -> None:
        coverage = whole()
        coverage.add_others(pages("old", 30))
        assert proofs(coverage, []) == []
        assert coverage.is_proven
        coverage.judge(pages("old", 30)[4], is_post=True)
        assert not coverage.is_proven


class TestProof:
    def test_a_page_of_the_most_frequent_forms(self) -> None:
        pending = [*pages("tag", 5), *pages("category", 9), f"{SITE}/about/"]
        assert proofs(whole(60), pending)[:2] == [pages("category", 1)[0], pages("tag", 1)[0]]
        assert [len(proofs(whole(count), pending)) for count in (10, 60)] == [2, 4]

    def test_what_is_linked_among_posts(self) -> None:
        pending = [*pages("tag", 20), f"{SITE}/an-old-one/"]
        assert proofs(whole(10), pending, among_posts=[f"{SITE}/an-old-one/"])[0] == f"{SITE}/an-old-one/"
        spread = [f"{SITE}/tag/word-{number}/" for number in (0, 6)]
        assert set(spread) <= set(proofs(whole(100), pages("tag", 20), among_posts=pages("tag", 20)))

    def test_what_looks_like_a_post_and_is_not_listed_comes_first(self) -> None:
        old = pages("old", 40)
        found = proofs(whole(20), [*pages("tag", 20), *old], likely=old)
        assert found[0] == old[0]
        assert len(found) == 5, "2, and 3 since there are many"
        assert len(proofs(whole(20), [*pages("tag", 20), *old[:2]], likely=old[:2])) == 2, "few are other pages"

    def test_pages_that_are_gone_prove_nothing(self) -> None:
        coverage, tags = whole(60), pages("tag", 20)
        assert proofs(coverage, tags, gone=tags[:3]) == tags[:7]
        assert coverage.is_proven
        assert len(coverage.check) == 4

    def test_not_all_pages_of_a_site_in_ruins_are_tried(self) -> None:
        coverage, tags = whole(60), pages("tag", 90)
        assert proofs(coverage, tags, gone=tags) == tags[:12]
        assert coverage.is_proven

    def test_where_several_of_a_form_are_gone_for_good_further_ones_count(self) -> None:
        coverage, tags = whole(60), pages("tag", 90)
        assert proofs(coverage, tags, gone=tags, is_permanent=True) == tags[:6], "2 in vain, and 4 of 60 posts"
        assert coverage.is_proven

    def test_gone_pages_of_one_form_do_not_count_for_another(self) -> None:
        coverage, tags, authors = whole(60), pages("tag", 2), pages("author", 10)
        found = proofs(coverage, [*tags, *authors], gone=tags, is_permanent=True)
        assert set(found) >= set(tags)
        assert len(set(found) & set(authors)) == 4

    def test_pages_that_look_like_posts_are_still_tried_after_several_that_are_gone(self) -> None:
        old, coverage = pages("old", 40), whole(20)
        found = proofs(coverage, [*pages("tag", 20), *old], gone=old[:8], is_permanent=True, likely=old)
        assert set(found) & set(old[8:])

    def test_lists_that_go_on_are_followed_from_both_ends(self) -> None:
        coverage, pending = whole(60), [f"{SITE}/page/{number}" for number in range(2, 30)]
        found: list[str] = []
        while (url := coverage.next_check_page(lambda: map(PendingPage, pending))) is not None:
            found.append(url)
            pending.remove(url)
            coverage.check.note_list(url, posts(60)[5 * len(found) : 5 * len(found) + 5])
        assert found == [f"{SITE}/page/{number}" for number in (2, 29, 28, 27)]
        assert coverage.is_proven

    @pytest.mark.parametrize("form", ["/page/{}/", "/page{}.html", "/archive?p={}"])
    def test_the_page_behind_all_posts_is_tried(self, form: str) -> None:
        coverage, pending = whole(60), [f"{SITE}{form.format(number)}" for number in range(2, 6)]
        for url in posts(60):
            coverage.judge(url, is_post=True)
        assert coverage.next_check_page(lambda: map(PendingPage, pending)) == pending[0]
        coverage.check.note_list(pending[0], posts(60)[8:16])
        behind = coverage.next_check_page(lambda: map(PendingPage, pending))
        assert behind == f"{SITE}{form.format(9)}"
        coverage.check.note_gone(behind)
        assert len(proofs(coverage, pending[1:])) == 2, "that it is not there proves as much"

    @pytest.mark.parametrize("form", ["/page/{}", "/older?than=post-{}"])
    def test_lists_that_lead_from_one_to_the_next_are_followed_to_their_end(self, form: str) -> None:
        coverage, pending = whole(20), [SITE + form.format(2)]
        for number in range(2, 6):
            assert coverage.next_check_page(lambda: map(PendingPage, pending)) == SITE + form.format(number)
            pending[:] = [SITE + form.format(number + 1)]
            coverage.check.note_list(SITE + form.format(number), posts(20)[2 * number - 4 : 2 * number - 2])
            assert not coverage.is_proven
        assert proofs(coverage, []) == []
        assert coverage.is_proven

    def test_what_looks_like_a_post_and_is_linked_among_posts_comes_before_what_a_list_names(self) -> None:
        coverage, index = whole(10), f"{SITE}/fr/list/"
        authors, old = pages("fr/author", 9), pages("fr/old", 40)
        assert coverage.next_check_page(lambda: waiting([index])) == index
        coverage.note_links(index, [*authors, *posts(10)], is_post=False)
        assert proofs(coverage, [*authors, *old], likely=old, among_posts=old)[0] == old[0]

    def test_a_list_of_lists_leads_to_one_of_these(self) -> None:
        coverage, archive = whole(10), f"{SITE}/list/"
        months = [f"{SITE}/2014/{month:02}/" for month in range(1, 12)]
        assert coverage.next_check_page(lambda: waiting([archive])) == archive
        coverage.note_links(archive, [*months, *posts(10)], is_post=False)
        assert proofs(coverage, months)[0] == months[0]

    def test_the_oldest_of_dated_lists_come_first(self) -> None:
        for form in ("/{}/05/", "/archive/{}05.html", "/?m={}"):
            months = [SITE + form.format(year) for year in range(2020, 2000, -1)]
            assert proofs(whole(20), months) == [months[-1], months[0]]

    def test_what_is_called_a_list(self) -> None:
        assert f"{SITE}/list/" in proofs(whole(10), [*pages("tag", 20), *pages("category", 5), f"{SITE}/list/"])

    def test_what_is_listed_in_the_posts_folder(self) -> None:
        coverage = whole()
        old = [f"{SITE}/2004/11/{number}" for number in range(9)]
        coverage.add_others([*pages("tag", 30), *old])
        assert old[0] in proofs(coverage, [*pages("tag", 30), *old], linked=[*pages("tag", 30), *old])

    def test_what_is_listed_in_the_posts_folder_comes_before_what_is_nowhere_linked(self) -> None:
        coverage = whole()
        old = [f"{SITE}/2004/11/{number}" for number in range(9)]
        coverage.add_others([*pages("tag", 30), *old])
        assert proofs(coverage, [*pages("tag", 30), *old], linked=())[0] == old[0]

    def test_what_is_listed_and_nowhere_linked(self) -> None:
        coverage = whole()
        coverage.add_others([*pages("tag", 30), *pages("old", 9)])
        assert pages("old", 1)[0] in proofs(coverage, [*pages("tag", 30), *pages("old", 9)], linked=pages("tag", 30))

    def test_nothing_is_pending(self) -> None:
        coverage = whole()
        assert proofs(coverage, []) == []
        assert coverage.is_proven
        progress = Progress(pages=0, elapsed_s=0, harvest=StopRules().harvest(), coverage=coverage)
        assert StopRules().check(progress) == Stop(StopReason.SOURCE_COMPLETE, pages=0, source="sitemap")

    def test_a_source_that_is_not_whole_proves_nothing(self) -> None:
        coverage = Coverage("sitemap", is_whole=False)
        assert proofs(coverage, []) == []
        assert not coverage.is_proven


class TestEvidence:
    def found(self, count: int = 60, may_be_post: Callable[[str], bool] = never) -> Coverage:
        coverage = whole(count, may_be_post)
        for url in posts(count):
            coverage.judge(url, is_post=True)
        return coverage

    def connected(self, count: int = 60, may_be_post: Callable[[str], bool] = never) -> Coverage:
        coverage = self.found(count, may_be_post)
        for before, after in pairwise(posts(count)):
            coverage.note_links(before, [*pages("tag", 3), after], is_post=True)
            coverage.note_links(after, [*pages("tag", 3), before], is_post=True)
        return coverage

    def test_posts_that_lead_to_each_other(self) -> None:
        for count, most in ((60, 1), (130, 2)):
            coverage = self.connected(count)
            assert len(proofs(coverage, pages("tag", 20))) == most
            assert coverage.is_proven

    def test_a_page_that_lists_all(self) -> None:
        coverage = self.found()
        coverage.note_links(f"{SITE}/some/", posts(60), is_post=False)
        assert len(proofs(coverage, pages("tag", 20))) == 2
        assert coverage.is_proven

    def test_its_second_page_is_the_best_proof(self) -> None:
        for second in (f"{SITE}/page/2/", f"{SITE}/page2.html", f"{SITE}/?page=2"):
            coverage = self.found()
            coverage.note_links(f"{SITE}/some/", posts(60), is_post=False)
            assert second in proofs(coverage, [*pages("tag", 20), f"{SITE}/2012/", second])

    def test_what_stands_around_all_pages_tells_nothing(self) -> None:
        coverage = self.found()
        for url in posts(60):
            coverage.note_links(url, posts(40), is_post=True)
        assert len(proofs(coverage, pages("tag", 20))) == 4

    def test_what_is_listed_and_not_there_needs_no_links(self) -> None:
        coverage = whole(200)
        for url in posts(60):
            coverage.judge(url, is_post=True)
        coverage.note_links(f"{SITE}/some/", posts(60), is_post=False)
        assert len(proofs(coverage, pages("tag", 20))) == 4, "2, and 1 of each 100 that are listed"

    def test_what_looks_like_a_post_and_is_not_listed_needs_more_proof(self) -> None:
        old = pages("old", 40)
        assert len(proofs(self.connected(), old, likely=old)) == 4

    def test_a_post_that_is_not_listed_needs_more_proof(self) -> None:
        coverage = self.connected()
        coverage.judge(f"{SITE}/stray/", is_post=True)
        assert len(proofs(coverage, pages("tag", 20))) == 11

    def test_a_proof_may_make_others_needless(self) -> None:
        coverage = self.found(120)
        found = [coverage.next_check_page(lambda: map(PendingPage, pages("tag", 20))) for _ in range(3)]
        assert None not in found
        assert not coverage.is_proven
        coverage.note_links(f"{SITE}/some/", posts(120), is_post=False)
        assert coverage.next_check_page(lambda: map(PendingPage, pages("tag", 20))) is None
        assert coverage.is_proven

    def test_what_a_proof_shows_is_tried(self) -> None:
        old, pending = pages("old", 40), pages("tag", 20)
        coverage = self.connected(may_be_post=lambda url: "word" in url)
        assert coverage.next_check_page(lambda: map(PendingPage, pending)) == pending[0]
        coverage.note_links(f"{SITE}/some/", [*posts(3), *old], is_post=False)
        found = proofs(coverage, [*pending, *old], likely=old)
        assert len(found) == 3
        assert set(found) <= set(old), "none of them was a post"
        assert coverage.is_proven

    def test_what_a_proof_shows_is_asked_for_once(self) -> None:
        tags, old = pages("tag", 20), pages("old", 1)
        coverage = whole(100, lambda url: url in old)
        assert coverage.next_check_page(lambda: waiting([*tags, *old])) == tags[0]
        coverage.note_links(tags[0], old, is_post=False)
        assert proofs(coverage, [*tags, *old]) == [*old, *tags[1:6]]

    def test_addresses_that_differ_by_a_slash_are_of_one_post(self) -> None:
        coverage = self.found(120, lambda _: True)
        coverage.note_links(f"{SITE}/some/", [url.rstrip("/") for url in posts(120)], is_post=False)
        assert coverage.knows(posts(1)[0].rstrip("/"))
        assert len(proofs(coverage, pages("tag", 20))) == 3


def test_a_page_of_the_proof_that_nobody_can_tell_asks_for_another_of_its_form() -> None:
    coverage = whole(20)
    pending = pages("notes", 8)
    first = coverage.next_check_page(lambda: waiting(pending))
    assert first is not None
    before = len(proofs(coverage, [url for url in pending if url != first]))
    coverage = whole(20)
    coverage.next_check_page(lambda: waiting(pending))
    coverage.doubt(first)
    assert len(proofs(coverage, [url for url in pending if url != first])) == before + 1


def test_what_is_called_a_list_is_looked_at_first() -> None:
    coverage = whole()
    pending = [f"{SITE}/page/2/", *pages("tag", 5), f"{SITE}/old-list/"]
    assert proofs(coverage, pending)[0] == f"{SITE}/old-list/"


def test_a_page_among_links_to_posts_is_looked_at_however_long_lists_go_on() -> None:
    coverage = whole()
    odd = f"{SITE}/2014/05/var/lib/word/"
    pending = [*(f"{SITE}/page/{number}/" for number in range(2, 30)), *pages("tag", 5), odd]
    assert proofs(coverage, pending, among_posts=[odd])[0] == odd


def test_a_form_that_was_looked_at_again_gives_way_to_others() -> None:
    coverage = whole(20)
    pending = [*pages("notes", 8), *pages("tag", 8)]
    first = coverage.next_check_page(lambda: waiting(pending))
    assert first is not None
    coverage.doubt(first)
    found = proofs(coverage, [url for url in pending if url != first])
    assert sum("/tag/" in url for url in found) >= len(found) // 2


CHAIN = [f"{SITE}/older/{number}/" for number in range(2, 14)]
MANY = [*(f"{SITE}/page/{number}/" for number in range(2, 14)), *pages("tag", 20), f"{SITE}/2012/", f"{SITE}/all.html"]


class Told:
    """A source of posts that were all found, and what is told of its proof."""

    def __init__(self) -> None:
        self.commands: list[tuple[str, list[Any]]] = []
        self.begin_anew()

    def begin_anew(self) -> None:
        """Another process goes on, which does what the one before has told."""
        self.coverage = whole(60)
        for url in posts(60):
            self.coverage.judge(url, is_post=True)
        for method, arguments in self.commands:
            getattr(self.coverage.check, method)(*arguments)

    def tell(self, method: str, *arguments: Any) -> None:
        self.commands.append((method, json.loads(json.dumps(arguments))))


def proven(waiting: Callable[[int], list[str]], cut: int | None = None) -> list[str]:
    """The pages of a proof; after so many another process goes on."""
    told, asked = Told(), list[str]()
    while True:
        if len(asked) == cut:
            told.begin_anew()
        found = [url for url in waiting(len(asked)) if url not in asked]
        url = told.coverage.next_check_page(lambda found=found: map(PendingPage, found))  # type: ignore[misc]
        if url is None:
            assert told.coverage.is_proven
            return asked
        asked.append(url)
        told.tell("note_asked", url, told.coverage.check.take_state())
        listed = posts(60)[5 * len(asked) :][:5] if "/older/" in url or "/page/" in url else []
        told.tell("note_list", url, listed)
        told.coverage.check.note_list(url, listed)


@pytest.mark.parametrize("waiting", [lambda done: CHAIN[: done + 1], lambda _: MANY], ids=["one by one", "many"])
def test_whoever_goes_on_asks_for_the_same_pages(waiting) -> None:
    alone = proven(waiting, None)
    assert len(alone) >= 4
    for cut in range(1, len(alone) + 1):
        assert proven(waiting, cut) == alone, cut
