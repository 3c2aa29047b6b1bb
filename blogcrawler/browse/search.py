"""Full text search in titles, articles and comments."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.routing import Route

from blogcrawler.browse.context import blog_of_number, context_of, requested_page_number
from blogcrawler.browse.pages import name_of

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

_ON_A_PAGE = 20
_LONGEST = 1000
"""Longest query, in characters."""


def search(request: Request) -> Response:
    """The page of posts that have all words of a query, the best first."""
    context, number = context_of(request), requested_page_number(request)
    query = request.query_params.get("q", "").strip()[:_LONGEST]
    asked_blog = request.query_params.get("blog", "")
    blog = blog_of_number(context, asked_blog) if asked_blog else None
    archive = context.holdings.archive
    most = _ON_A_PAGE
    total, found = archive.queries.search(query, blog.id if blog else None, most=most, offset=(number - 1) * most)
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


ROUTES = [Route("/search", search)]
