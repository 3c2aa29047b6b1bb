"""The sitemaps of a site: which are read, which are not, and when all was."""

from __future__ import annotations

import gzip
import json

from hypothesis import given, settings
from hypothesis import strategies as st

from blogcrawler.feeds.sources import Answer, Sitemaps, sitemap_guesses
from tests.feeds.sources.server import SITE, post, read, serve
from tests.feeds.sources.test_sitemap import SPACE, urlset

INDEX = f"{SITE}/sitemap_index.xml"
POSTS = [post(number) for number in range(8, 0, -1)]


def index(names) -> str:
    lines = "".join(f"<sitemap><loc>{SITE}/{name}</loc></sitemap>" for name in names)
    return f"<sitemapindex {SPACE}>{lines}</sitemapindex>"


def is_post(url: str) -> bool:
    return "/2014/" in url


def sitemaps(named=(INDEX,), guesses=(), known=tuple(POSTS[:3])) -> Sitemaps:
    return Sitemaps(named, guesses, is_post=is_post, known=known)


def test_an_index_of_packed_sitemaps() -> None:
    source = sitemaps()
    documents = {
        INDEX: index(["post-sitemap1.xml.gz", "post-sitemap2.xml.gz"]),
        f"{SITE}/post-sitemap1.xml.gz": gzip.compress(urlset(POSTS[:4]).encode()),
        f"{SITE}/post-sitemap2.xml.gz": gzip.compress(urlset(POSTS[4:]).encode()),
    }
    assert read(source, serve(documents)).urls == POSTS
    assert (source.outcome, source.missing) == ("whole", [])


def test_once_all_known_posts_were_read_no_other_kind_is() -> None:
    names = ["users-1.xml", "pages-1.xml", "posts-post-1.xml", "posts-post-2.xml", "tags-1.xml"]
    documents = {
        INDEX: index(names),
        f"{SITE}/posts-post-1.xml": urlset(POSTS[:4]),
        f"{SITE}/posts-post-2.xml": urlset(POSTS[4:]),
    }
    source = sitemaps()
    reading = read(source, serve(documents))
    assert reading.asked == [INDEX, f"{SITE}/posts-post-1.xml", f"{SITE}/posts-post-2.xml"]
    assert source.outcome == "whole"


def test_a_kind_without_posts_is_not_read_to_its_end() -> None:
    names = [f"shop-{number}.xml" for number in range(30)]
    documents = {INDEX: index([*names, "diary-1.xml"]), f"{SITE}/diary-1.xml": urlset(POSTS)}
    documents |= {f"{SITE}/{name}": urlset([f"{SITE}/shop/{name}/{page}" for page in range(9)]) for name in names}
    source = sitemaps()
    reading = read(source, serve(documents))
    assert reading.asked == [INDEX, f"{SITE}/shop-0.xml", f"{SITE}/shop-29.xml", f"{SITE}/diary-1.xml"]
    assert (source.outcome, source.missing) == ("whole", [])


def test_a_kind_whose_last_sitemap_has_posts_is_read() -> None:
    names = [f"all-{number}.xml" for number in range(4)]
    documents = {INDEX: index(names)} | {f"{SITE}/{name}": urlset([f"{SITE}/old/{name}"]) for name in names}
    documents[f"{SITE}/all-3.xml"] = urlset(POSTS)
    assert len(read(sitemaps(), serve(documents)).asked) == 5


def test_indices_that_name_the_next_one_for_ever() -> None:
    source = sitemaps(guesses=[f"{SITE}/sitemap.xml"])
    documents = {INDEX: index(["map-1.xml", "map-2.xml", "map-3.xml"])}
    documents |= {f"{SITE}/map-{number}.xml": index([f"map-{number + 1}.xml"]) for number in range(1, 100)}
    assert len(read(source, serve(documents)).asked) == 2
    assert source.outcome == "absent"


def test_indices_of_any_names_that_name_nothing_else() -> None:
    names = ["a", "b", "c", "d"]
    documents = {INDEX: index([f"{name}.xml" for name in names])}
    for first in names:
        documents[f"{SITE}/{first}.xml"] = index([f"{first}/{name}.xml" for name in names])
        documents |= {f"{SITE}/{first}/{name}.xml": index([f"{first}/{name}/x.xml"]) for name in names}
    source = sitemaps()
    assert len(read(source, serve(documents)).asked) == 4
    assert source.outcome == "absent"


def test_an_index_of_years_that_name_their_months() -> None:
    documents = {INDEX: index(["posts-2014.xml"]), f"{SITE}/posts-2014.xml": index(["posts-201401.xml"])}
    documents[f"{SITE}/posts-201401.xml"] = urlset(POSTS)
    source = sitemaps()
    assert read(source, serve(documents)).urls == POSTS
    assert source.outcome == "whole"


def test_guesses_are_tried_until_one_is_there() -> None:
    source = sitemaps([], [f"{SITE}/blog/sitemap.xml", f"{SITE}/sitemap.xml", f"{SITE}/other.xml"])
    reading = read(source, serve({f"{SITE}/sitemap.xml": urlset(POSTS)}))
    assert reading.asked == [f"{SITE}/blog/sitemap.xml", f"{SITE}/sitemap.xml"]
    assert (reading.urls, source.outcome) == (POSTS, "whole")


def test_where_robots_names_one_nothing_is_guessed() -> None:
    source = sitemaps([INDEX], [f"{SITE}/sitemap.xml"])
    assert read(source, serve({INDEX: urlset(POSTS)})).asked == [INDEX]


def test_none() -> None:
    source = sitemaps([], [f"{SITE}/sitemap.xml"])
    read(source, lambda url: Answer(url, 200, b"<html><p>Not found</p></html>"))
    assert source.outcome == "absent"


def test_a_sitemap_that_cannot_be_had_is_missing() -> None:
    source = sitemaps(known=())
    documents = {INDEX: index(["a1.xml", "a2.xml"]), f"{SITE}/a1.xml": urlset(POSTS), f"{SITE}/a2.xml": 503}
    assert read(source, serve(documents)).urls == POSTS
    assert source.outcome == "partial"


def test_a_page_in_the_place_of_a_sitemap_is_none() -> None:
    for body, outcome in (("<!DOCTYPE html><html><body>Sorry</body></html>", "partial"), (urlset([]), "whole")):
        source = sitemaps(known=())
        documents = {INDEX: index(["a1.xml", "b1.xml"]), f"{SITE}/a1.xml": urlset(POSTS), f"{SITE}/b1.xml": body}
        assert read(source, serve(documents)).urls == POSTS
        assert source.outcome == outcome


def test_posts_that_are_missing_are_told() -> None:
    source = sitemaps(known=[post(99), *POSTS])
    read(source, serve({INDEX: urlset(POSTS)}))
    assert source.missing == ["example.org/2014/05/post-99/"]


def test_the_newest_come_first_where_all_are_dated() -> None:
    lines = "".join(f"<url><loc>{url}</loc><lastmod>2014-05-0{day}</lastmod></url>" for day, url in enumerate(POSTS, 1))
    assert read(sitemaps(), serve({INDEX: f"<urlset {SPACE}>{lines}</urlset>"})).urls == POSTS[::-1]


def test_addresses_are_spelled_as_the_site_does() -> None:
    written = [url.replace("http://", "https://www.").rstrip("/") for url in POSTS]
    source = sitemaps()
    assert read(source, serve({INDEX: urlset(written)})).urls == POSTS
    assert source.missing == []


class TestTraps:
    def test_sitemaps_that_name_the_next_one(self) -> None:
        def answer(url: str) -> Answer:
            number = int(url.rpartition("-")[2].removesuffix(".xml"))
            return Answer(url, 200, index([f"map-{number + 1}.xml"]).encode())

        source = sitemaps([f"{SITE}/map-1.xml"])
        assert len(read(source, answer).asked) <= 4
        assert source.outcome == "absent"

    def test_a_circle(self) -> None:
        documents = {
            INDEX: index(["a.xml", "sitemap_index.xml"]),
            f"{SITE}/a.xml": index(["sitemap_index.xml", "a.xml"]),
        }
        assert len(read(sitemaps(), serve(documents)).asked) == 2

    def test_other_sites(self) -> None:
        body = index(["a.xml"]).replace(SITE, "http://elsewhere.example")
        assert read(sitemaps(), serve({INDEX: body})).asked == [INDEX]

    def test_a_million_sitemaps(self) -> None:
        names = [f"{'x' * (number % 97)}/{number}.xml" for number in range(40_000)]
        source = sitemaps(known=())
        documents = {INDEX: index(names)}
        reading = read(
            source,
            lambda url: serve(documents)(url) if url == INDEX else Answer(url, 200, urlset([url]).encode()),
            most=400,
        )
        assert len(reading.asked) <= 300
        assert source.outcome == "partial"

    @settings(max_examples=50, deadline=None)
    @given(
        st.lists(
            st.tuples(
                st.sampled_from([200, 404, 500]),
                st.sampled_from(["", "<x>", urlset(POSTS), index(["a1.xml", "b.xml"])]),
            ),
            max_size=20,
        )
    )
    def test_whatever_is_answered_it_comes_to_an_end(self, answers) -> None:
        waiting = iter(answers)

        def answer(url: str) -> Answer | None:
            status, body = next(waiting, (404, ""))
            return Answer(url, status, body.encode()) if status != 500 else None

        read(sitemaps([INDEX], [f"{SITE}/sitemap.xml"]), answer, most=30)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 6))
def test_it_goes_on_after_the_process_died(dies_after) -> None:
    names = ["users-1.xml", *(f"posts-{number}.xml" for number in range(4))]
    documents = {INDEX: index(names)} | {
        f"{SITE}/posts-{number}.xml": urlset(POSTS[2 * number :][:2]) for number in range(4)
    }
    answer, source, urls = serve(documents), sitemaps(), list[str]()
    for _ in range(dies_after):
        if (url := source.next_url) is not None:
            urls += source.take(answer(url)).urls
    other = sitemaps()
    other.resume(json.loads(json.dumps(source.state)))
    urls += read(other, answer).urls
    assert sorted(urls) == sorted(POSTS)
    assert (other.missing, other.outcome) == ([], "whole")


def test_guesses() -> None:
    assert sitemap_guesses(f"{SITE}/") == [f"{SITE}/sitemap.xml"]
    assert sitemap_guesses(f"{SITE}/blog/") == [f"{SITE}/blog/sitemap.xml", f"{SITE}/sitemap.xml"]
    assert f"{SITE}/wp-sitemap.xml" in sitemap_guesses(f"{SITE}/", ["WordPress 6.1"])
    assert sitemap_guesses(f"{SITE}/?lang=en")[0] == f"{SITE}/sitemap.xml"
