"""Full text search: what titles, articles and comments say."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.routing import Route

from blogcrawler.browse.context import asked_page, context_of, number_in
from blogcrawler.browse.pages import name_of

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from blogcrawler.backend import BlogRow
    from blogcrawler.browse.context import Context

_ON_A_PAGE = 20
_LONGEST = 1000
"""Characters of a question."""


def search(request: Request) -> Response:
    """The posts that have all words of a question, the best first."""
    context, number = context_of(request), asked_page(request)
    query = request.query_params.get("q", "").strip()[:_LONGEST]
    blog = _chosen(context, request.query_params.get("blog", ""))
    archive = context.holdings.archive
    most = _ON_A_PAGE
    total, found = archive.shelf.search(query, blog.id if blog else None, most=most, offset=(number - 1) * most)
    last = max(1, -(-total // most))
    if number > last:
        raise HTTPException(404, f"This list has {last} {'page' if last == 1 else 'pages'}.")
    asked = {"q": query} | ({"blog": str(blog.id)} if blog else {})
    return context.pages.page(
        "search.html",
        title=f"Search: {query}" if query else "Search",
        blog=blog,
        query=query,
        total=total,
        found=found,
        names={one.id: name_of(one.title, one.home) for one in archive.blogs()},
        number=number,
        last=last,
        address=lambda other: f"/search?{urlencode({**asked, 'page': other}, errors='replace')}",
        everywhere=f"/search?{urlencode({'q': query}, errors='replace')}",
    )


def _chosen(context: Context, asked: str) -> BlogRow | None:
    if not asked:
        return None
    archive, number = context.holdings.archive, number_in(asked)
    home = archive.shelf.blog(number) if number is not None else None
    if home is None:
        raise HTTPException(404, "The archive has no blog of this number.")
    return archive.blog(home)


ROUTES = [Route("/search", search)]
