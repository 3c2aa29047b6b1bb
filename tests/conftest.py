"""Installs the reactor that the product uses, before anything imports another one."""

from __future__ import annotations

from scrapy.utils.reactor import install_reactor

install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")
