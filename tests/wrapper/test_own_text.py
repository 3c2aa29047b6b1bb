"""Which text of a page is the post's own, where the feed has summaries."""

from __future__ import annotations

import random

import pytest

from blogcrawler.dom import parse
from blogcrawler.wrapper import Example, learn, refine
from tests.wrapper.pages import OLD, POSTS, Post, article, examples, extracted, layout, post, prose, summaries, words


def unspaced(seed: int | str, length: int) -> str:
    """A sentence of a script without spaces, its own for each seed."""
    return (
        "".join(random.Random(seed).choices("川石灯静市自港冬麦手庭窓銅糸信山湖紙果鉄紫槌夏茶村筆影釦", k=length))
        + "。"
    )


@pytest.mark.parametrize("dated", [False, True])
def test_sentences_without_spaces_are_no_bylines(dated: bool) -> None:
    """They are one word each where words are told by spaces, and hold the author's name or the post's date."""
    name = "山田太郎"

    def first(one: Post) -> str:
        day = f"{one.published.year}年{one.published.month}月{one.published.day}日"
        return f"{day if dated else name}は{unspaced(one.number, 24)}"

    def own(one: Post) -> str:
        return unspaced(f"{one.number}/more", 120)

    def page(one: Post) -> str:
        byline = f'<p class="by">{name} {one.published:%Y年%m月%d日}に投稿されました</p>'
        main = f'<div class="text">{byline}<p class="lead">{first(one)}</p><p>{own(one)}</p></div>'
        return layout(f"<h1>{one.title}</h1>{main}", language="ja")

    wrapper = learn(
        Example(
            parse(page(one)),
            one.entry(authors=(name,), content_html=own(one)[:90], is_summary=True, language="ja"),
            one.url,
        )
        for one in POSTS
    )
    for one in OLD:
        assert words(extracted(wrapper, page, one)) == f"{first(one)} {own(one)}"


def test_posts_that_are_shorter_than_what_the_template_says_around_them() -> None:
    """There is no element that holds more of the post than of the template."""

    def page(one: Post) -> str:
        posted = f"<p class='posted'>{one.author}: {one.published:%d %B %Y}</p>"
        notes = "".join(f"<p>{prose(f'note {part}', 30)}</p>" for part in range(6))
        return f"<div class='content'><h3>{one.title}</h3><p>{one.paragraphs[0]}</p>{posted}{notes}</div>"

    wrapper = learn(summaries(page))
    for one in OLD:
        assert words(extracted(wrapper, page, one)) == one.paragraphs[0]


def test_a_table_of_contents_that_some_posts_have_is_theirs() -> None:
    def contents(one: Post) -> list[str]:
        return [prose(f"head {one.number}/{part}", 3) for part in range(3)] if one.number % 2 else []

    def page(one: Post) -> str:
        items = "".join(f"<li><a href='#part-{part}'>{head}</a></li>" for part, head in enumerate(contents(one)))
        sections = "".join(f"<h2 id='part-{part}'>{head}</h2>" for part, head in enumerate(contents(one)))
        toc = f"<ul id='toc'>{items}</ul>" if items else ""
        return layout(f"<h1>{one.title}</h1><div class='text'>{one.body}{toc}{sections}</div>")

    examples = list(summaries(page))
    wrapper = refine(learn(examples), examples, [(parse(page(one)), one.url) for one in OLD])
    for one in OLD:
        assert all(words(extracted(wrapper, page, one)).count(head) == 2 for head in contents(one))


def test_ordinals_do_not_make_a_line_of_the_template_the_post_s() -> None:
    def page(one: Post) -> str:
        day = one.published.day
        ordinal = {1: "st", 2: "nd", 3: "rd"}.get(day % 10 if day // 10 != 1 else 0, "th")
        line = (
            f"<p class='meta'><small>Filed on {one.published:%B} {day}{ordinal} under <a href='/t'>Tea</a></small></p>"
        )
        return layout(f"<h1>{one.title}</h1><div class='text'>{one.body}{line}</div>")

    wrapper = learn(summaries(page))
    for one in OLD:
        assert "Filed" not in words(extracted(wrapper, page, one))


@pytest.mark.parametrize("heading", ["h1", "h2", "h3"])
def test_a_heading_that_repeats_the_title_is_no_part_of_the_article(heading: str) -> None:
    """Posts have headings of their own of the same rank, too."""

    def page(one: Post) -> str:
        own = f"<{heading}>{prose(f'own {one.number}', 3)}</{heading}>"
        title = f"<{heading}>{one.title}</{heading}>"
        return layout(f"<div class='text'>{title}{one.body}{own}<p>{prose(f'more {one.number}', 20)}</p></div>")

    wrapper = learn(summaries(page))
    for one in OLD:
        text = words(extracted(wrapper, page, one))
        assert text.startswith(one.paragraphs[0])
        assert prose(f"own {one.number}", 3) in text


def test_a_heading_with_the_title_is_dropped_also_where_the_feed_s_titles_are_those_of_a_series() -> None:
    def titled(one: Post) -> str:
        return one.title if one in OLD else f"Day {one.number} of the project"

    def page(one: Post) -> str:
        return layout(f"<article><h1>{titled(one)}</h1>{one.body}</article>")

    wrapper = learn([pair for one in POSTS for pair in examples(page, [one], title=titled(one))])
    assert [words(extracted(wrapper, page, one)) for one in OLD] == list(map(article, OLD))


@pytest.mark.parametrize("head", ["header", "div"])
@pytest.mark.parametrize("kicker", ['<div class="topic"><a href="/t/{0}/">{0}</a></div>', "<p class=over>{0}</p>"])
@pytest.mark.parametrize("step", [1, 2, 3])
def test_what_stands_above_a_lead_that_other_pages_show_too_is_no_part_of_the_article(
    head: str, kicker: str, step: int
) -> None:
    """The feed brings the lead alone, and posts show those of some other posts, in cards."""

    def lead(one: Post) -> str:
        return prose(f"lead {one.number}", 14)

    def page(one: Post) -> str:
        around = [post(number) for number in (one.number + 1, one.number + 2) if number % step == 0]
        cards = "".join(f'<div class="card"><a href="{o.path}">{o.title}</a><div>{lead(o)}</div></div>' for o in around)
        top = f"<h1>{one.title}</h1><p>{lead(one)}</p><div class='by'>{one.author}, {one.published:%d %B %Y}</div>"
        text = f"<{head}>{kicker.format(one.tags[0])}{top}</{head}><section>{one.body}</section>"
        return layout(f'<article class="post">{text}</article><div class="next">{cards}</div>')

    wrapper = learn(
        Example(parse(page(one)), one.entry(content_html=lead(one), is_summary=True), one.url) for one in POSTS
    )
    for one in OLD:
        text = words(extracted(wrapper, page, one))
        assert text.removeprefix(lead(one)).strip() == article(one)
