"""Full-text search over posts and their comments, with SQLite's FTS5 or an index in PostgreSQL."""

from __future__ import annotations

import json
import re
import sqlite3
import unicodedata
from importlib import resources
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, text

from blogcrawler.backend.columns import storable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sqlalchemy import Connection, TextClause

BEGIN_MARK, END_MARK = "\ue000", "\ue001"
"""Marks around the matching words of an excerpt: private-use characters, which are removed from texts."""
BEFORE, AFTER = 50, 150
"""Number of characters before the first matching word, and from it on."""
_MARKS = {ord(BEGIN_MARK): None, ord(END_MARK): None}
_WORDS = 24
"""Number of words in an excerpt."""
_TERM = re.compile(r'"([^"]*)"|(\S+)')
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f"
    "\U00020000-\U0003ffff]"
)
"""Letters of scripts without spaces between words (Thai, Lao, Burmese, Khmer, Japanese, Chinese)."""
_MOST_TERMS = 20
_LONGEST_TERM = 200
"""Maximum length of a search term, since PostgreSQL rejects words of 2 KiB."""

_FTS5 = """
SELECT rowid FROM post_search WHERE post_search MATCH :query {scope} ORDER BY rank, rowid LIMIT :most OFFSET :offset
"""
_FTS5_COUNT = "SELECT count(*) FROM post_search WHERE post_search MATCH :query {scope}"
_FTS5_SCOPE = "AND rowid IN (SELECT id FROM post WHERE blog_id = :blog)"
_FTS5_EXCERPT = f"""
SELECT CAST(snippet(post_search, -1, :begin, :end, '…', {_WORDS}) AS blob)
FROM post_search WHERE post_search MATCH :query AND rowid = :id
"""  # noqa: S608 - a number
_TERMS = """
SELECT post.id FROM post WHERE post.terms @@ ({wanted}) {scope}
ORDER BY ts_rank(post.terms, {wanted}) DESC, post.id LIMIT :most OFFSET :offset
"""
_TERMS_COUNT = "SELECT count(*) FROM post WHERE post.terms @@ ({wanted}) {scope}"
_WANTED = "phraseto_tsquery('simple', post_folded(:{name}))"
_LIKE = "SELECT post.id FROM post WHERE {terms} {scope} ORDER BY post.published DESC, post.id"
_LIKE_TERM = """
(post.title {like} :{name} ESCAPE '\\' OR post.content_text {like} :{name} ESCAPE '\\'
    OR CAST(post.comments AS text) {like} :{name}_json ESCAPE '\\')
"""
_SAID = {
    "sqlite": """
SELECT CAST(coalesce(title, '') || char(10) || coalesce(content_text, '') || char(10) || coalesce(comments, '') AS blob)
FROM post_words WHERE id = :id
""",
    "postgresql": "SELECT post_said(title, content_text, comments) FROM post WHERE id = :id",
}


def make_search(connection: Connection) -> None:
    """Create the index, and the triggers that keep it up to date."""
    kind = connection.dialect.name
    script = resources.files("blogcrawler.backend").joinpath(f"data/search_{kind}.sql").read_text("utf-8")
    for statement in _statements(script) if kind == "sqlite" else script.split("\n\n"):
        connection.exec_driver_sql(statement)


def _statements(script: str) -> Iterator[str]:
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def words_of(sought: str) -> list[str]:
    """The words and "quoted phrases" of a search text."""
    terms = (phrase or word for phrase, word in _TERM.findall(str(storable(sought))))
    return [term[:_LONGEST_TERM] for term in terms if any(map(str.isalnum, term))][:_MOST_TERMS]


def matching(
    connection: Connection, sought: str, blog_id: int | None, *, most: int, offset: int = 0
) -> tuple[int, list[tuple[int, str]]]:
    """Number of posts with all search terms, and one page of them from `offset` on: ids with excerpts, the best first.

    In excerpts, matching words are between `BEGIN_MARK` and `END_MARK`.
    """
    terms = words_of(sought)
    if not terms:
        return 0, []
    scope = "" if blog_id is None else "AND post.blog_id = :blog"
    values: dict[str, Any] = {} if blog_id is None else {"blog": blog_id}
    if any(map(_UNSPACED.search, terms)):
        return _containing(connection, terms, scope, values, most=most, offset=offset)
    by = _by_terms if connection.dialect.name == "postgresql" else _by_fts5
    return by(connection, terms, scope, values, most=most, offset=offset)


def _bound(query: str, values: dict[str, Any], **parts: Any) -> TextClause:  # noqa: ANN401
    return text(query.format(**parts)).bindparams(*(bindparam(name, value) for name, value in values.items()))


def _by_fts5(
    connection: Connection, terms: list[str], scope: str, values: dict[str, Any], *, most: int, offset: int
) -> tuple[int, list[tuple[int, str]]]:
    """The search with FTS5; excerpts are only made for the returned page."""
    query = {**values, "query": " ".join('"' + term.replace('"', "") + '"' for term in terms)}
    scope = _FTS5_SCOPE if scope else ""
    total = connection.scalar(_bound(_FTS5_COUNT, query, scope=scope))
    ids = connection.scalars(_bound(_FTS5, {**query, "most": most, "offset": offset}, scope=scope)).all()
    marks = {"query": query["query"], "begin": BEGIN_MARK, "end": END_MARK}
    excerpts = (connection.scalar(text(_FTS5_EXCERPT), {**marks, "id": post_id}) for post_id in ids)
    return int(total or 0), [(post_id, _decoded(snippet)) for post_id, snippet in zip(ids, excerpts, strict=True)]


def _by_terms(
    connection: Connection, terms: list[str], scope: str, values: dict[str, Any], *, most: int, offset: int
) -> tuple[int, list[tuple[int, str]]]:
    """The search with PostgreSQL's index."""
    sought = {f"term{number}": term for number, term in enumerate(terms)}
    wanted = " && ".join(_WANTED.format(name=name) for name in sought)
    total = connection.scalar(_bound(_TERMS_COUNT, {**values, **sought}, wanted=wanted, scope=scope))
    page = {**values, **sought, "most": most, "offset": offset}
    ids = list(connection.scalars(_bound(_TERMS, page, wanted=wanted, scope=scope)))
    return int(total or 0), _with_excerpts(connection, ids, terms, are_words=True)


def _containing(
    connection: Connection, terms: list[str], scope: str, values: dict[str, Any], *, most: int, offset: int
) -> tuple[int, list[tuple[int, str]]]:
    """The search for terms that are not separate words: reads all texts, and comments as JSON."""
    likes = [_like(connection, term) for term in terms]
    tests = " AND ".join(_LIKE_TERM.format(name=f"term{number}", like=like) for number, like in enumerate(likes))
    sought = {f"term{number}": f"%{_escaped(term)}%" for number, term in enumerate(terms)}
    sought |= {f"term{number}_json": f"%{_escaped(json.dumps(term)[1:-1])}%" for number, term in enumerate(terms)}
    ids = list(connection.scalars(_bound(_LIKE, {**values, **sought}, terms=tests, scope=scope)))
    return len(ids), _with_excerpts(connection, ids[offset : offset + most], terms, are_words=False)


def _like(connection: Connection, term: str) -> str:
    """The case-insensitive LIKE operator; PostgreSQL's is slow, and is not needed for scripts without capitals."""
    return "ILIKE" if connection.dialect.name == "postgresql" and term.upper() != term.lower() else "LIKE"


def _escaped(term: str) -> str:
    return re.sub(r"([\\%_])", r"\\\1", term)


def _with_excerpts(
    connection: Connection, ids: Iterable[int], terms: Sequence[str], *, are_words: bool
) -> list[tuple[int, str]]:
    query = text(_SAID[connection.dialect.name])
    said = {post_id: _decoded(connection.scalar(query, {"id": post_id})) for post_id in ids}
    return [(post_id, excerpt(one, terms, are_words=are_words)) for post_id, one in said.items()]


def _decoded(data: str | bytes | None) -> str:
    """Decode text from SQLite, whose JSON functions may return unpaired surrogates."""
    return data.decode("utf-8", "replace") if isinstance(data, bytes) else data or ""


class _Bases(dict[int, int]):
    """Translation table from letters to their base letters without diacritics."""

    def __missing__(self, letter: int) -> int:
        return self.setdefault(letter, ord(unicodedata.normalize("NFD", chr(letter))[0]))


_BASES = _Bases()


def excerpt(text: str, terms: Sequence[str], *, are_words: bool) -> str:
    """The text around the first matching term, with all matches marked; the beginning if none is found.

    `are_words`: terms are whole words in any spelling; else they may be parts of words. O(n).
    """
    text = unicodedata.normalize("NFC", text).translate(_MARKS)
    pattern = re.compile("|".join(_pattern(term, are_words=are_words) for term in terms), re.IGNORECASE)
    plain = text.translate(_BASES) if are_words else text
    first = pattern.search(plain)
    start = max(0, first.start() - BEFORE) if first else 0
    end = max(first.end() if first else 0, start + BEFORE + AFTER)
    shown, position = "…" if start else "", start
    for match in pattern.finditer(plain, start, end) if first else ():
        shown += f"{text[position : match.start()]}{BEGIN_MARK}{text[match.start() : match.end()]}{END_MARK}"
        position = match.end()
    return f"{shown}{text[position:end]}{'…' if end < len(text) else ''}"


def _pattern(term: str, *, are_words: bool) -> str:
    if not are_words:
        return re.escape(term)
    words = re.findall(r"[^\W_]+", unicodedata.normalize("NFC", term).translate(_BASES))
    return r"(?<![^\W_])" + r"[\W_]+".join(map(re.escape, words)) + r"(?![^\W_])" if words else r"(?!)"
