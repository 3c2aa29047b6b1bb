"""Which URLs are posts before they are fetched."""

from __future__ import annotations

from blogcrawler.frontier import Frontier, FrontierStore, Link

E = "http://example.org"
TITLES, TAGS, NAV = ("place 1",), ("place 2",), ("place 3",)


def drain(frontier: Frontier) -> list[str]:
    urls = []
    while (candidate := frontier.pop()) is not None:
        urls.append(candidate.url.removeprefix(E))
    return urls


def on_page(frontier: Frontier, links: list[Link]) -> None:
    frontier.add(f"{E}/", is_post=False)
    frontier.commit_page(f"{E}/", yield_=0, links=links, is_post=False)


def test_the_pattern_is_believed_first(store: FrontierStore) -> None:
    frontier = Frontier(store)
    on_page(frontier, [Link(f"{E}/a/x", True, marks=TAGS), Link(f"{E}/b", marks=TITLES)])
    assert frontier.pending_posts == 1
    assert drain(frontier) == ["/a/x", "/b"]


def test_where_links_lead_to_no_posts_others_go_first(store: FrontierStore) -> None:
    frontier = Frontier(store)
    tags = [Link(f"{E}/tag/t{n}", is_post=True, marks=TAGS) for n in range(8)]
    titles = [Link(f"{E}/x/p{n}", is_post=True, marks=TITLES) for n in range(8)]
    on_page(frontier, [*tags[:2], *titles[:2], *tags[2:], *titles[2:]])
    for link in (*tags[:2], *titles[:2]):
        frontier.done(link.url, yield_=0, is_post=link.marks == TITLES)
    assert drain(frontier)[:6] == [f"/x/p{n}" for n in range(2, 8)]


def test_the_menu_goes_last(store: FrontierStore) -> None:
    frontier = Frontier(store)
    on_page(frontier, [Link(f"{E}/about", True, marks=NAV, in_menu=True), Link(f"{E}/post", True, marks=TITLES)])
    assert frontier.pending_posts == 2
    assert drain(frontier) == ["/post", "/about"]


def test_a_known_page_without_its_slash_goes_last(store: FrontierStore) -> None:
    frontier = Frontier(store)
    frontier.add(f"{E}/one/", is_post=True)
    on_page(frontier, [Link(f"{E}/one", is_post=True), Link(f"{E}/two/", is_post=True)])
    assert drain(frontier) == ["/one/", "/two/", "/one"]


def test_seeds_are_certain(store: FrontierStore) -> None:
    frontier = Frontier(store)
    frontier.add_many([Link(f"{E}/tag/t{n}", is_post=True) for n in range(9)], found_on=f"{E}/")
    frontier.add(f"{E}/tag/seed", is_post=True)
    for n in range(5):
        frontier.done(f"{E}/tag/t{n}", yield_=0, is_post=False)
    assert frontier.pop().url == f"{E}/tag/seed"  # type: ignore[union-attr]


def test_what_was_learned_survives(store: FrontierStore) -> None:
    frontier = Frontier(store)
    on_page(frontier, [Link(f"{E}/tag/t{n}", is_post=True, marks=TAGS) for n in range(8)])
    for n in range(4):
        frontier.done(f"{E}/tag/t{n}", yield_=0, is_post=False)
    frontier.add_many([Link(f"{E}/x/late", is_post=True, marks=TITLES)], found_on=f"{E}/")
    frontier.flush()
    again = Frontier(store)
    again.resume()
    assert drain(again)[0] == "/x/late"


class TestDoubtfulPages:
    """Fetched pages of which nobody can tell whether they are posts."""

    def links(self, name: str, count: int, marks: tuple[str, ...]) -> list[Link]:
        return [Link(f"{E}/x/{name}{n}x", is_post=True, marks=marks) for n in range(count)]

    def begin(self, frontier: Frontier) -> tuple[list[Link], list[Link]]:
        doubtful, posts = self.links("doubtful", 12, TAGS), self.links("post", 8, TITLES)
        on_page(frontier, [*doubtful, *posts])
        for link in posts[:2]:
            frontier.done(link.url, yield_=0, is_post=True)
        return doubtful, posts

    def test_pages_like_them_wait(self, store: FrontierStore) -> None:
        frontier = Frontier(store)
        doubtful, posts = self.begin(frontier)
        asked = []
        while (candidate := frontier.pop()) is not None and len(asked) < 11:
            asked.append(candidate.url)
            if "doubtful" in candidate.url:
                frontier.undecided(candidate.url)
            else:
                frontier.done(candidate.url, yield_=0, is_post=True)
        assert asked == [link.url for link in (*doubtful[:5], *posts[2:])]

    def test_they_are_posts_again_when_they_turn_out_to_be(self, store: FrontierStore) -> None:
        frontier = Frontier(store)
        doubtful, posts = self.begin(frontier)
        for link in doubtful[:5]:
            assert frontier.pop() is not None
            frontier.undecided(link.url)
        candidate = frontier.pop()
        assert candidate is not None
        assert candidate.url == posts[2].url
        assert frontier.pending_posts == len(posts) - 3, "the others are not believed to be posts"
        for link in doubtful[:5]:
            frontier.done(link.url, yield_=0, is_post=True)
        assert frontier.pending_posts == len(posts) - 3 + 7
