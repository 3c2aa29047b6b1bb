"""The archive in a web browser: a local server of pages that are read from it.

`application` makes the ASGI application from what it shows, `listen` and `serve` run it. A further kind of page is a
module with its `ROUTES`, of functions from a request to a response, and a line in `app`.
"""

from __future__ import annotations

from blogcrawler.browse.app import application
from blogcrawler.browse.holdings import Holdings
from blogcrawler.browse.server import address_of, listen, serve

__all__ = ["Holdings", "address_of", "application", "listen", "serve"]
