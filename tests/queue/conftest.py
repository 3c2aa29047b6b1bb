"""The server of queues."""

from __future__ import annotations

import pytest

from tests.backend.conftest import postgresql_server, postgresql_url

__all__ = ["postgresql_server", "postgresql_url"]

pytest.importorskip("procrastinate", reason="the library of queues is not installed (procrastinate)")
