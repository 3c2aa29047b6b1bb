"""The authors: named nearest to the article, or by all of the feed, or by the page's own vocabulary."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from blogcrawler.dom import parse
from blogcrawler.items import Entry
from blogcrawler.wrapper import Example, Wrapper, learn
from blogcrawler.wrapper.fields.article import Article
from tests.wrapper.pages import (
    AUTHORS,
    OLD,
    POSTS,
    Post,
    Template,
    classic,
    examples,
    extracted,
    layout,
    learned,
    modern,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from lxml.html import HtmlElement


def signed(before: str = "", after: str = "", *, head: str = "", side: str = "") -> Template:
    """A template; {author} and {tag} stand for the post's."""

    def template(one: Post) -> str:
        def fill(text: str) -> str:
            return text.replace("{author}", one.author).replace("{tag}", one.tags[0])

        main = f"<h1>{one.title}</h1>{fill(before)}<div class=e>{one.body}</div>{fill(after)}"
        return layout(main, head=fill(head), side=fill(side))

    return template


def authors(template: Template, **changes: object) -> list[list[str]]:
    wrapper = learned(template, **changes)
    return [extracted(wrapper, template, one).authors for one in OLD]


TRUE = [[one.author] for one in OLD]


@pytest.mark.parametrize(
    "template",
    [
        classic,
        modern,
        signed("<p class=by>{author}</p>"),
        signed("<p class=by>by {author}</p>"),
        signed("<p class=by>Posted by {author} in {tag}</p>"),
        signed("<p class=by>On Friday, written by {author}.</p>"),
        signed("", "<p class=by>— {author}</p>"),
        signed("<p class=by>Author:{author}</p>"),
        signed(head='<meta name="author" content="{author}">'),
        signed("<p>By <b>{author}</b> for the quiet blog</p>"),
        signed("<p>{tag}<b>by {author}</b></p>"),
        signed("<p><b>{author}</b> <i>{tag}</i></p>"),
        signed("<div><p>{tag} <span>by {author}</span><i>{tag}</i></p></div>"),
    ],
)
def test_bylines(template: Template) -> None:
    assert authors(template) == TRUE


def test_a_sign_that_touches_the_next_word_ends_the_name() -> None:
    assert authors(signed("<p class=by>{author} (one of us)</p>")) == TRUE


def test_what_follows_the_name_on_most_pages_only_ends_it_too() -> None:
    def template(one: Post) -> str:
        return signed(f"<p class=by>Posted by {{author}}{' in {tag}' if one.number % 3 else ''}</p>")(one)

    assert authors(template) == TRUE


def test_half_a_word_that_all_pages_have_is_no_mark() -> None:
    def template(one: Post) -> str:
        return signed(f"<p class=by>Written by {{author}} {'inside' if one.number % 2 else 'indeed'}</p>")(one)

    wrapper = learned(template)
    assert [rule.after for rule in wrapper.authors.rules] in ([], [""])


def test_a_mark_that_stands_in_the_text_before_grows_by_a_word() -> None:
    assert authors(signed("<p class=by>Stand by me, by {author}</p>")) == TRUE


def test_the_nearest_of_several() -> None:
    everybody = "".join(f'<li class="who">{name}</li>' for name in AUTHORS)

    def template(one: Post) -> str:
        popular = f'<p class="top">Most read: {one.author if one in POSTS else "Nobody Special"}</p>'
        return f"<ul>{everybody}</ul>{popular}" + signed("<p class=by>{author}</p>")(one)

    assert authors(template) == TRUE


def test_an_author_who_comments() -> None:
    def template(one: Post) -> str:
        comments = (
            f"<ol><li><cite>Bob</cite> yes</li><li><cite>{one.author if one in POSTS else 'Eve'}</cite> no</li></ol>"
        )
        return signed("<p class=by>{author}</p>", comments)(one)

    assert authors(template) == TRUE


def test_one_author_for_the_whole_blog() -> None:
    wrapper = learned(signed(), authors=("Ann Keller",))
    found = extracted(wrapper, signed(), OLD[0])
    assert found.authors == ["Ann Keller"]
    assert found.sources["authors"].source == "feed"
    assert found.sources["authors"].confidence < 1


def test_one_author_who_is_named_on_the_pages_by_chance_only() -> None:
    def template(one: Post) -> str:
        return signed("<p>Thanks, Ann Keller!</p>" if one.number in {1, 2} else "<p>Thanks, all!</p>")(one)

    assert authors(template, authors=("Ann Keller",)) == [["Ann Keller"]] * len(OLD)


def test_pages_that_know_better_than_a_feed_with_one_author() -> None:
    template = signed('<p>by <a rel="author" href="/a">{author}</a></p>')
    assert authors(template, authors=("admin",)) == TRUE


def test_a_guest_is_named_where_the_feed_had_one_author_at_a_rule_s_place() -> None:
    wrapper = learned(signed("<p class=by>Ann Keller</p>"), authors=("Ann Keller",))
    assert wrapper.extract(parse(signed("<p class=by>Guest Writer</p>")(OLD[0]))).authors == ["Guest Writer"]


def test_no_part_of_another_name() -> None:
    template = signed("<p class=x>{author}sson and company</p>", "<p class=by>{author}</p>")
    assert authors(template) == TRUE


def test_a_feed_without_authors() -> None:
    assert authors(signed("<p class=by>{author}</p>"), authors=()) == [[]] * len(OLD)
    named = authors(signed('<p><a rel="author">{author}</a></p>'), authors=())
    assert named == TRUE


def test_a_biography_is_no_name() -> None:
    wrapper = learned(signed("<p class=by>{author}</p>"))
    page = parse(signed(f"<p class=by>{OLD[0].paragraphs[0]}</p>")(OLD[0]))
    assert wrapper.extract(page).authors == []


@pytest.mark.parametrize("name", ["O'Neil (x", "[a-z]+", "C++", "ÀÉÎ Ŝŭ", "山田 太郎", "a.b*"])
def test_names_of_all_kinds(name: str) -> None:
    pages = [pair for one in POSTS for pair in examples(signed(f"<p class=by>{name}</p>"), [one], authors=(name,))]
    assert learn(pages).extract(parse(signed(f"<p class=by>{name}</p>")(OLD[0]))).authors == [name]


CREDITS = '<p>Theme by Lantern Works</p><div id="comments"><p class="author">Zoe</p><p>by Yan</p></div>'


@pytest.mark.parametrize(
    "template",
    [
        classic,
        signed("<p>by {author}</p>"),
        signed("<p>Posted by {author} | 3 comments</p>"),
        signed("<p>Skrivet av <a href=/x>{author}</a> i {tag}</p>", CREDITS),
        signed("<p>作者：{author}</p>", CREDITS),
        signed("<p>投稿者: {author}</p>"),
        signed("<p class=posted>投稿者 {author} : <a href=/x>2005年11月07日 00:51</a></p>"),
        signed("<p>本文作者：{author}</p>"),
        signed("<p>记事作者: <a href=/x>{author}</a></p>", CREDITS),
        signed("", "<ul><li><strong>本文作者： </strong>{author}</li><li><strong>本文链接：</strong>x</li></ul>"),
        signed("", "<p><b>Autor:</b> {author}</p>"),
        signed("<p>Автор: <b>{author}</b></p>"),
        signed("<p>Par <a href=/x>{author}</a>, le lundi</p>"),
        signed("", '<p><a href="/autor/x/">{author}</a></p>'),
        signed("<div class=post-author>{author}</div>", side=CREDITS),
        signed('<div class="entry-meta"><span class="byline">{author}</span></div>'),
    ],
)
def test_bylines_of_a_blog_whose_feed_names_nobody(template: Template) -> None:
    assert authors(template, authors=()) == TRUE


@pytest.mark.parametrize(
    "after",
    [
        "",
        CREDITS,
        "<p>Powered by <a href=/w>Wheelbarrow</a></p>",
        '<ol class="commentlist"><li><cite class="author">Zoe</cite></li></ol>',
        '<form id="respond"><label for="author">Name</label></form>',
        "<p>One day by the river we met</p>",
        "<p>图片作者：Zoe</p>",
        "<p><b>照片作者：</b> Zoe</p>",
        "<p><b>Photo by:</b> Zoe</p>",
        "<p>Nearby: Zoe</p>",
    ],
)
def test_who_is_named_elsewhere_is_no_author(after: str) -> None:
    assert authors(signed("", after), authors=()) == [[] for _ in OLD]


def test_a_byline_within_the_article_s_text_is_no_proof() -> None:
    def template(one: Post) -> str:
        return layout(f"<h1>{one.title}</h1><div class=e>{one.body}<p>Painted by Vermeer</p></div>")

    training = [
        Example(
            parse(template(one)), one.entry(authors=(), content_html=one.body + "<p>Painted by Vermeer</p>"), one.url
        )
        for one in POSTS
    ]
    assert extracted(learn(training), template, OLD[0]).authors == []


@pytest.mark.parametrize(
    ("one", "joint"),
    [
        ("<a rel=author>{}</a>", "<p>by {all}</p>"),
        ("<li><a class=who>{}</a></li>", "<ul class=authors>{all}</ul>"),
        ('<span itemprop="author">{}</span>', "<p>Written by {all}</p>"),
    ],
)
def test_posts_of_several_authors(one: str, joint: str) -> None:
    def template(post: Post, *more: str) -> str:
        everyone = ", ".join(one.replace("{}", name) for name in (post.author, *more))
        return layout(f"<h1>{post.title}</h1>{joint.replace('{all}', everyone)}<div class=e>{post.body}</div>")

    wrapper = learned(template)
    for post in OLD:
        assert wrapper.extract(parse(template(post))).authors == [post.author]
        assert wrapper.extract(parse(template(post, "Ada Lovelace"))).authors == [post.author, "Ada Lovelace"]


def test_authors_in_json_ld() -> None:
    def template(one: Post, *more: str) -> str:
        people = ", ".join(f'{{"@type": "Person", "name": "{name}"}}' for name in (one.author, *more))
        data = f'<script type="application/ld+json">{{"@type": "BlogPosting", "author": [{people}]}}</script>'
        return layout(f"<h1>{one.title}</h1><div class=e>{one.body}</div>", head=data)

    for changes in ({}, {"authors": ()}):
        wrapper = learned(template, **changes)
        assert wrapper.extract(parse(template(OLD[0]))).authors == [OLD[0].author]
    assert learned(template).extract(parse(template(OLD[0], "Bob"))).authors == [OLD[0].author, "Bob"]


def test_a_vocabulary_that_names_the_author_everywhere_goes_before_a_place_that_holds_on_some_pages() -> None:
    def template(one: Post) -> str:
        friends = ["<a href=/p>{author}</a>", "<a href=/q>somebody else</a>"][:: 1 if one.number % 5 < 3 else -1]
        card = "<div><div><div><p class='author vcard'>written by <i class=fn>{author}</i></p></div></div></div>"
        return signed(f"<p>{' and '.join(friends)} talked.</p>", f"<div><div>{card}</div></div>")(one)

    assert authors(template) == TRUE


@pytest.mark.parametrize("every", [2, 3, 6])
@pytest.mark.parametrize("joint", [" and ", " & ", ", "])
@pytest.mark.parametrize("after", ["", " on 4 May 2014", " | 04/05/14"])
def test_joint_authors_in_one_text(every: int, joint: str, after: str) -> None:
    people = {one.number: (one.author, "Zoe Okafor")[: 1 if one.number % every else 2] for one in (*POSTS, *OLD)}

    def page(one: Post) -> HtmlElement:
        return parse(signed(f"<p class=by>By {joint.join(people[one.number])}{after}</p>")(one))

    told = [(one, Entry(f"http://blog.example/{one.number}", authors=people[one.number])) for one in POSTS]
    wrapper = learn(Example(page(one), replace(entry, content_html=one.body)) for one, entry in told)
    for one in OLD:
        assert wrapper.extract(page(one)).authors == list(people[one.number])


def test_a_blog_whose_authors_always_write_together() -> None:
    assert authors(signed(), authors=("Ann Keller", "Bo Ek")) == [["Ann Keller", "Bo Ek"]] * len(OLD)


def in_json_ld(*people: str) -> str:
    """Data of the kind that names but the first author as such."""
    first, *others = ({"@type": "Person", "name": name} for name in people)
    told = {"@type": "Article", "author": first, "contributor": others}
    return f'<script type="application/ld+json">{json.dumps(told)}</script>'


def writers(one: Post) -> tuple[str, ...]:
    """Every fourth post has a second author, who has written others alone."""
    return (one.author, AUTHORS[(AUTHORS.index(one.author) + 1) % len(AUTHORS)])[: 1 if one.number % 4 else 2]


@pytest.mark.parametrize("joint", [", ", " & "])
@pytest.mark.parametrize("head", [in_json_ld, lambda first, *_: f'<meta name="author" content="{first}">'])
def test_a_feed_and_metadata_that_name_the_first_of_several_authors(joint: str, head: Callable[..., str]) -> None:
    def template(one: Post) -> str:
        byline = joint.join(writers(one))
        main = f"<div class=top><h4 class=by>{byline}</h4><h1>{one.title}</h1></div><div class=e>{one.body}</div>"
        return layout(main, head=head(*writers(one)))

    assert authors(template) == [list(writers(one)) for one in OLD]


@pytest.mark.parametrize("credit", [" · edited by ", " (thanks to ", " Photos: ", " <b>Illustrations</b> "])
@pytest.mark.parametrize("item", ["<a>{}</a>", "<span class=author>{}</span>"])
def test_who_is_credited_for_something_else_is_no_author(credit: str, item: str) -> None:
    def template(one: Post) -> str:
        byline = credit.join(item.replace("{}", name) for name in writers(one))
        return layout(f"<h1>{one.title}</h1><p class=by>By {byline}</p><div class=e>{one.body}</div>")

    assert authors(template) == TRUE


def test_who_writes_for_the_blog_besides_is_no_author_of_the_post() -> None:
    everybody = "".join(f"<li><a>{name}</a></li>" for name in AUTHORS)

    def template(one: Post) -> str:
        others = "".join(f"<p class=w><a>{name}</a></p>" for name in AUTHORS[one.number % 2 :] if name != one.author)
        main = f"<h1>{one.title}</h1><div class=e>{one.body}</div><p class=w><a>{one.author}</a></p>{others}"
        return layout(main, head=in_json_ld(one.author), side=f"<ul class=all>{everybody}</ul>")

    assert authors(template) == TRUE


def test_a_blog_without_a_feed_of_authors_whose_metadata_name_several() -> None:
    template = lambda one: signed(head=in_json_ld(*writers(one)))(one)  # noqa: E731
    assert authors(template, authors=()) == [list(writers(one)) for one in OLD]


@pytest.mark.parametrize(
    "person",
    [
        '<meta itemprop="name" content="{author}">',
        '<data itemprop="name" value="{author}"></data>',
        '<span itemprop="name">{author}</span>',
        '<link itemprop="url" href="/a"><meta itemprop="name" content="{author}">',
    ],
)
def test_microdata_that_readers_do_not_see(person: str) -> None:
    template = signed(f'<span hidden itemprop="author" itemscope itemtype="http://schema.org/Person">{person}</span>')
    assert authors(template, authors=()) == TRUE
    assert authors(template) == TRUE


OWNER = "<p>This is the log of Ann Keller, who sails.</p>"


@pytest.mark.parametrize(
    ("template", "editor", "expected"),
    [
        (signed(side=OWNER), "Ann Keller", ["Ann Keller"]),
        (signed(), "Ann Keller", []),
        (signed(side=OWNER), None, []),
        (signed(side=OWNER), "Who sails. 2", []),
        (signed(side=OWNER, head='<meta name="author" content="Carla Weiss">'), "Ann Keller", ["Carla Weiss"]),
    ],
)
def test_who_answers_for_the_feed_is_the_author_where_all_pages_say_the_name(
    template: Template, editor: str | None, expected: list[str]
) -> None:
    wrapper = learned(template, authors=(), editor=editor)
    found = extracted(wrapper, template, OLD[0])
    assert found.authors == expected
    assert "authors" not in found.sources or found.sources["authors"].confidence < 0.9


def test_bylines_go_before_who_answers_for_the_feed() -> None:
    template = signed('<p class="author">{author}</p>', side=OWNER)
    assert authors(template, authors=(), editor="Ann Keller") == TRUE


PERSON = '<div itemscope itemtype="https://schema.org/Person"><span itemprop="name">{author}</span> – Engineer</div>'
NAMED_BLOG = '<meta property="og:site_name" content="The quiet blog">'


@pytest.mark.parametrize(
    "template", [signed(PERSON), signed("", PERSON), signed("<p>Written by {author} · Edited by Zoe Lane</p>")]
)
def test_a_company_in_the_feed_and_people_on_the_pages(template: Template) -> None:
    """An author of a whole Atom feed is that of all its entries."""
    wrapper = learned(template, authors=("Example Associates",))
    found = [extracted(wrapper, template, one) for one in OLD]
    assert [one.authors for one in found] == TRUE
    assert all(one.sources["authors"].confidence >= 0.5 for one in found)


@pytest.mark.parametrize("told", ["Example Associates", "Example"])
@pytest.mark.parametrize("byline", ["<p>by {}</p>", "<p class=author>{}</p>", "<p><a rel=author href=/a>{}</a></p>"])
@pytest.mark.parametrize("every", [3, 4])
def test_a_company_in_the_feed_that_has_written_some_of_the_posts(told: str, byline: str, every: int) -> None:
    def name(one: Post) -> str:
        return one.author if one.number % every else "Example Associates"

    def template(one: Post) -> str:
        return signed(byline.format(name(one)))(one)

    assert authors(template, authors=(told,)) == [[name(one)] for one in OLD]


@pytest.mark.parametrize("told", ["Ann Keller", "Mara Lind"])
def test_who_has_written_most_posts_stays_their_author_beside_guests(told: str) -> None:
    def template(one: Post) -> str:
        return signed(f"<p>by {one.author if one in POSTS and one.number % 3 == 1 else told}</p>")(one)

    assert authors(template, authors=(told,)) == [[told]] * len(OLD)


BYLINES_OF_ONE = [
    "<p>by <a href=/x>Mara Lind</a></p>",
    "<div class=byline>Written by Mara Lind · Edited by Zoe Lane</div>",
    "<p>由 Mara Lind 發表於 2014</p>",
    "<p>Words by Mara Lind · Photos by Zoe Lane</p>",
    "<p>Text by <b>Mara Lind</b>, photos by <b>Zoe Lane</b></p>",
    "<p>Texto de Mara Lind | Fotos de Zoe Lane</p>",
    PERSON.replace("{author}", "Mara Lind"),
]


@pytest.mark.parametrize("byline", BYLINES_OF_ONE)
@pytest.mark.parametrize("told", ["The quiet blog", "admin", "mlind"])
def test_the_feed_names_the_blog_or_a_login_and_pages_a_person(byline: str, told: str) -> None:
    template = signed(byline, head=NAMED_BLOG)
    wrapper = Wrapper.from_dict(learned(template, authors=(told,)).to_dict())
    found = extracted(wrapper, template, OLD[0])
    assert found.authors == ["Mara Lind"]
    assert found.sources["authors"].confidence >= 0.5


@pytest.mark.parametrize(
    "byline", ["Words by {} · Photos by {}", "Words by {}, photos by {}", "Texte de {} – Photos de {}"]
)
def test_who_took_the_photos_of_a_post_is_not_its_author(byline: str) -> None:
    def template(one: Post) -> str:
        photographer = ("Zoe Lane", "Yan Otis", "Ida Moe")[one.number % 3]
        return signed(f"<p>{byline.format(one.author, photographer)}</p>", head=NAMED_BLOG)(one)

    assert authors(template, authors=("The quiet blog",)) == TRUE


def test_a_byline_of_an_older_form_that_names_one_of_the_blog_s_authors() -> None:
    def template(one: Post) -> str:
        day = f"{one.published:%d %B %Y}" if one in OLD else f"<a href=/d>{one.published:%d %B %Y}</a>"
        name = "Yan Other" if one is OLD[0] else one.author
        return signed(f"<p class=meta>{day} by <a href=/a>{name}</a></p>")(one)

    wrapper = learned(template)
    assert [extracted(wrapper, template, one).authors for one in OLD] == [[], *TRUE[1:]]


def test_logins_of_several_in_the_feed() -> None:
    def template(one: Post) -> str:
        return signed("<p>Posted by {author} in {tag}</p>")(one)

    entries = [pair for one in POSTS for pair in examples(template, [one], authors=(one.author.split()[1].lower(),))]
    assert [extracted(learn(entries), template, one).authors for one in OLD] == TRUE


def test_the_name_of_the_blog_in_the_titles_of_its_pages_alone() -> None:
    def template(one: Post) -> str:
        return layout(
            f"<h1>{one.title}</h1><p>by Mara Lind</p><div class=e>{one.body}</div>", title=f"{one.title} – Calm"
        )

    assert authors(template, authors=("Calm",)) == [["Mara Lind"]] * len(OLD)


@pytest.mark.parametrize("told", ["Ann Keller", "Mara Lind", "Ann Keller & Co"])
@pytest.mark.parametrize("byline", ["<p>by admin</p>", "<p>by Ann</p>", "<p>by <b>The quiet blog</b></p>", ""])
def test_a_full_name_in_the_feed_stays(told: str, byline: str) -> None:
    assert authors(signed(byline, head=NAMED_BLOG), authors=(told,)) == [[told]] * len(OLD)


def test_the_blog_of_a_person_who_is_named_in_the_metadata_of_its_pages() -> None:
    data = '<script type="application/ld+json">{"@type":"BlogPosting","author":{"name":"Mara Lind"}}</script>'
    assert authors(signed(head=NAMED_BLOG + data), authors=("The quiet blog",)) == [["Mara Lind"]] * len(OLD)


def alone(html: str) -> list[str]:
    """The authors in a page of a blog of which nothing is known."""
    body = html if html.startswith(("<span", "<a")) else ""
    head = "" if body else html
    page = f"<!DOCTYPE html>{head}<article><h1>A walk</h1>{body}{OLD[0].body}</article>"
    return Wrapper(Article(())).extract(parse(page)).authors


@pytest.mark.parametrize(
    "label", ["Written by", "Geschrieben von", "Écrit par", "Escrito por", "Scritto da", "Автор", "作者", "Posted by:"]
)
@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("name", ["name", "property"])
def test_a_label_and_its_value_in_twitter_s_metadata(label: str, number: int, name: str) -> None:
    said = {number: (label, "Ann Lee"), 3 - number: ("Est. reading time", "4 minutes")}
    metas = "".join(
        f'<meta {name}="twitter:label{place}" content="{text}"><meta {name}="twitter:data{place}" content="{value}">'
        for place, (text, value) in said.items()
    )
    assert alone(metas) == ["Ann Lee"]


@pytest.mark.parametrize("label", ["Est. reading time", "Filed under", ""])
def test_a_label_of_something_else(label: str) -> None:
    assert alone(f'<meta name="twitter:label1" content="{label}"><meta name="twitter:data1" content="Ann Lee">') == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Written by Ann Lee", "Ann Lee"),
        ("Posted by: Ann Lee on May 5", "Ann Lee"),
        ("von Ann Lee", "Ann Lee"),
        ("Publicado por José da Silva", "José da Silva"),
        ("由 Mara 發表於", "Mara"),
        ("由王小明發表於 2020-01-01", "王小明"),
        ("作者：王小明", "王小明"),
        ("田中さんが投稿", "田中"),
        ("김철수님이 작성", "김철수"),
        ("Ann Lee tarafından", "Ann Lee"),
        ("Ann Lee wrote", "Ann Lee"),
        ("Von Neumann", "Von Neumann"),
        ("By Ann Lee in Great Books", "Ann Lee"),
        ("de la Cruz", "de la Cruz"),
        ("由美", "由美"),
        ("Guest Author", "Guest Author"),
        ("Wroteham Hill", "Wroteham Hill"),
    ],
)
@pytest.mark.parametrize(
    "place", ["<span class=p-author>{}</span>", '<meta name=author content="{}">', "<a rel=author>{}</a>"]
)
def test_words_around_a_name_in_metadata(text: str, name: str, place: str) -> None:
    assert alone(place.format(text)) == [name]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("By Ann Lee and Bo Okafor", ["Ann Lee", "Bo Okafor"]),
        ("Von Ann Lee und Bo Okafor", ["Ann Lee", "Bo Okafor"]),
        ("Por José da Silva, Ann Lee y Bo Okafor", ["José da Silva", "Ann Lee", "Bo Okafor"]),
        ("Ann Lee & Bo Okafor", ["Ann Lee", "Bo Okafor"]),
    ],
)
@pytest.mark.parametrize("place", ["<span class=p-author>{}</span>", '<meta name=author content="{}">'])
def test_several_names_in_metadata(text: str, names: list[str], place: str) -> None:
    assert alone(place.format(text)) == names


@pytest.mark.parametrize(
    "people",
    [
        '[{"@type": "Person", "name": "Ann Lee"}, "Bo Okafor", {"name": "Cy Young"}]',
        '["Ann Lee", {"@id": "#bo"}, "Cy Young"]',
        '[{"@type": "Person", "name": ["Ann Lee", "Bo Okafor"]}, "Cy Young"]',
        '["Ann Lee", "Bo Okafor", "Cy Young"]',
    ],
)
def test_people_in_json_ld_as_things_and_as_texts(people: str) -> None:
    data = f'{{"@graph": [{{"@type": "Article", "author": {people}}}, {{"@type": "Person", "@id": "#bo", "name": "Bo Okafor"}}]}}'
    assert alone(f'<script type="application/ld+json">{data}</script>') == ["Ann Lee", "Bo Okafor", "Cy Young"]


@pytest.mark.parametrize(
    ("byline", "expected"),
    [
        ('<p>By <a href="/author/ann-lee/">Ann Lee</a></p>', ["Ann Lee"]),
        ('<a href="/people/ann">Ann Lee</a>', ["Ann Lee"]),
        ("<p class=byline>Geschrieben von Ann Lee</p>", ["Ann Lee"]),
        (PERSON.replace("{author}", "Ann Lee"), ["Ann Lee"]),
        ('<aside><a href="/author/ann-lee/">Ann Lee</a></aside>', []),
        ("<p>Photo by Ann Lee</p>", []),
        ('<p><a href="/about/ann/">About me</a></p>', []),
    ],
)
def test_a_byline_on_a_page_that_no_rule_fits(byline: str, expected: list[str]) -> None:
    page = f"<!DOCTYPE html><article><h1>A walk</h1>{byline}{OLD[0].body}</article>"
    found = Wrapper(Article(())).extract(parse(page))
    assert found.authors == expected
    assert not expected or found.sources["authors"].confidence < 0.8


@pytest.mark.parametrize("told", [(), ("admin77",)])
@pytest.mark.parametrize(
    "byline",
    [
        '<span class="post-author vcard">Eingestellt von <span class="fn">{}</span></span>',
        '<span class="post-author vcard">Lähettänyt <span class="fn">{}</span></span>',
        '<p class="post-author vcard">Publicadas por <b class="fn" itemprop="author"><a rel=author><i>{}</i></a></b></p>',
        '<span class="post-author">Taas kirjoitteli <b>{}</b></span>',
        '<p class="byline">Wpis dodał(a): <a href="/x">{}</a></p>',
    ],
)
@pytest.mark.parametrize("name", ["Dr. Annegret Süß", "Åsa Lindqvist", "Begoña"])
def test_the_words_before_a_name_in_an_element_of_its_own_are_no_part_of_it(
    byline: str, name: str, told: tuple[str, ...]
) -> None:
    assert authors(signed("", byline.replace("{}", name)), authors=told) == [[name]] * len(OLD)


def test_an_author_s_family_name_in_an_element_of_its_own_is_a_part_of_the_name() -> None:
    assert authors(signed('<p class="author">Ann <b>Keller</b></p>'), authors=()) == [["Ann Keller"]] * len(OLD)


NOTES = {
    "head": '<meta property="og:site_name" content="Fjord Notes">',
    "side": '<a class="site-title" rel="author" href="/">Fjord Notes</a><footer class="site-footer h-card">'
    '<ul><li class="p-name">Fjord Notes</li><li class="p-author">Fjord Notes</li></ul></footer>',
}


@pytest.mark.parametrize("told", [(), ("Fjord Notes",)])
@pytest.mark.parametrize(
    "byline",
    ["<p>Words by {author}</p>", "<p>Mar 4, 2019 • Words by {author}</p>", "<p><i>2019-04-03</i> | por {author}</p>"],
)
def test_the_site_s_name_is_no_author_where_a_byline_names_one(byline: str, told: tuple[str, ...]) -> None:
    assert authors(signed(byline, **NOTES), authors=told) == TRUE


def test_the_name_of_a_network_where_a_profile_is_linked_is_no_author() -> None:
    profile = '<ul><li><a href="https://www.photonest.example/users/4802778">Photo Nest</a></ul>'
    template = signed("<p>4 March</p>", profile, head=NOTES["head"])
    assert authors(template, authors=("Fjord Notes",)) == [["Fjord Notes"]] * len(OLD)
    assert authors(template, authors=()) == [[]] * len(OLD)


def test_the_site_s_name_is_the_author_where_nobody_else_is() -> None:
    assert authors(signed("<p>4 March</p>", **NOTES), authors=()) == [["Fjord Notes"]] * len(OLD)


@pytest.mark.parametrize("told", [(), ("ingridh",)])
@pytest.mark.parametrize(
    "line",
    [
        "3.3.2021 | Geschrieben von {author}",
        "Veröffentlicht am 3. März 2021 von {author} in <a href=/t>{tag}</a>, <a href=#c>3 Kommentare</a>",
        "Submitted by {author} on 03.03.2021 - 10:15",
        "<b>{tag}</b> · par {author} · 5 min",
        "2021年3月3日 作者：{author}",
        "Publicado el 3 de marzo de 2021 por {author} | {tag}",
        "<time>March 3, 2021</time> by {author}, 3 comments",
        "Wed, 03/03/2021 - 10:15 — by {author}",
        "March 3, 2021 at 10:15 AM by {author}",
        "{tag} / by {author}",
    ],
)
def test_a_byline_within_a_line_of_text(line: str, told: tuple[str, ...]) -> None:
    assert authors(signed(f"<div class=info>{line}</div>"), authors=told) == TRUE
    assert authors(signed("", f"<p>{line}</p>"), authors=told) == TRUE


@pytest.mark.parametrize(
    "line", ["Photo, by Zoe", "3 May 2021 | Theme by Zoe", "12 days by Rome", "Tagged | by date", "5 of 5 by Zoe"]
)
def test_a_word_within_a_line_that_names_no_author(line: str) -> None:
    assert authors(signed(f"<p>{line}</p>"), authors=()) == [[] for _ in OLD]


@pytest.mark.parametrize(
    ("byline", "item", "joint"),
    [
        ("<h4 class=author-name>{}</h4>", "<a href=/author/x/>{}</a>", ", "),
        ("<p>By {}</p>", "<b>{}</b>", " and "),
        ("<div class=names>{} · {tag}</div>", "<span>{}</span>", " & "),
    ],
)
@pytest.mark.parametrize("every", [2, 4])
def test_further_authors_in_elements_far_from_the_article(byline: str, item: str, joint: str, every: int) -> None:
    """The data and the feed name the first author, as of every other post those of Ghost do."""

    def people(one: Post) -> tuple[str, ...]:
        return (one.author, AUTHORS[(AUTHORS.index(one.author) + 1) % len(AUTHORS)])[: 1 if one.number % every else 2]

    def template(one: Post) -> str:
        names = joint.join(item.replace("{}", name) for name in people(one))
        top = f"<div><div><div><div><div>{byline.replace('{}', names).replace('{tag}', one.tags[0])}</div></div></div></div></div>"
        return layout(f"{top}<h1>{one.title}</h1><div class=e>{one.body}</div>", head=in_json_ld(one.author))

    assert authors(template) == [list(people(one)) for one in OLD]


@pytest.mark.parametrize("more", ["<a>{tag}</a>", "<a>Zoe Elsewhere</a>", "<i>edited by</i> <a>Carla Weiss</a>"])
def test_what_stands_beside_the_author_in_a_line_and_is_nobody_known(more: str) -> None:
    template = signed(f"<div><div><div><p class=by><a>{{author}}</a>, {more}</p></div></div></div>")
    assert authors(lambda one: template(one).replace("</head>", f"{in_json_ld(one.author)}</head>")) == TRUE


@pytest.mark.parametrize("foot", ['<div class="footer">{}</div>', "<footer>{}</footer>", '<div id="colophon">{}</div>'])
@pytest.mark.parametrize(
    "credit", ["3 May 2009 | by <a>Steep Web Works</a>", "<p>by <a><b>Steep Web Works</b></a></p>"]
)
def test_who_is_named_in_the_foot_of_a_page_has_not_written_its_posts(foot: str, credit: str) -> None:
    def template(one: Post) -> str:
        return layout(f"<h1>{one.title}</h1><div class=e>{one.body}</div>{foot.format(credit)}")

    for told in ((), ("Sven",)):
        wrapper = learned(template, authors=told)
        assert {tuple(extracted(wrapper, template, one).authors) for one in OLD} <= {(), told}
