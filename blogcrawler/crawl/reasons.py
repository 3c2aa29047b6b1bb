"""Why a fetched page is not used: the same few words for all such pages."""

from __future__ import annotations

ALREADY_FETCHED = "already fetched"
LEADS_AWAY = "leads away from the blog"
NO_POST = "looks like a post's URL, but has no article"
COPY = "a copy of a post"
NO_WEB_PAGE = "no web page"
PART = "a part of a post"
TOO_SLOW = "takes too long to read"
