"""The article: its container, in each of the three cases of what feeds bring."""

from __future__ import annotations

from dataclasses import replace

import pytest

from blogcrawler.dom import parse
from blogcrawler.similarity import fold
from blogcrawler.wrapper import Example, learn
from blogcrawler.wrapper.refinements.recurring import template_form
from tests.wrapper.pages import (
    OLD,
    POSTS,
    Post,
    Template,
    article,
    classic,
    examples,
    extracted,
    layout,
    learned,
    modern,
    prose,
    recent,
    summaries,
    words,
)


def nested(one: Post) -> str:
    """Elements around elements, and each post with an id of its own, in words."""
    return layout(f'<div id="{one.slug}"><div class="outer"><div class="inner">{one.body}</div></div></div>')


def named_by_slug(one: Post) -> str:
    """The only name near the article is the post's own."""
    return layout(f'<h1>{one.title}</h1><div id="{one.slug}">{one.body}</div><div id="more">Nothing more</div>')


def unnamed(one: Post) -> str:
    """No names at all: only the place tells."""
    return f"<body><div><h1>A blog</h1></div><div><h2>{one.title}</h2><div>{one.body}</div></div><div>End of it</div>"


def talked_about(one: Post) -> str:
    """More comments than article."""
    comments = "".join(f'<li class="comment"><p>{prose(f"{one.number}/{n}", 90)}</p></li>' for n in range(8))
    return layout(f'<div class="note">{one.body}</div><ol class="comments">{comments}</ol>', side=recent())


TEMPLATES = pytest.mark.parametrize("template", [classic, modern, nested, named_by_slug, unnamed, talked_about])


@TEMPLATES
def test_a_feed_with_whole_articles(template: Template) -> None:
    wrapper = learned(template)
    assert wrapper.article.mode == "full"
    for one in OLD:
        assert words(extracted(wrapper, template, one)) == article(one)


@pytest.mark.parametrize("template", [classic, modern, nested, named_by_slug, unnamed])
def test_a_feed_with_summaries_tells_the_container_and_not_the_paragraph(template: Template) -> None:
    wrapper = learn(summaries(template))
    assert wrapper.article.mode == "summary"
    for one in OLD:
        found = words(extracted(wrapper, template, one))
        assert all(paragraph in found for paragraph in one.paragraphs)
        assert len(found) < 1.15 * len(article(one))


def test_a_feed_without_any_text_is_like_one_with_summaries() -> None:
    wrapper = learned(classic, content_html=None)
    for one in OLD:
        assert article(one) in words(extracted(wrapper, classic, one))


@TEMPLATES
def test_no_rule_takes_hold_of_what_only_one_post_has(template: Template) -> None:
    for wrapper in (learned(template), learn(summaries(template))):
        for rule in wrapper.article.rules:
            assert not any(one.slug in rule.rule.xpath or f"post-{one.number}" in rule.rule.xpath for one in POSTS)


def test_few_posts_are_enough() -> None:
    for count in (1, 2, 3):
        wrapper = learned(classic, POSTS[:count])
        assert all(words(extracted(wrapper, classic, one)) == article(one) for one in OLD)


def test_posts_with_almost_no_text_do_not_lead_astray() -> None:
    short = [Post(n, POSTS[n].title, "Ann", POSTS[n].published, (), (f"Picture {n}.",)) for n in range(4)]
    wrapper = learned(classic, [*short, *POSTS[4:]])
    assert all(words(extracted(wrapper, classic, one)) == article(one) for one in OLD)


def test_a_feed_with_more_than_the_page() -> None:
    pairs = [
        Example(parse(classic(one)), one.entry(content_html=f"{one.body}<p>Thanks for reading this by feed!</p>"))
        for one in POSTS
    ]
    wrapper = learn(pairs)
    assert wrapper.article.mode == "full"
    assert all(words(extracted(wrapper, classic, one)) == article(one) for one in OLD)


@pytest.mark.parametrize(
    "script", ["我们走过河边的石头与灯笼安静的市场", "река камень фонарь тихий рынок", "نهر حجر فانوس هادئ سوق"]
)
def test_other_scripts(script: str) -> None:
    def told(one: Post) -> Post:
        paragraphs = tuple(f"{script} {number} {script[::-1]}" * 4 for number in range(len(one.paragraphs)))
        return Post(one.number, f"{script[:9]} {one.number}", one.author, one.published, one.tags, paragraphs)

    wrapper = learned(classic, [told(one) for one in POSTS])
    for one in map(told, OLD):
        found = extracted(wrapper, classic, one)
        assert words(found) == article(one)
        assert found.title == one.title


def test_pictures_alone_are_an_article() -> None:
    wrapper = learned(classic)
    page = parse(classic(OLD[0]).replace(OLD[0].body, '<a href="/big.jpg"><img src="/small.jpg"></a>'))
    found = wrapper.extract(page)
    assert found.article is not None
    assert [image.get("src") for image in found.article.iter("img")] == ["/small.jpg"]


def test_the_source_is_told() -> None:
    found = extracted(learned(classic), classic, OLD[0])
    source = found.sources["content"]
    assert source.source == "rule"
    assert "post-body" in str(source.rule)
    assert source.confidence > 0.9


def test_empty_pages_among_the_training_pages_do_no_harm() -> None:
    empty = [Example(parse("<html></html>"), one.entry()) for one in POSTS[:3]]
    wrapper = learn([*empty, *examples(classic, POSTS[3:])])
    assert all(words(extracted(wrapper, classic, one)) == article(one) for one in OLD)


def test_bylines_of_different_days_have_one_form() -> None:
    forms = {
        template_form(fold(text))
        for text in (
            "This was posted on Friday, 2 May 2014 and is filed under the following words of the blog, if any",
            "This was posted on Monday, 27 January 2003 and is filed under the following words of the blog, if any",
        )
    }
    assert len(forms) == 1
    polish = (
        "Dodano: środa, 30 września 2009 o 23:35 w dziale",
        "Dodano: piątek, 4 października 2009 o 22:24 w dziale",
    )
    assert len({template_form(fold(text)) for text in polish}) == 1
    assert template_form("we met in may") == "we met in may"


def test_an_element_that_an_editor_put_into_the_container_is_not_taken_for_it() -> None:
    def edited(one: Post) -> str:
        body = one.body if one in OLD else f"<div>{one.body}</div>"
        return layout(f'<h1>{one.title}</h1><div class="post-body">{body}</div>', side=recent())

    wrapper = learn(summaries(edited))
    for one in OLD:
        assert all(paragraph in words(extracted(wrapper, edited, one)) for paragraph in one.paragraphs)


def unfinished(one: Post, mark: str) -> str:
    """An article with a mark behind the second paragraph of long posts."""
    paragraphs = [f"<p>{text}</p>" for text in one.paragraphs]
    first, rest = "".join(paragraphs[:2]), "".join(paragraphs[2:])
    text = f"{first}{mark if len(paragraphs) > FEW else ''}{rest}"
    return layout(f'<h1>{one.title}</h1><div class="note">{text}</div>{clutter(one)}', side=recent())


def clutter(one: Post) -> str:
    return f'<div class="share"><p>Tell your friends of this: {one.slug}</p></div>'


FEW = 4
"""Paragraphs of a post that its feed brings whole."""


@pytest.mark.parametrize("mark", ['<span id="more-12"></span>', '<a id="more"></a>', '<p><a name="more"></a></p>', ""])
def test_the_rest_of_long_posts_that_the_feed_only_begins(mark: str) -> None:
    """Short posts are whole in it. What follows the mark is no clutter, even if no entry has it."""

    def marked(one: Post) -> str:
        return unfinished(one, mark)

    def begun(one: Post) -> str:
        beginning = "".join(f"<p>{text}</p>" for text in one.paragraphs[:2])
        is_whole = len(one.paragraphs) <= FEW
        return one.body if is_whole else f'{beginning}<p><a href="{one.url}#more-12">Continue reading</a></p>'

    told = [Example(parse(marked(one)), one.entry(content_html=begun(one)), one.url) for one in POSTS]
    assert 0 < sum(len(one.paragraphs) > FEW for one in POSTS) < len(POSTS)
    wrapper = learn(told)
    for one in OLD:
        found = extracted(wrapper, marked, one)
        assert words(found) == article(one)


def slugged(one: Post) -> str:
    """The id of the article's element holds the post's slug, and what stands before it differs in number."""
    before = "<div>A note of the day.</div>" * (one.number % 3)
    return f'<div>{recent()}</div>{before}<div id="post-{one.slug}"><h1>{one.title}</h1><div>{one.body}</div></div><div>End</div>'


def test_an_id_that_begins_alike_on_all_pages_is_a_rule() -> None:
    """Slugs or numbers may follow, which are one post's own."""
    wrapper = learn(examples(slugged))
    for one in OLD:
        found = extracted(wrapper, slugged, one)
        assert words(found) == article(one)
        assert found.sources["content"].rule.startswith('//div[starts-with(@id,"post-")]')


def bare(one: Post) -> str:
    return f"<!DOCTYPE html><title>{one.title}</title><body><h1>{one.title}</h1>{one.body}"


def test_a_rule_for_all_of_a_page_is_not_sure() -> None:
    wrapper = learn(examples(bare))
    assert all(extracted(wrapper, bare, one).sources["content"].confidence < 0.9 for one in OLD)
    assert extracted(learn(examples(slugged)), slugged, OLD[0]).sources["content"].confidence >= 0.9


def test_nor_is_one_for_nearly_all_where_the_feed_has_summaries() -> None:
    def footed(one: Post) -> str:
        return f'<!DOCTYPE html><title>{one.title}</title><body><div id="all">{one.body}</div><p>The end.</p>'

    found = [extracted(learn(summaries(footed)), footed, one) for one in OLD[:2]]
    assert all(one.article is not None and one.sources["content"].confidence < 0.9 for one in found)


def test_one_entry_that_repeats_its_title_leaves_no_titles_in_the_articles() -> None:
    def template(one: Post) -> str:
        return layout(f"<p>{one.published:%d %B %Y}</p><div class=e><h2>{one.title}</h2>{one.body}</div>")

    pages = examples(template)
    first = pages[0].entry
    odd = replace(pages[0], entry=replace(first, content_html=f"<p>{first.title}</p>{first.content_html}"))
    wrapper = learn([odd, *pages[1:]])
    assert [words(extracted(wrapper, template, one)) for one in OLD] == [article(one) for one in OLD]
