"""The frontier: order, states, redirects, persistence."""

from __future__ import annotations

import itertools
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from blogcrawler.errors import BadArgument
from blogcrawler.frontier import Frontier, FrontierStore, Link, PermalinkPattern

if TYPE_CHECKING:
    from collections.abc import Sequence

E = "http://example.org"


class FixedEstimate:
    """Says of each URL what it was told to say."""

    def __init__(self, **yields: float) -> None:
        self.yields = yields
        self.asked = 0
        self.learned: list[tuple[str, float]] = []

    def __len__(self) -> int:
        return len(self.learned)

    def __bool__(self) -> bool:
        return True

    def partial_fit(self, urls: Sequence[str], yields: Sequence[float], marks: object = None) -> None:
        self.learned += zip(urls, yields, strict=True)

    def predict(self, urls: Sequence[str], marks: object = None) -> list[float]:
        self.asked += len(urls)
        return [self.yields.get(url.rpartition("/")[2], 0.0) for url in urls]


def drain(frontier: Frontier) -> list[str]:
    """What is left, in the order in which it would be fetched."""
    urls = []
    while (candidate := frontier.pop()) is not None:
        urls.append(candidate.url.removeprefix(E))
    return urls


def reopened(store: FrontierStore) -> Frontier:
    frontier = Frontier(store)
    frontier.resume()
    return frontier


def test_a_page_that_brings_nothing_is_dropped_while_others_are_to_be_looked_at() -> None:
    """Where posts alone are asked for, a page that is no post and is to be looked at first stays where it is."""
    frontier = Frontier()
    posts = [f"{E}/words-of-mine-{name}" for name in "abcd"]
    frontier.add_many([Link(url, is_post=True) for url in posts])
    menu_post, translation = Link(f"{posts[0]}?view=1", is_post=True, in_menu=True), Link(f"{posts[0]}?lang=de")
    frontier.add_many([menu_post, translation], found_on=f"{E}/")
    for post in posts[1:]:
        frontier.redirected(post, post)
        frontier.commit_page(post, yield_=0, links=[], is_post=True)
        frontier.redirected(f"{post}?view=1", f"{post}?view=1")
        frontier.commit_page(f"{post}?view=1", yield_=0, links=[], is_post=False, is_copy=True)
    assert frontier.has_promising_page()
    first = frontier.pop(posts_only=True)
    assert first is not None
    assert first.url == posts[0]
    assert frontier.pop(posts_only=True) is None
    assert frontier.status(menu_post.url) == "dropped"
    assert frontier.status(translation.url) == "pending"


class TestOrder:
    def test_posts_first_then_yield_then_discovery(self, store: FrontierStore) -> None:
        frontier = Frontier(store, estimator=FixedEstimate(good=9, fair=3))
        frontier.add_many([Link(f"{E}/{name}") for name in ("poor", "fair", "good", "poor2")])
        frontier.add_many([Link(f"{E}/post1", is_post=True), Link(f"{E}/post2", is_post=True)])
        assert (len(frontier), frontier.pending_posts) == (6, 2)
        assert drain(frontier) == ["/post1", "/post2", "/good", "/fair", "/poor", "/poor2"]
        assert (len(frontier), frontier.pending_posts) == (0, 0)

    def test_bonus(self, store: FrontierStore) -> None:
        frontier = Frontier(store)
        frontier.add(f"{E}/a", is_post=False)
        frontier.add_many([Link(f"{E}/b", bonus=0.5)])
        assert drain(frontier) == ["/b", "/a"]

    def test_a_link_says_more_of_a_page_than_a_list_of_addresses(self, store: FrontierStore) -> None:
        frontier = Frontier(store)
        frontier.add_many([Link(f"{E}/one/"), Link(f"{E}/weblog/")], found_on=f"{E}/sitemap.xml")
        frontier.add_many([Link(f"{E}/weblog/", bonus=0.25, marks=("place 1", "text before #"))], found_on=f"{E}/")
        assert drain(frontier) == ["/weblog/", "/one/"]

    def test_ranks_are_not_frozen_at_discovery(self, store: FrontierStore) -> None:
        frontier = Frontier(store)
        frontier.add_many([Link(f"{E}/forum/t{n}/") for n in range(20)])
        frontier.add_many([Link(f"{E}/page/{n}/") for n in range(2, 7)])
        for url in (f"{E}/forum/t90/", f"{E}/forum/t91/"):
            frontier.done(url, yield_=0)
        for n in (97, 98, 99):
            frontier.done(f"{E}/page/{n}/", yield_=10)
        assert set(drain(frontier)[:5]) == {f"/page/{n}/" for n in range(2, 7)}

    def test_ranking_again_is_amortised(self, store: FrontierStore) -> None:
        estimate = FixedEstimate()
        frontier = Frontier(store, estimator=estimate)
        words = ["".join(letters) for letters in itertools.product("abcdefghij", repeat=3)]
        frontier.add_many([Link(f"{E}/{word}") for word in words])
        for _ in range(400):
            candidate = frontier.pop()
            assert candidate
            frontier.done(candidate.url, yield_=1)
        # each fifth while few are known, then each 25th: far from once a page
        assert estimate.asked < 45 * 1000
        assert len(estimate.learned) == 400


class TestAdding:
    def test_one_page_is_one_url(self, store: FrontierStore) -> None:
        frontier = Frontier(store)
        assert frontier.add(f"{E}/a?utm_source=x#top", is_post=False)
        for spelling in (f"{E}/a", "https://www.example.org/a", f"{E}:80/%61"):
            assert frontier.known(spelling)
            assert not frontier.add(spelling, is_post=False)
        assert len(frontier) == 1
        candidate = frontier.pop()
        assert candidate is not None
        assert candidate.url == f"{E}/a"

    @pytest.mark.parametrize("url", ["", "/a", "mailto:a@b.c", "http://[", f"{E}/{'a/' * 20}", f"{E}/{'a' * 3000}"])
    def test_junk_is_left_out(self, store: FrontierStore, url: str) -> None:
        frontier = Frontier(store)
        assert not frontier.add(url, is_post=False)
        assert not frontier.known(url)

    def test_bounds_are_for_pages(self, store: FrontierStore) -> None:
        frontier = Frontier(store)
        assert not frontier.add(f"{E}/{'b/' * 20}", is_post=False)
        assert frontier.add(f"{E}/{'a/' * 20}", is_post=True)

    def test_many_pages_wait_in_the_store(self, store: FrontierStore) -> None:
        frontier = Frontier(store, max_pending=4)
        assert frontier.add_many([Link(f"{E}/{n}x") for n in range(20)]) == 20
        assert frontier.status(f"{E}/19x") == "pending"
        frontier.add(f"{E}/18x", is_post=True)
        assert (len(frontier), frontier.pending_posts) == (20, 1)
        frontier.flush()
        again = Frontier(store, max_pending=4)
        assert len(again) == 20
        assert again.pop().url == f"{E}/18x"  # type: ignore[union-attr]
        assert sorted(drain(again)) == sorted(f"/{n}x" for n in range(20) if n != 18)

    def test_a_page_turns_out_to_be_a_post(self, store: FrontierStore) -> None:
        frontier = Frontier(store)
        frontier.add_many([Link(f"{E}/a"), Link(f"{E}/b")])
        assert not frontier.add(f"{E}/b", is_post=True)
        assert frontier.pending_posts == 1
        assert drain(frontier) == ["/b", "/a"]

    def test_candidates_know_where_they_are_from(self, store: FrontierStore) -> None:
        frontier = Frontier(store)
        frontier.add_many([Link(f"{E}/a", is_post=True)], found_on=f"{E}/", depth=3)
        candidate = frontier.pop()
        assert candidate
        assert (candidate.found_on, candidate.depth, candidate.is_post) == (f"{E}/", 3, True)


class TestStates:
    def test_done_counts_new_posts(self, store: FrontierStore) -> None:
        frontier = Frontier(store)
        frontier.add(f"{E}/known", is_post=True)
        frontier.add(f"{E}/list", is_post=False)
        links = [Link(f"{E}/known", is_post=True), Link(f"{E}/new", is_post=True), Link(f"{E}/about")]
        frontier.add_many(links, found_on=f"{E}/list")
        assert frontier.done(f"{E}/list", yield_=2) == 1
        assert frontier.done(f"{E}/list", yield_=2) == 0

    def test_what_a_page_is_counts_before_it_is_done(self, store: FrontierStore) -> None:
        estimate = FixedEstimate()
        at_once, later = Frontier(store, estimator=estimate), Frontier(estimator=FixedEstimate())
        for frontier in (at_once, later):
            frontier.add(f"{E}/1.html", is_post=True)
            assert frontier.pop()
            frontier.add_many([Link(f"{E}/2.html", is_post=True)], found_on=f"{E}/1.html")
        assert at_once.learn(f"{E}/1.html", yield_=1, is_post=True) == 1
        assert at_once.status(f"{E}/1.html") == "claimed"
        assert later.done(f"{E}/1.html", yield_=1, is_post=True) == 1
        assert at_once.found_on_posts == later.found_on_posts == 1
        assert at_once.done(f"{E}/1.html", yield_=1, is_post=True) == 1
        assert at_once.status(f"{E}/1.html") == "done"
        assert at_once.found_on_posts == 1
        assert drain(at_once) == drain(later) == ["/2.html"]

    @pytest.mark.parametrize("ends", [True, False])
    def test_what_was_learned_from_and_not_done_is_fetched_again(self, store: FrontierStore, ends: bool) -> None:
        frontier = Frontier(store)
        frontier.add(f"{E}/1.html", is_post=True)
        assert frontier.pop()
        frontier.learn(f"{E}/1.html", yield_=0, is_post=True)
        if ends:
            frontier.failed(f"{E}/1.html", "could not be kept", gone=True)
        frontier.flush()
        again = reopened(store)
        assert drain(again) == ([] if ends else ["/1.html"])
        if not ends:
            again.add_many([Link(f"{E}/2.html", is_post=True)], found_on=f"{E}/1.html")
            assert again.done(f"{E}/1.html", yield_=1, is_post=True) == 1

    def test_nothing_is_handed_out_twice(self, store: FrontierStore) -> None:
        frontier = Frontier(store)
        frontier.add_many([Link(f"{E}/{n}x") for n in range(5)])
        assert len(set(drain(frontier))) == 5
        frontier.failed(f"{E}/0x", "404")
        frontier.done(f"{E}/1x")
        assert frontier.pop() is None
        assert not frontier.add(f"{E}/0x", is_post=True)

    def test_failures_are_tried_again_on_request(self, store: FrontierStore) -> None:
        frontier = Frontier(store)
        frontier.add(f"{E}/a", is_post=True)
        drain(frontier)
        frontier.failed(f"{E}/a", "503")
        assert frontier.resume() == 0
        assert frontier.resume(retry_failed=True) == 1
        assert drain(frontier) == ["/a"]

    def test_urls_that_it_never_offered(self, store: FrontierStore) -> None:
        frontier = Frontier(store)
        assert frontier.done(f"{E}/", yield_=3) == 0
        frontier.failed(f"{E}/x", "404")
        assert frontier.known(f"{E}/")
        assert frontier.known(f"{E}/x")
        with pytest.raises(BadArgument):
            frontier.done("junk")
        with pytest.raises(BadArgument):
            frontier.failed("junk", "404")


class TestRedirects:
    def test_to_a_page_that_is_new(self, store: FrontierStore) -> None:
        frontier = Frontier(store)
        frontier.add(f"{E}/?p=1", is_post=True)
        drain(frontier)
        assert frontier.redirected(f"{E}/?p=1", f"{E}/2014/a/")
        frontier.done(f"{E}/2014/a/", yield_=0)
        assert not frontier.add(f"{E}/2014/a/", is_post=True)
        assert not frontier.add(f"{E}/?p=1", is_post=True)
        frontier.flush()
        assert drain(reopened(store)) == []

    def test_to_a_page_that_waits(self, store: FrontierStore) -> None:
        frontier = Frontier(store)
        frontier.add_many([Link(f"{E}/short", is_post=True), Link(f"{E}/long", is_post=True)])
        candidate = frontier.pop()
        assert candidate
        assert frontier.redirected(candidate.url, f"{E}/long")
        assert len(frontier) == 0

    @pytest.mark.parametrize("state", ["claimed", "done"])
    def test_to_a_page_that_was_fetched(self, store: FrontierStore, state: str) -> None:
        frontier = Frontier(store)
        frontier.add_many([Link(f"{E}/long", is_post=True), Link(f"{E}/short", is_post=True)])
        drain(frontier)
        if state == "done":
            frontier.done(f"{E}/long")
        assert not frontier.redirected(f"{E}/short", f"{E}/long")

    def test_to_another_spelling_of_itself(self, store: FrontierStore) -> None:
        frontier = Frontier(store)
        frontier.add(f"{E}/a", is_post=True)
        drain(frontier)
        assert frontier.redirected(f"{E}/a", "https://www.example.org/a")
        frontier.done("https://www.example.org/a")
        frontier.flush()
        assert drain(reopened(store)) == []

    def test_killed_before_the_target_was_done(self, store: FrontierStore) -> None:
        frontier = Frontier(store)
        frontier.add(f"{E}/short", is_post=True)
        drain(frontier)
        frontier.redirected(f"{E}/short", f"{E}/long")
        frontier.flush()
        assert drain(reopened(store)) == ["/long"]


def test_what_is_unfinished_comes_in_the_order_in_which_it_was_found(store: FrontierStore) -> None:
    """A crawl that goes on has another part of it under way, and the same order."""
    frontier = Frontier(store)
    frontier.add_many([Link(f"{E}/{name}", is_post=name != "list") for name in ("a", "b", "list", "c", "d")])
    first = [frontier.pop() for _ in range(3)]
    frontier.done(f"{E}/b", yield_=0, is_post=True)
    frontier.flush()
    assert [one.url for one in first if one] == [f"{E}/a", f"{E}/b", f"{E}/c"]
    assert [one.url for one in frontier.unfinished()] == [f"{E}/a", f"{E}/c", f"{E}/d"]
    assert [one.url for one in reopened(store).unfinished()] == [f"{E}/a", f"{E}/c", f"{E}/d"]


def test_reclassify(store: FrontierStore) -> None:
    frontier = Frontier(store)
    frontier.add(f"{E}/odd-post", is_post=True)
    frontier.add_many([Link(f"{E}/tag/a", is_post=True), Link(f"{E}/blog/a")], found_on=f"{E}/")
    pattern = PermalinkPattern.learn([f"{E}/blog/{name}" for name in "xyz"])
    assert frontier.reclassify(pattern.matches) == 2
    assert frontier.reclassify(pattern.matches) == 0
    assert frontier.pending_posts == 2
    frontier.flush()
    assert drain(reopened(store)) == ["/odd-post", "/blog/a", "/tag/a"]


class TestTraps:
    @pytest.mark.parametrize("form", ["/calendar/{}/1/", "/tag/t{}z/", "/list?page={}", "/deep/x/y/z{}"])
    def test_an_endless_space_ends(self, store: FrontierStore, form: str) -> None:
        frontier = Frontier(store)
        frontier.add(f"{E}{form.format(0)}", is_post=False)
        fetched = 0
        while (candidate := frontier.pop()) is not None and fetched < 500:
            fetched += 1
            links = [Link(E + form.format(fetched * 10 + n)) for n in range(3)]
            frontier.commit_page(candidate.url, yield_=0, links=links)
        assert 5 <= fetched <= 15

    def test_what_brings_nothing_waits_until_the_end(self, store: FrontierStore) -> None:
        frontier = Frontier(store, estimator=FixedEstimate(late=-0.5))
        frontier.add_many([Link(f"{E}/tag/a{n}z") for n in range(30)])
        for _ in range(8):
            candidate = frontier.pop()
            assert candidate
            frontier.done(candidate.url, yield_=5)
        frontier.add(f"{E}/x/late", is_post=False)
        assert drain(frontier)[0] == "/x/late"

    @pytest.mark.parametrize(("posts", "pages"), [(10, 10), (200, 20), (1000, 40)])
    @pytest.mark.parametrize("is_empty", [False, True])
    def test_a_trap_costs_a_share_of_the_posts(
        self, store: FrontierStore, posts: int, pages: int, is_empty: bool
    ) -> None:
        """Half of it where its pages are empty; these show a post that all show."""
        shown = [] if is_empty else [Link(f"{E}/2020/01/post-1/", is_post=True)]
        frontier = Frontier(store)
        for number in range(posts):
            frontier.add(f"{E}/2020/01/post-{number}/", is_post=True)
            frontier.commit_page(f"{E}/2020/01/post-{number}/", yield_=0, links=[], is_post=True)
        frontier.add_many([Link(f"{E}/tag/t{number}z") for number in range(60)], found_on=f"{E}/")
        fetched = 0
        while (candidate := frontier.pop()) is not None:
            frontier.commit_page(candidate.url, yield_=len(shown), links=shown)
            fetched += 1
        assert fetched == (pages // 2 if is_empty else pages)

    def test_a_kind_that_led_to_posts_has_more_chances(self, store: FrontierStore) -> None:
        frontier = Frontier(store)
        frontier.add_many([Link(f"{E}/tag/t{number}z") for number in range(60)], found_on=f"{E}/")
        fetched = 0
        while (candidate := frontier.pop()) is not None:
            links = [] if candidate.is_post or fetched else [Link(f"{E}/2020/01/a-post/", is_post=True)]
            frontier.commit_page(candidate.url, yield_=len(links), links=links)
            fetched += not candidate.is_post
        assert fetched == 1 + 40, "four times as many, also if they are empty"

    def test_a_place_that_leads_to_nothing_is_left_alone(self, store: FrontierStore) -> None:
        """Addresses that lead nowhere may look like posts, and have nothing in common but where they are linked."""
        frontier = Frontier(store)
        lost, good = ("place 1",), ("place 2",)
        for number in range(30):
            names = [f"{'abc'[at]}{number}-words" for at in range(3)]
            links = [
                Link(f"{E}/{names[0]}", True, marks=good),
                *(Link(f"{E}/{n}", True, marks=lost) for n in names[1:]),
            ]
            frontier.add_many(links, found_on=f"{E}/")
        fetched = []
        while (candidate := frontier.pop()) is not None:
            is_post = candidate.marks == good
            frontier.commit_page(candidate.url, yield_=0, links=[], is_post=is_post)
            fetched.append(is_post)
        assert fetched.count(True) == 30
        assert fetched.count(False) <= 12

    def test_a_place_whose_links_are_redirected_to_posts_is_one_of_posts(self, store: FrontierStore) -> None:
        """Some lists link to addresses that the site writes in another way, of old posts that are mostly gone."""
        frontier = Frontier(store)
        known = [f"{E}/2020/01/post-{number}/" for number in range(20)]
        for url in known:
            frontier.add(url, is_post=True)
            frontier.commit_page(url, yield_=0, links=[], is_post=True)
        names = [f"{E}/2019/01/{'abc'[n % 3]}-old-{n}" for n in range(60)]
        frontier.add_many([Link(url, is_post=True, marks=("place 1",)) for url in names], found_on=f"{E}/list")
        found = 0
        for number in range(60):
            candidate = frontier.pop()
            assert candidate is not None, f"after {number} of 60"
            if number % 3 == 0:
                assert not frontier.redirected(candidate.url, known[number // 3])
            elif number % 10 == 1:
                assert frontier.redirected(candidate.url, f"{candidate.url}.html")
                frontier.commit_page(f"{candidate.url}.html", yield_=0, links=[], is_post=True)
                found += 1
            else:
                frontier.failed(candidate.url, "404", gone=True)
        assert found > 3

    def test_a_fruitful_space_goes_on(self, store: FrontierStore) -> None:
        frontier = Frontier(store)
        frontier.add(f"{E}/page/1/", is_post=False)
        lists = 0
        while (candidate := frontier.pop()) is not None and lists < 100:
            lists += not candidate.is_post
            links = [Link(f"{E}/post-{lists}x", is_post=True), Link(f"{E}/page/{lists + 1}/")]
            frontier.commit_page(candidate.url, yield_=1, links=[] if candidate.is_post else links)
        assert lists == 100

    @pytest.mark.parametrize(("gone", "is_left_out"), [(True, False), (False, True)])
    def test_addresses_of_posts_of_which_many_are_gone(
        self, store: FrontierStore, gone: bool, is_left_out: bool
    ) -> None:
        """Dead links are no proof that a blog's older posts are none; pages that are there and are no posts are."""
        frontier = Frontier(store)
        frontier.add_many([Link(f"{E}/old/word{n}x", is_post=True) for n in range(60)], found_on=f"{E}/")
        for _ in range(50):
            candidate = frontier.pop()
            if candidate is None:
                break
            if gone:
                frontier.failed(candidate.url, "404", gone=True)
            else:
                frontier.commit_page(candidate.url, yield_=0, links=[], is_post=False)
        assert (len(frontier) == 0) is is_left_out

    def test_lists_that_go_on_through_known_posts_are_not_barren(self, store: FrontierStore) -> None:
        frontier = Frontier(store)
        posts = [f"{E}/2020/01/post-{number}/" for number in range(60)]
        for url in posts:
            frontier.add(url, is_post=True)
            frontier.commit_page(url, yield_=0, links=[])
        frontier.add(f"{E}/page/0/", is_post=False)
        for number in range(30):
            candidate = frontier.pop()
            assert candidate is not None
            assert candidate.url == f"{E}/page/{number}/"
            shown = [Link(url, is_post=True) for url in posts[2 * number : 2 * number + 2]]
            frontier.commit_page(candidate.url, yield_=2, links=[*shown, Link(f"{E}/page/{number + 1}/")])

    def test_a_pause_of_years_is_no_end(self, store: FrontierStore) -> None:
        frontier = Frontier(store)
        months = [f"{E}/{year}/{month:02}/" for year in range(2020, 2000, -1) for month in range(12, 0, -1)]
        frontier.add_many([Link(url) for url in months], found_on=f"{E}/")
        found = 0
        while (candidate := frontier.pop()) is not None:
            number = months.index(candidate.url) if candidate.url in months else None
            links = [Link(f"{E}/{number}/a-post/", is_post=True)] if number is not None and number > 200 else []
            found += candidate.is_post
            frontier.commit_page(candidate.url, yield_=len(links), links=links, is_post=candidate.is_post)
        assert found == len(months) - 201

    @pytest.mark.parametrize(
        ("form", "tries"),
        [
            ("/{}/?visit={}", 1),
            ("/{}/?answer={:.2}", 1),
            ("/{}/?a=b&visit={}", 1),
            ("/x-{1}/{0}/", 1),
            ("/{}/copy-{}", 5),
        ],
    )
    def test_what_is_added_to_posts_is_soon_left_alone(self, store: FrontierStore, form: str, tries: int) -> None:
        frontier = Frontier(store)
        names = [f"2020/01/words-of-{number}" for number in range(20)]
        for number, name in enumerate(names):
            frontier.add(f"{E}/{name}/", is_post=True)
            copies = [Link(E + form.format(name, f"1{number}{copy}a")) for copy in range(3)]
            frontier.commit_page(f"{E}/{name}/", yield_=0, links=copies)
        frontier.add(f"{E}/list/", is_post=False)
        assert frontier.pop().url == f"{E}/list/"  # type: ignore[union-attr]
        fetched = 0
        while (candidate := frontier.pop()) is not None:
            frontier.commit_page(candidate.url, yield_=0, links=[])
            fetched += 1
        assert fetched == tries, "what stands below a post's address may be another post"

    def test_parameters_that_lead_to_posts_are_followed(self, store: FrontierStore) -> None:
        frontier = Frontier(store)
        frontier.add(f"{E}/blog", is_post=False)
        lists = 0
        while (candidate := frontier.pop()) is not None and lists < 30:
            lists += not candidate.is_post
            links = [Link(f"{E}/2020/01/post-{lists}/", is_post=True), Link(f"{E}/blog?page={lists + 1}")]
            frontier.commit_page(candidate.url, yield_=1, links=[] if candidate.is_post else links)
        assert lists == 30


class TestPersistence:
    def test_what_was_done_stays_done(self, store: FrontierStore) -> None:
        frontier = Frontier(store)
        frontier.add(f"{E}/", is_post=False)
        candidate = frontier.pop()
        assert candidate
        found = [Link(f"{E}/a", is_post=True), Link(f"{E}/b"), Link(f"{E}/c", bonus=1)]
        assert frontier.commit_page(candidate.url, yield_=1, links=found) == 1
        again = reopened(store)
        assert (len(again), again.pending_posts) == (3, 1)
        assert again.known(f"{E}/")
        assert drain(again) == ["/a", "/c", "/b"]

    def test_a_page_and_its_links_are_lost_together(self, store: FrontierStore) -> None:
        frontier = Frontier(store)
        frontier.add(f"{E}/", is_post=False)
        frontier.flush()
        frontier.pop()
        frontier.add_many([Link(f"{E}/a", is_post=True)], found_on=f"{E}/")
        frontier.done(f"{E}/", yield_=1)
        assert drain(reopened(store)) == ["/"]

    def test_claims_wait_for_resume(self, store: FrontierStore) -> None:
        frontier = Frontier(store)
        frontier.add(f"{E}/a", is_post=True)
        frontier.pop()
        frontier.flush()
        again = Frontier(store)
        assert again.pop() is None
        assert again.resume() == 1
        assert drain(again) == ["/a"]

    def test_the_estimate_survives(self, store: FrontierStore) -> None:
        frontier = Frontier(store)
        for n in range(5):
            frontier.done(f"{E}/forum/t{n}/", yield_=0)
            frontier.done(f"{E}/page/{n}/", yield_=9)
        frontier.flush()
        again = reopened(store)
        again.add_many([Link(f"{E}/forum/t77/"), Link(f"{E}/page/77/")])
        assert drain(again) == ["/page/77/", "/forum/t77/"]

    def test_barren_shapes_survive(self, store: FrontierStore) -> None:
        frontier = Frontier(store)
        for n in range(40):
            frontier.done(f"{E}/tag/t{n}/", yield_=0)
        frontier.flush()
        assert not reopened(store).add(f"{E}/tag/t99/", is_post=False)

    def test_a_cleared_store_is_empty(self, store: FrontierStore) -> None:
        frontier = Frontier(store)
        frontier.add(f"{E}/a", is_post=True)
        frontier.flush()
        store.clear()
        assert len(Frontier(store)) == 0


def test_many_urls() -> None:
    frontier = Frontier()
    start = time.process_time()
    frontier.add_many(Link(f"{E}/f{n % 100}/p{n}z") for n in range(30_000))
    assert frontier.pop()
    assert len(frontier) == 29_999
    assert time.process_time() - start < 8


def test_scikit_learn_is_loaded_when_needed() -> None:
    code = "import sys, blogcrawler.frontier as f; f.Frontier().pop(); print('sklearn' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"


def test_posts_alone_are_handed_out_on_request():
    frontier = Frontier()
    frontier.add_many([Link(f"{E}/list/"), Link(f"{E}/2020/01/a/", is_post=True), Link(f"{E}/tags/")])
    assert frontier.pop(posts_only=True).url == f"{E}/2020/01/a/"
    assert frontier.pop(posts_only=True) is None
    assert len(frontier) == 2


def test_the_first_page_of_a_kind_is_waited_for() -> None:
    frontier = Frontier()
    frontier.add_many([Link(f"{E}/wiki/{n}/") for n in range(5)])
    frontier.add_many([Link(f"{E}/list/{n}/") for n in range(5)])
    first, second, third = frontier.pop(), frontier.pop(), frontier.pop()
    assert first
    assert second
    assert third
    assert {first.url, second.url} == {f"{E}/wiki/0/", f"{E}/list/0/"}
    assert third.url == f"{E}/wiki/1/", "nothing else is left"
    frontier.done(second.url, yield_=3)
    assert frontier.pop().url.startswith(f"{E}/list/")  # type: ignore[union-attr]
