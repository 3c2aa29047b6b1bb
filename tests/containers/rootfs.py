"""Runs the steps of the Dockerfile in root file systems of Debian: python -m tests.containers.rootfs FOLDER

For machines without an engine of containers. It needs root, debootstrap (apt-get install debootstrap) and Debian's
mirrors; it takes some minutes and 2 GB. What an engine adds is not tried: its networks, its limits, its own profiles.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path

from tests.containers.dockerfile import ROOT, Stage, Step, context, stages
from tests.containers.profile import PROFILE

__all__ = ["Image", "build"]

MIRROR = "http://deb.debian.org/debian"
SUITE = "bookworm"
PLAIN = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root"}
OURS = ("/etc/resolv.conf", "/etc/hosts")
"""Files of this machine that an engine gives to its containers."""
CERTIFICATES = "/run/build-certificates.crt"
"""Those that this machine trusts, for pip: there may be a proxy between it and PyPI."""
MOUNTS = "mount -t proc proc {root}/proc && mount --rbind /dev {root}/dev && mount -t tmpfs tmp {root}/tmp"


class Image:
    """A root file system, and what the steps have said of processes in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.variables = dict(PLAIN)
        self.user, self.folder = "root", "/"

    def command(self, arguments: list[str], *, as_service: bool = False, **variables: str) -> list[str]:
        """What runs a command in it, as its user, in mounts of its own that end with it.

        As a service of compose.yaml it may write the archive and what is temporary alone, and our profile filters its
        system calls.
        """
        mounts = MOUNTS.format(root=shlex.quote(str(self.root)))
        given = [f"{name}={value}" for name, value in (self.variables | variables).items()]
        inside = ["/usr/bin/env", "-i", f"--chdir={self.folder}", *given, *arguments]
        user = [] if self.user == "root" else ["--userspec", f"{self.user}:{self.user}"]
        outside = ["chroot", *user, str(self.root), *inside]
        if as_service:
            root, archive = shlex.quote(str(self.root)), shlex.quote(f"{self.root}/archive")
            mounts = (
                f"mount --bind {root} {root} && mount --bind {archive} {archive} && "
                f"mount -o remount,ro,bind {root} && {mounts}"
            )
            somebody = ["/usr/bin/setpriv", f"--reuid={self.user}", f"--regid={self.user}", "--clear-groups"]
            program = [sys.executable, "-m", "tests.containers.confined", str(PROFILE), str(self.root)]
            outside = [*program, *somebody, "--inh-caps=-all", "--bounding-set=-all", *inside]
        return ["unshare", "--mount", "--propagation", "private", "sh", "-c", f"{mounts} && exec {shlex.join(outside)}"]

    def run(self, arguments: list[str], *, as_service: bool = False, **variables: str) -> None:
        """Run one to its end. Raises CalledProcessError."""
        subprocess.run(self.command(arguments, as_service=as_service, **variables), check=True, cwd=ROOT)


def base(folder: Path) -> Path:
    """Debian as its slim images have it: the packages that are essential, and apt."""
    made = folder / "base"
    if not (made / "etc/debian_version").exists():
        subprocess.run(["debootstrap", "--variant=minbase", SUITE, made, MIRROR], check=True)
    sources = [f"deb {MIRROR} {SUITE} main", f"deb {MIRROR} {SUITE}-updates main"]
    sources.append(f"deb {MIRROR}-security {SUITE}-security main")
    (made / "etc/apt/sources.list").write_text("".join(f"{line}\n" for line in sources))
    return made


def build(folder: Path) -> Image:
    """Run all steps; the image that the last stage makes."""
    images: dict[str | None, Image] = {}
    for number, stage in enumerate(stages()):
        root = folder / f"stage{number}"
        shutil.rmtree(root, ignore_errors=True)
        subprocess.run(["cp", "-a", base(folder), root], check=True)
        images[stage.name] = _build(stage, Image(root), images)
    return images[stages()[-1].name]


def built(folder: Path) -> Image:
    """The image that `build` has made before."""
    last = stages()[-1]
    image = Image(folder / f"stage{len(stages()) - 1}")
    for step in last.steps:
        _note(step, image)
    return image


def _note(step: Step, image: Image) -> None:
    """What a step says of processes."""
    if step.name == "ENV":
        image.variables |= dict(word.split("=", 1) for word in step.words)
    elif step.name == "USER":
        image.user = step.text
    elif step.name == "WORKDIR":
        image.folder = step.text


def _build(stage: Stage, image: Image, images: dict[str | None, Image]) -> Image:
    for file in OURS:
        shutil.copy(file, image.root / file.lstrip("/"))
    trusted = os.environ.get("PIP_CERT", "")
    more = {}
    if trusted:
        shutil.copy(trusted, image.root / CERTIFICATES.lstrip("/"))
        more = {"PIP_CERT": CERTIFICATES, "DEBIAN_FRONTEND": "noninteractive"}
    for step in stage.steps:
        print(f"--- {step.name} {re.sub(' +', ' ', step.text)}", flush=True)
        if step.name == "RUN":
            image.run(["/bin/sh", "-c", step.text], **more)
        elif step.name == "COPY":
            _copy(step.words, image, images)
        elif step.name == "WORKDIR":
            (image.root / step.text.lstrip("/")).mkdir(parents=True, exist_ok=True)
        elif step.name not in {"ENV", "USER", "LABEL", "VOLUME", "STOPSIGNAL", "HEALTHCHECK", "ENTRYPOINT", "CMD"}:
            raise NotImplementedError(step.name)
        _note(step, image)
    (image.root / CERTIFICATES.lstrip("/")).unlink(missing_ok=True)
    return image


def _copy(words: list[str], image: Image, images: dict[str | None, Image]) -> None:
    options, (*names, target) = (
        [word for word in words if word[:2] == "--"],
        [word for word in words if word[:2] != "--"],
    )
    place = image.root / str(Path("/", image.folder, target)).lstrip("/")
    if options:
        source = images[options[0].removeprefix("--from=")].root / names[0].lstrip("/")
        subprocess.run(["cp", "-a", source, place], check=True)
        return
    for name in names:
        sent = [file for file in context() if fnmatch(str(file), name) or Path(name) in file.parents]
        assert sent or "[" in name, f"{name} is not sent to the build"
        for file in sent:
            inside = (
                place
                if not target.endswith("/")
                else place / (file.relative_to(name) if Path(name) in file.parents else file.name)
            )
            inside.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / file, inside)


def main() -> None:
    """Build it, and try it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--try", action="store_true", dest="is_tried", help="crawl in it, as a service")
    parser.add_argument("--no-build", action="store_true", help="take what was built there before")
    given = parser.parse_args()
    folder = given.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    image = built(folder) if given.no_build else build(folder)
    image.run([*stages()[-1].last("ENTRYPOINT").words, "--version"])
    if given.is_tried:
        from tests.containers.trying import try_image

        try_image(image)


if __name__ == "__main__":
    main()
