from __future__ import annotations

from datetime import date, datetime

import pytest

from blogcrawler.demo.content import last_change, load, plain_text
from tests.demo.truth import truth


def test_there_is_a_small_varied_blog():
    posts = truth()
    assert len(posts) == 24
    assert {post["author"] for post in posts} == {"Maren", "Tomas"}
    assert {post["published"][:4] for post in posts} == {str(year) for year in range(2019, 2026)}
    assert sum(bool(post["comments"]) for post in posts) == 3
    for name in ("path", "id", "title", "text"):
        assert len({post[name] for post in posts}) == 24, name


def test_posts_have_the_length_of_posts_and_one_is_very_short():
    lengths = sorted(len(post["text"].split()) for post in truth())
    assert lengths[0] < 20
    assert lengths[1] >= 150
    assert lengths[-1] <= 500


def test_newest_first_and_every_date_has_its_offset():
    moments = [datetime.fromisoformat(post["published"]) for post in truth()]
    assert moments == sorted(moments, reverse=True)
    assert all(moment.tzinfo for moment in moments)


def test_an_answer_comes_after_what_it_answers():
    for post in load():
        seen = {None}
        for reply in post.replies:
            assert reply.parent in seen
            assert reply.published > post.published
            seen.add(reply.id)
        assert list(post.replies) == sorted(post.replies, key=lambda reply: reply.published)


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>One</p>\n<p>two\n  <em>three</em></p>", "One\n\ntwo three"),
        ("<ul>\n<li>a &amp; b</li>\n<li>c</li>\n</ul>", "a & b\n\nc"),
        ("<pre><code>if x &lt; 1:\n    y\n</code></pre><p>z</p>", "if x < 1:\n    y\n\nz"),
        ("<table><tr><td>1</td><td>2</td></tr></table>", "1\n\n2"),
        ("", ""),
    ],
)
def test_plain_text(html, text):
    assert plain_text(html) == text


def test_the_blog_as_it_was():
    day = date(2024, 2, 21)
    newest = truth(day)[0]
    assert newest["title"] == "Mending a cookery book"
    assert [comment["id"] for comment in newest["comments"]] == [21, 22]
    assert last_change(load(day)) == datetime.fromisoformat("2024-02-21T19:26:00+01:00")
    assert load(day)[0].updated is None


def test_before_the_first_post_there_is_no_blog():
    with pytest.raises(ValueError, match="choose a day"):
        load(date(2019, 3, 3))
    assert len(load(date(2019, 3, 4))) == 1
