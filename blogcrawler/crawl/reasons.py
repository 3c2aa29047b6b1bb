"""Why a fetched page is not used: the same few words for all such pages."""

from __future__ import annotations

ALREADY_FETCHED = "already fetched"
LEADS_AWAY = "leads away from the blog"
NO_POST = "a post's address, and no post"
COPY = "a copy of a post"
NO_WEB_PAGE = "no web page"
PART = "a part of a post"
TOO_SLOW = "takes too long to read"
