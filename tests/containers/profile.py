"""Makes docs/containers/seccomp.json: python -m tests.containers.profile FILE

FILE is Docker's own profile, profiles/seccomp/default.json of its sources (Apache-2.0), as Debian's package
golang-github-docker-docker-dev has it below /usr/share/gocode/src/github.com/docker/docker.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tests.containers.dockerfile import ROOT

__all__ = ["OURS", "PROFILE", "with_ours"]

PROFILE = ROOT / "docs/containers/seccomp.json"
OURS: dict[str, Any] = {
    "comment": "blogcrawler's only change of Docker's profile: Chromium's sandbox makes user namespaces, and is root in them",
    "names": ["chroot", "clone", "setns", "unshare"],
    "action": "SCMP_ACT_ALLOW",
    "args": [],
    "includes": {},
    "excludes": {},
}


def with_ours(profile: dict[str, Any]) -> dict[str, Any]:
    """A profile that also lets Chromium make its sandbox."""
    return {**profile, "syscalls": [*profile["syscalls"], OURS]}


if __name__ == "__main__":
    found = with_ours(json.loads(Path(sys.argv[1]).read_text("utf-8")))
    PROFILE.write_text(json.dumps(found, indent=2) + "\n", "utf-8")
