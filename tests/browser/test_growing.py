"""Pages that have a control that shows more, as their source tells."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawler.browser import growing
from blogcrawler.browser.phrases import labels_of_lists, phrases
from blogcrawler.dom import parse
from blogcrawler.items import Page


def grows(body: bytes, url: str = "http://own.invalid/") -> bool:
    return growing.grows(Page(url, body))


def grows_by_script(script: bytes, page: bytes = b"") -> bool:
    return growing.grows_by_script(script, parse(b"<html>" + page))


@pytest.mark.parametrize(
    "control",
    [
        "<button class=x>Load more</button>",
        "<BUTTON><span>Older</span> posts</BUTTON>",
        "<a href='#'>Mehr anzeigen</a>",
        "<a class=more href=#>Load  more (12)</a>",
        '<a href="javascript:void(0)">もっと見る</a>',
        "<a onclick='more()'>Показать ещё</a>",
        '<input type="button" class="b" value="Show more">',
        "<button>Plus d&#39;articles</button>",
        "<div class=x role=button tabindex=0>Older posts</div>",
        "<span role='button'>Show more</span>",
        "<input value='Show more' type=button>",
        "<input value='Show more' type=submit>",
        "<div class=more onclick='more()'>Show more</div>",
        "<script>new IntersectionObserver(more).observe(end)</script>",
        "<script src=/js/infinite-scroll.min.js></script>",
    ],
)
def test_controls(control: str) -> None:
    assert grows(f"<html><body><ul><li>One</ul>{control}</body></html>".encode())


SAID = """
Older Comments; Expand all comments; Read all 40 comments; 12 more replies; Weitere Kommentare laden; Afficher plus de commentaires; Articles précédents;
Cargar más comentarios; Entradas antiguas; Carregar mais comentários; Postagens mais antigas; Carica altri commenti; Post più vecchi; Oudere berichten;
Visa fler kommentarer; Vis flere kommentarer; Vanhemmat julkaisut; Pokaż kolejne komentarze; Starsze wpisy; Načíst další komentáře; További hozzászólások;
Mai multe comentarii; Daha eski kayıtlar; Περισσότερα σχόλια; Показать ещё комментарии; Следующие комментарии; Старіші дописи; Переглянути всі коментарі;
По-стари коментари; По-стари публикации; טען תגובות נוספות; عرض المزيد; نمایش نظرات; और टिप्पणियाँ देखें; Carrega més comentaris; Mostra'n més; Muat lainnya;
Xem tất cả bình luận; Xem thêm bình luận; ดูความคิดเห็นเพิ่มเติม; โหลดความคิดเห็น; コメントをもっと見る; 過去の記事; 加载更多评论; 全部评论; 댓글 더보기
"""


@pytest.mark.parametrize("text", [text.strip() for text in SAID.split(";")])
def test_words_in_many_languages(text: str) -> None:
    assert grows(f"<button>{text}</button>".encode())


@pytest.mark.parametrize(
    "markup",
    [
        "<a href='/page/2/'>Older posts</a>",
        '<a class="more" href="https://example.org/archive">Load more</a>',
        "<a href=/page/2>Load more</a>",
        "<button>Search</button>",
        "<div role=button>Search</div>",
        "<input type=text value='Load more'>",
        "<p>Load more</p>",
        "<a onclick='count()' href=/page/2>Load more</a>",
        "<button>Log in to see more comments</button>",
        f"<button>Load more of what {'is ' * 40}there</button>",
        "",
    ],
)
def test_other_markup(markup: str) -> None:
    assert not grows(f"<html><body>{markup}</body></html>".encode())


@pytest.mark.parametrize(
    "script",
    [
        "addEventListener('scroll', () => { fetch('/more') })",
        'const w=$(window);w.on("scroll",function(){$.ajax({url:n})})',
        "new IntersectionObserver(e=>fetch(u)).observe(t)",
        "$(window).scroll(function(){ $.get('/page/2', add) })",
        "var infiniteScroll = new InfiniteScroll('.list')",
    ],
)
def test_scripts_that_add_to_a_list_as_one_goes_down(script: str) -> None:
    assert grows_by_script(script.encode())


@pytest.mark.parametrize(
    "script",
    [
        "addEventListener('scroll', () => menu.classList.add('small'))",
        "new IntersectionObserver(e => e[0].target.src = e[0].target.dataset.src)",
        "fetch('/count')",
        "",
    ],
)
def test_other_scripts(script: str) -> None:
    assert not grows_by_script(script.encode())


LABELS = [
    "<div class=load-more>Load more</div>",
    "<div class='pager'><span id=next class='btn'>Next page</span></div>",
    "<p id='next'><b>&laquo; Older posts</b> <i class=arrow></i></p>",
    "<ul><li class=older data-next=2>Ältere Einträge</li></ul>",
    "<my-control id=next><span>次のページ</span></my-control>",
]
KNOWS = """
document.querySelector('.pager #next, .load-more') || document.getElementById('next');
$(document).on("click", "li[data-next]", more)
"""


@pytest.mark.parametrize("label", LABELS)
def test_what_is_no_button_is_a_control_where_a_script_knows_it(label: str) -> None:
    page = f"<html><body><ul><li>One</ul>{label}".encode()
    assert not grows(page)
    assert grows(page + f"<script>{KNOWS}</script>".encode())
    assert grows_by_script(KNOWS.encode(), page)
    assert not grows_by_script(b"count('next')", page)


@pytest.mark.parametrize(
    "script",
    [
        "<script src=/js/list.js></script>",
        "<script src='http://blog.example/list.js' type=application/x-javascript></script>",
        "<script>start()</script>",
    ],
)
def test_only_a_script_loads_more(script: str) -> None:
    page = b"<html><body><ul><li>One</ul><div class=m>7 of 9: <span>Load more</span></div>"
    assert not grows(page, "http://blog.example/")
    assert grows(page + script.encode(), "http://blog.example/")


OTHER_LABELS = [
    "<a href=/page/2><span id=next>Next page</span></a>",
    "<span id=next>Next</span>",
    "<h2 id=next>Older posts</h2>",
    "<label id=next>Older</label>",
    "<p id=next>Older posts are <b>below</b></p>",
    "<p id=next><b>Our older posts</b></p>",
    "<p id=next>Show comments</p>",
    "<p id=next>Read more</p>",
    "<p id=next>Sign in: <span>Older posts</span></p>",
    "<span class='page older'>Older</span>",
    "<!-- <span id=next>Next page</span>",
    "<textarea><span id=next>Next page</span></textarea>",
]


@pytest.mark.parametrize("label", OTHER_LABELS)
def test_other_elements_are_none(label: str) -> None:
    script = "document.getElementById('next').onclick = show"
    page = f"<html><body>{label}<script>{script}</script>".encode()
    assert not grows(page)
    assert not grows_by_script(script.encode(), page)


@pytest.mark.parametrize(
    "script",
    [
        "<script src='https://other.example/list.js'></script>",
        "<script>gtag('config')</script>",
        "<script type=application/ld+json>{}</script>",
        "<script src=/list.js",
    ],
)
def test_scripts_that_are_not_the_sites_own_show_nothing(script: str) -> None:
    assert not grows(f"<html><body><div>Load more</div>{script}".encode(), "http://blog.example/")


@given(st.lists(st.sampled_from(["<div>", "</div>", "<b id=x>", "</b>", "<br>", "<a href=/x>", "</a>", "Older", " "])))
def test_any_markup_is_read(parts: list[str]) -> None:
    page = "".join(parts).encode()
    if grows_by_script(b"document.getElementById('x')", page):
        assert b"<b id=x>" in page
        assert b"Older" in page


@given(st.binary(max_size=400))
def test_any_bytes_are_read(body: bytes) -> None:
    assert grows(body) in (True, False)


@pytest.mark.parametrize(
    "piece",
    [
        b"<a",
        b"<button",
        b"<a href=# ",
        b"<input type=button ",
        b"<a>",
        b"<button><",
        b"<div>older",
        b"<script>",
        b"<div><",
    ],
)
def test_markup_without_end_takes_little_time(piece: bytes) -> None:
    begun = time.process_time()
    assert not grows(piece * (300_000 // len(piece)))
    assert time.process_time() - begun < 10


def test_the_phrases_are_well_formed():
    assert all(phrase == phrase.lower() and len(phrase) <= 40 for phrase in (*phrases(), *labels_of_lists()))
