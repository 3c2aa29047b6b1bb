"""Pages that have a control that shows more, as their source tells."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawler.browser import grows, grows_by_script


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
        "<button>Load more",
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


@given(st.binary(max_size=400))
def test_any_bytes_are_read(body: bytes) -> None:
    assert grows(body) in (True, False)


@pytest.mark.parametrize("piece", [b"<a", b"<button", b"<a href=# ", b"<input type=button ", b"<a>", b"<button><"])
def test_markup_without_end_takes_little_time(piece: bytes) -> None:
    begun = time.perf_counter()
    assert not grows(piece * (300_000 // len(piece)))
    assert time.perf_counter() - begun < 10
