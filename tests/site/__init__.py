"""Web servers on loopback for tests, each in a thread of its own, on a port that the system chooses."""

from __future__ import annotations

from tests.site.local import LocalSite, Reply
from tests.site.proxy import ProxySite
from tests.site.raw import RawSite
from tests.site.validators import Validators

__all__ = ["LocalSite", "ProxySite", "RawSite", "Reply", "Validators"]
