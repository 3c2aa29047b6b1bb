"""The archive in a web browser: a local web server. `application` makes the ASGI application, `listen` and `serve` run
it. To add a kind of page, write a module with `ROUTES` (functions from a request to a response) and add it in `app`.
"""

from __future__ import annotations

from blogcrawler.browse.app import application
from blogcrawler.browse.holdings import Holdings
from blogcrawler.browse.server import address_of, listen, serve

__all__ = ["Holdings", "address_of", "application", "listen", "serve"]
