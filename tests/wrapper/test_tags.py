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


def test_a_feed_without_tags_teaches_none() -> None:
    wrapper = learned(classic, tags=())
    assert wrapper.tags == ()
    assert extracted(wrapper, classic, OLD[0]).tags == []


def test_tags_that_no_page_shows_teach_none() -> None:
    assert learned(classic, tags=("Uncategorised",)).tags == ()


def test_a_feed_that_knows_one_tag_of_several() -> None:
    pages = [tag for tag in TAGS if tag in OLD[0].tags]
    wrapper = learned(tagged("<a class=t>{}</a>"))
    assert set(extracted(wrapper, tagged("<a class=t>{}</a>"), OLD[0]).tags) == set(pages)
