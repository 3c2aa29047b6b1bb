"""The tags: as a set, from the place where the post has them."""

from __future__ import annotations

import pytest

from blogcrawler.dom import parse
from tests.wrapper.pages import OLD, TAGS, Post, Template, classic, extracted, layout, learned, modern


def tagged(item: str, *, around: str = "<p>{}</p>", side: str = "") -> Template:
    def template(one: Post) -> str:
        items = " ".join(item.replace("{}", tag) for tag in one.tags)
        return layout(f"<h1>{one.title}</h1><div class=e>{one.body}</div>{around.replace('{}', items)}", side=side)

    return template


CLOUD = '<div class="cloud">' + "".join(f'<a rel="tag" href="/{tag}">{tag}</a> ' for tag in TAGS) + "</div>"


@pytest.mark.parametrize(
    "template",
    [
        classic,
        modern,
        tagged("<a rel=tag>{}</a>"),
        tagged("<li>{}</li>", around="<ul class=tags>{}</ul>"),
        tagged("<span class=tag>#{}</span>"),
        tagged("<a class=t>{}</a>", side=CLOUD),
        tagged("<a rel=tag>{}</a>", around='<p class="filed">Filed under {}</p>', side=CLOUD),
    ],
)
def test_templates(template: Template) -> None:
    wrapper = learned(template)
    assert [set(extracted(wrapper, template, one).tags) for one in OLD] == [set(one.tags) for one in OLD]


def test_case_is_the_page_s_and_doubles_go() -> None:
    template = tagged("<a class=t>{}</a> <a class=t>{}</a>")
    wrapper = learned(template, tags=tuple(tag.upper() for tag in TAGS[:1]))
    assert wrapper.tags == () or wrapper.tags[0].score <= 1
    found = extracted(learned(template), template, OLD[0]).tags
    assert found == list(OLD[0].tags)


def test_a_post_without_tags_has_none() -> None:
    template = tagged("<a class=t>{}</a>", side=CLOUD)
    wrapper = learned(template)
    page = parse(template(Post(99, "None", "Ann", OLD[0].published, (), OLD[0].paragraphs)))
    assert wrapper.extract(page).tags == []


@pytest.mark.parametrize(
    "template",
    [
        classic,
        tagged('<a href="/tag/{}/">{}</a>'),
        tagged('<a href="/categories/{}.html">{}</a>', side=CLOUD),
        tagged('<li><a href="/search/label/{}">{}</a></li>', around="<ul class=l>{}</ul>"),
        tagged('<a href="?cat={}">{}</a>', around='<p class="by">Posted by Ann on Friday in {}</p>'),
    ],
)
def test_a_feed_without_tags_teaches_the_links_to_them(template: Template) -> None:
    wrapper = learned(template, tags=())
    assert [set(extracted(wrapper, template, one).tags) for one in OLD] == [set(one.tags) for one in OLD]


def test_links_to_tags_in_the_article_are_not_its_tags() -> None:
    def template(one: Post) -> str:
        body = f'<p>{one.paragraphs[0]} <a href="/tag/rivers/">Rivers and all that</a>.</p>{one.body}'
        tags = " ".join(f'<a href="/tag/{tag}/">{tag}</a>' for tag in one.tags)
        return layout(f"<h1>{one.title}</h1><div class=e>{body}</div><div><div><p class=t>{tags}</p></div></div>")

    wrapper = learned(template, tags=())
    assert [set(extracted(wrapper, template, one).tags) for one in OLD] == [set(one.tags) for one in OLD]


@pytest.mark.parametrize("side", ["", CLOUD, '<a href="/tags/">All tags</a>', '<a href="/vintage/cars">Cars</a>'])
def test_a_feed_without_tags_and_pages_without_links_to_them_teach_none(side: str) -> None:
    template = tagged("<i>{}</i>", side=side)
    wrapper = learned(template, tags=())
    assert wrapper.tags == ()
    assert extracted(wrapper, template, OLD[0]).tags == []


def test_tags_that_no_page_shows_teach_none() -> None:
    assert learned(classic, tags=("Uncategorised",)).tags == ()


def test_a_feed_that_knows_one_tag_of_several() -> None:
    pages = [tag for tag in TAGS if tag in OLD[0].tags]
    wrapper = learned(tagged("<a class=t>{}</a>"))
    assert set(extracted(wrapper, tagged("<a class=t>{}</a>"), OLD[0]).tags) == set(pages)
