"""The server of databases."""

from __future__ import annotations

from tests.backend.conftest import postgresql_server, postgresql_url

__all__ = ["postgresql_server", "postgresql_url"]
