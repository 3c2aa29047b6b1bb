"""The permalink pattern: feeds' links as found on real platforms, and what else their blogs hold."""

from __future__ import annotations

import time
from dataclasses import dataclass

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from blogcrawler.errors import NotEnoughExamples
from blogcrawler.frontier import PermalinkPattern

E = "http://example.org"


@dataclass(frozen=True)
class Blog:
    """Links of a feed, older posts, and pages that are none."""

    name: str
    feed: list[str]
    posts: list[str]
    others: list[str]

    def __str__(self) -> str:
        return self.name


BLOGS = [
    Blog(
        "WordPress, by month, ten posts of one year",
        [f"{E}/2023/0{n}/a-post-{n}/" for n in range(1, 9)],
        [f"{E}/2009/12/older/", f"{E}/2009/12/older", f"{E}/2014/05/100-things/", f"{E}/2014/05/1984/"],
        [
            *(f"{E}/", f"{E}/2023/", f"{E}/2023/05/", f"{E}/2023/05/02/", f"{E}/about/", f"{E}/tag/a/", f"{E}/page/2/"),
            *(f"{E}/2014/05/a/feed/", f"{E}/2014/05/a/comment-page-2/", f"{E}/2014/05/a/picture/"),
            "http://else.org/2014/05/a/",
        ],
    ),
    Blog(
        "WordPress, plain links",
        [f"{E}/?p={n}" for n in (1990, 1985, 1971, 1970)],
        [f"{E}/?p=12", f"{E}/index.php?p=12", f"{E}/?p=12#more"],
        [f"{E}/?page_id=2", f"{E}/?cat=3", f"{E}/?p=12&cat=3", f"{E}/?paged=2", f"{E}/?p=a", f"{E}/", f"{E}/?m=201405"],
    ),
    Blog(
        "Movable Type, padded ids",
        [f"{E}/archives/00026{n}.html" for n in range(10)],
        [f"{E}/archives/000001.html"],
        [f"{E}/archives/2004_03.html", f"{E}/archives/cat_a.html", f"{E}/archives/", f"{E}/archives/000001"],
    ),
    Blog(
        "ids that grow",
        [f"{E}/archives/{n}/" for n in (2680, 2679, 2671, 2660, 2001)],
        [f"{E}/archives/12/", f"{E}/archives/10001/"],
        [f"{E}/archives/", f"{E}/archives/tags/", f"{E}/archives/12/edit/"],
    ),
    Blog(
        "a date in front of the words",
        [f"{E}/blog/2025-0{n}-10-post-{n}/" for n in range(1, 9)],
        [f"{E}/blog/2011-12-31-older/", f"{E}/blog/2011-12-31-99/"],
        [f"{E}/blog/about/", f"{E}/blog/page/2/", f"{E}/blog/2025-01/", f"{E}/2011-12-31-older/"],
    ),
    Blog(
        "months of two digits that are not padded",
        [f"{E}/2023/{n}/2{n}/x{n}" for n in (10, 11, 12)],
        [f"{E}/2023/4/21/y"],
        [f"{E}/2023/444/21/y"],
    ),
    Blog(
        "a category in the link, of one folder and of two",
        [f"{E}/{c}/s{n}-x/" for n, c in enumerate(["news", "news", "life", "life", "work"])]
        + [f"{E}/news/{c}/t{n}-x/" for n, c in enumerate(["a", "a", "b"])],
        [f"{E}/play/older/", f"{E}/news/c/older/"],
        [f"{E}/", f"{E}/news/", f"{E}/page/2/", f"{E}/news/a/t0-x/feed/", f"{E}/2014/05/"],
    ),
    Blog(
        "two shapes of permalinks",
        [f"{E}/posts/diary/2026-07-{n}-a{n}/" for n in range(10, 19)] + [f"{E}/2026/07/20/aws/"],
        [f"{E}/posts/spring/2015-03-11-rabbit/", f"{E}/2015/06/01/older/"],
        [f"{E}/posts/diary/", f"{E}/posts/diary/about/", f"{E}/2015/06/01/"],
    ),
    Blog(
        "languages",
        [f"{E}/ru/a-{n}/" for n in range(5)] + [f"{E}/en/b-{n}/" for n in range(5)],
        [f"{E}/ru/older/", f"{E}/de/older/"],
        [f"{E}/ru/", f"{E}/category/en/", f"{E}/tag/a/"],
    ),
    Blog(
        "an index file for each post",
        [f"{E}/2014/05/0{n}/slug-{n}/index.html" for n in range(1, 6)],
        [f"{E}/2012/11/30/older/index.html", f"{E}/2012/11/30/older/"],
        [f"{E}/2014/05/", f"{E}/2014/05/index.html", f"{E}/2014/05/01/slug-1/2.html"],
    ),
    Blog(
        "files at the root",
        [f"{E}/{word}.html" for word in ("one-thing", "another", "node.js-rocks", "UPPER_case", "a.b")],
        [f"{E}/older.html"],
        [f"{E}/index2.html", f"{E}/12.html", f"{E}/older", f"{E}/tag/a.html", f"{E}/older.php"],
    ),
    Blog(
        "words at the root",
        [f"{E}/{word}/" for word in ("one-thing", "%d1%81%d0%bb%d0%be%d0%b2%d0%be", "中文", "a b", "realtor.com")],
        [f"{E}/слово-2/", f"{E}/older"],
        [f"{E}/2014/", f"{E}/15/", f"{E}/older.html", f"{E}/older/feed/", f"{E}/"],
    ),
    Blog(
        "one letter in front",
        [f"{E}/p/{word}" for word in ("alpha", "beta", "gamma")],
        [f"{E}/p/older"],
        [f"{E}/archive", f"{E}/s/alpha", f"{E}/p/alpha/comments"],
    ),
    Blog(
        "a number, then words",
        [f"{E}/post/2511096{n}/tip-{n}" for n in range(6)],
        [f"{E}/post/119/zebra"],
        [f"{E}/post/119", f"{E}/category/2010", f"{E}/post/zebra/119"],
    ),
    Blog(
        "a script with a number",
        [f"{E}/view.php?id={n}&lang=en" for n in (7, 8, 9)],
        [f"{E}/view.php?lang=en&id=1234"],
        [f"{E}/view.php?id=7", f"{E}/list.php?id=7&lang=en"],
    ),
    Blog(
        "a path in the query",
        [f"{E}/index.php?post/2014/05/0{n}/words-{n}" for n in (1, 2, 3)],
        [f"{E}/?post/2009/12/31/older"],
        [f"{E}/index.php?tag/words", f"{E}/index.php?2014/05", f"{E}/index.php", f"{E}/?post/2014"],
    ),
    Blog(
        "months by name, and long ids",
        [f"{E}/2014/may/02/a-{n}-123456{n}" for n in range(6)],
        [f"{E}/2011/december/24/older", f"{E}/2011/december/24/200"],
        [f"{E}/2014/may/02/", f"{E}/2014/may/"],
    ),
    Blog(
        "names with numbers",
        [f"{E}/blog/entry-{n}" for n in range(7, 13)],
        [f"{E}/blog/entry-1234"],
        [f"{E}/blog/about", f"{E}/blog/entry-x"],
    ),
    Blog(
        "one link",
        [f"{E}/2014/05/only-post.html"],
        [f"{E}/2011/12/other.html"],
        [f"{E}/2014/05.html", f"{E}/about.html"],
    ),
    Blog(
        "www and https",
        [f"https://www.example.org/b/{n}x" for n in "abcd"],
        [f"{E}/b/older"],
        ["http://b.example.org/b/older"],
    ),
]


@pytest.mark.parametrize("blog", BLOGS, ids=str)
def test_posts_match_and_other_pages_do_not(blog: Blog) -> None:
    pattern = PermalinkPattern.learn(blog.feed)
    missed = [url for url in blog.feed + blog.posts if not pattern.matches(url)]
    taken = [url for url in blog.others if pattern.matches(url)]
    assert (missed, taken) == ([], []), str(pattern)


@pytest.mark.parametrize("extension", ["php", "html", "jspx"])
def test_the_extension_of_a_page_is_no_part_of_its_name(extension: str) -> None:
    pattern = PermalinkPattern.learn([f"{E}/notes/{number}.{extension}" for number in (3, 12, 140)])
    assert pattern.matches(f"{E}/notes/7.{extension}")
    assert not pattern.matches(f"{E}/notes/about.{extension}")


@pytest.mark.parametrize("blog", BLOGS, ids=str)
def test_order_does_not_matter(blog: Blog) -> None:
    assert PermalinkPattern.learn(blog.feed) == PermalinkPattern.learn(blog.feed[::-1])
    assert PermalinkPattern.learn(blog.feed) == PermalinkPattern.learn(blog.feed * 2)


@pytest.mark.parametrize(
    "odd",
    [f"{E}/about/", f"{E}/projects/one/", "http://else.org/story", f"{E}/?p=12", f"{E}/", f"{E}/a/b/c/d.html", "junk"],
)
@pytest.mark.parametrize("posts", [4, 9, 30])
@pytest.mark.parametrize("form", ["/blog/post-a{}x/", "/2014/05/post{}x.html", "/blog/2014/slug{}x"])
def test_one_odd_link_does_not_widen_the_pattern(odd: str, posts: int, form: str) -> None:
    feed = [E + form.format(n) for n in range(posts)]
    assert PermalinkPattern.learn([*feed, odd]) == PermalinkPattern.learn(feed)


def test_how_it_prints() -> None:
    feed = [f"http://www.example.org/blog/2014/0{n}/slug-{word}.html" for n, word in enumerate("abc", 1)]
    assert str(PermalinkPattern.learn(feed)) == r"example.org/blog/\d{4}/\d{2}/*.html"
    assert str(PermalinkPattern.learn([f"{E}/?p=1"])) == r"example.org/?p=\d+"


class TestNegatives:
    FEED = tuple(f"{E}/{name}/post-{n}x/" for n, name in enumerate(["news", "news", "life", "life", "work", "fun"]))

    def test_a_page_is_refused(self) -> None:
        pattern = PermalinkPattern.learn(self.FEED, [f"{E}/news/about/", f"{E}/unrelated", "junk"])
        assert not pattern.matches(f"{E}/news/about/")
        assert pattern.matches(f"{E}/news/other/")

    def test_a_folder_without_posts_is_barred(self) -> None:
        pattern = PermalinkPattern.learn(self.FEED, [f"{E}/tag/a/", f"{E}/tag/b/", f"{E}/tag/c/"])
        assert not pattern.matches(f"{E}/tag/unseen/")
        assert pattern.matches(f"{E}/sport/unseen/")

    def test_a_folder_with_posts_is_not_barred(self) -> None:
        pattern = PermalinkPattern.learn(self.FEED, [f"{E}/news/a/", f"{E}/news/b/", f"{E}/news/c/"])
        assert pattern.matches(f"{E}/news/unseen/")

    def test_a_post_is_a_post(self) -> None:
        assert all(map(PermalinkPattern.learn(self.FEED, self.FEED).matches, self.FEED))


@pytest.mark.parametrize("urls", [[], ["junk"], [f"{E}/"], ["mailto:ann@example.org", ""]])
def test_nothing_to_learn_from(urls: list[str]) -> None:
    with pytest.raises(NotEnoughExamples):
        PermalinkPattern.learn(urls)


def test_junk_does_not_match() -> None:
    pattern = PermalinkPattern.learn([f"{E}/a", f"{E}/b"])
    assert not any(map(pattern.matches, ["", "a", "mailto:a@b.c", "http://", f"{E}/{'a' * 3000}", "http://[/a"]))


# properties

slugs = st.text("abcdefgäя中-_.0123456789 %", min_size=1, max_size=12).filter(
    lambda s: not s[0].isdigit() and s.strip(" .")
)
folders = st.sampled_from(["blog", "posts", "ru", "v2", "news2023", "archives", "a.b", "%D0%B0"])
dates = st.builds("{:04}/{:02}/{:02}".format, st.integers(1990, 2030), st.integers(1, 12), st.integers(1, 28))
endings = st.sampled_from(["", "/", ".html", "/index.html", ".php"])


@st.composite
def feeds(draw: st.DrawFn) -> list[str]:
    """Links of one shape."""
    folder, ending, dated = draw(folders), draw(endings), draw(st.booleans())
    middle = draw(st.lists(dates if dated else st.just("all"), min_size=1, max_size=15))
    return [f"{E}/{folder}/{one}/x{draw(slugs)}{n}q{ending}" for n, one in enumerate(middle)]


@given(feeds())
def test_links_of_one_shape_match_their_pattern(feed: list[str]) -> None:
    pattern = PermalinkPattern.learn(feed)
    assert [url for url in feed if not pattern.matches(url)] == []


@given(feeds(), st.data())
def test_more_links_of_the_shape_lose_none(feed: list[str], data: st.DataObject) -> None:
    some = data.draw(st.lists(st.sampled_from(feed), min_size=1))
    pattern = PermalinkPattern.learn(feed)
    assert all(map(pattern.matches, some))
    assert all(map(PermalinkPattern.learn(some).matches, some))


# "index" is what lists are called
NAMES = st.text(max_size=30).filter(lambda name: "index" not in name.casefold())


@given(st.lists(NAMES.map(f"{E}/{{}}".format), min_size=1, max_size=30))
@example([f"{E}///0"])
def test_any_links(urls: list[str]) -> None:
    try:
        pattern = PermalinkPattern.learn(urls, urls[:2])
    except NotEnoughExamples:
        return
    assert any(map(pattern.matches, urls))


@pytest.mark.parametrize("piece", ["1", "-1", "a-", "1-", "/1", "a1", ".", "%C3", "&p=1", "2014-05-02-", ".html"])
def test_linear_time(piece: str) -> None:
    shapes = [f"/{n}-a{n}-12{n}.html" for n in range(8)] + [f"/2014-05-02-{n}" for n in range(8)]
    shapes += [f"/a-{n}23" for n in "abcdefgh"] + [f"/?p={n}" for n in range(8)]
    pattern = PermalinkPattern.learn([E + shape for shape in shapes])
    url = f"{E}/{piece * 2000}"[:2083]
    start = time.process_time()
    for _ in range(100):
        pattern.matches(url)
    assert time.process_time() - start < 2


def test_learning_is_linear() -> None:
    start = time.process_time()
    PermalinkPattern.learn(
        [f"{E}/blog{n % 7}/{n}x/y{n}" for n in range(20_000)], [f"{E}/t/{n}/z" for n in range(20_000)]
    )
    assert time.process_time() - start < 10
