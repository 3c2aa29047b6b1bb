"""Runs a program as an engine of containers confines it: python -m tests.containers.confined PROFILE ROOT PROGRAM …

ROOT, a mounted root file system, becomes that of the process, which has mounts of its own; "/" stays what it is.

The filter of system calls is that of a profile (a JSON file of Docker's form) for a process without capabilities, and
nothing that it runs gets more rights than it has. It needs `pip install pyseccomp`, and libseccomp.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyseccomp

ARCHITECTURES = {"amd64", "x32", "x86"} if os.uname().machine == "x86_64" else {"arm64", "arm"}
PIVOT_ROOT = 155 if os.uname().machine == "x86_64" else 41
"""Its number among system calls."""
DETACH = 2
"""MNT_DETACH of umount2(2)."""
NO_NEW_PRIVILEGES = 38
"""PR_SET_NO_NEW_PRIVS of prctl(2)."""
COMPARE = {
    "SCMP_CMP_NE": pyseccomp.NE,
    "SCMP_CMP_EQ": pyseccomp.EQ,
    "SCMP_CMP_MASKED_EQ": pyseccomp.MASKED_EQ,
}


def applies(rule: dict[str, Any]) -> bool:
    """Is a rule for this machine, and for who has no capability?"""
    includes, excludes = rule.get("includes", {}), rule.get("excludes", {})
    if includes.get("caps") or ARCHITECTURES & set(excludes.get("arches") or []):
        return False
    return not includes.get("arches") or bool(ARCHITECTURES & set(includes["arches"]))


def confine(profile: dict[str, Any]) -> None:
    """This process, and what it runs, from now on."""
    found = pyseccomp.SyscallFilter(pyseccomp.ERRNO(profile.get("defaultErrnoRet", 1)))
    for rule in filter(applies, profile["syscalls"]):
        action = pyseccomp.ALLOW
        if rule["action"] == "SCMP_ACT_ERRNO":
            action = pyseccomp.ERRNO(rule.get("errnoRet", 1))
        arguments = [_argument(one) for one in rule.get("args") or []]
        for name in rule["names"]:
            with suppress(ValueError, OSError):  # of another kind of processor, or newer than the library
                found.add_rule(action, name, *arguments)
    ctypes.CDLL(None).prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    found.load()


def _argument(given: dict[str, Any]) -> Any:
    compare, value = COMPARE[given["op"]], given["value"]
    if compare == pyseccomp.MASKED_EQ:
        return pyseccomp.Arg(given["index"], compare, value, given.get("valueTwo", 0))
    return pyseccomp.Arg(given["index"], compare, value)


def enter(root: str) -> None:
    """Make a mount the root, as engines do: who is in a chroot may make no user namespace. Raises OSError."""
    os.chdir(root)
    system = ctypes.CDLL(None, use_errno=True)
    if system.syscall(PIVOT_ROOT, b".", b".") or system.umount2(b".", DETACH):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), root)
    os.chdir("/")


if __name__ == "__main__":
    profile = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    if sys.argv[2] != "/":
        enter(sys.argv[2])
    confine(profile)
    os.execvp(sys.argv[3], sys.argv[3:])
