"""Build etcd and etcdctl from source through the Go module proxy, once per version.

``go install pkg@version`` refuses modules with replace directives, which etcd's are; so each version is
built from a throw-away module that requires etcd's own modules. The tags v3.4.N do not follow Go's
import-path rule for major versions and the proxy does not serve them; 3.4 is reached by the
pseudo-version of a commit on its release branch (https://go.dev/ref/mod#pseudo-versions).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

CACHE_ENVIRONMENT_VARIABLE = "ETCD_DOCTOR_LAB_CACHE"
DEFAULT_CACHE = Path("~/.cache/etcd-doctor-lab")
CLOCK_OFFSET_VARIABLE = "LAB_CLOCK_OFFSET_S"
SKEWED = "-skewed"

# Go asks the kernel for the time itself, so that a preloaded C library cannot shift it: time.Now is patched.
_CLOCK_CALL = "sec, nsec, mono := runtimeNow()\n"
_CLOCK_OFFSET_SOURCE = """package time

import "syscall"

var labOffset = func() (seconds int64) {
	text, _ := syscall.Getenv("%s")
	for _, digit := range []byte(text) {
		seconds = seconds*10 + int64(digit-'0')
	}
	return seconds
}()
"""


class BuildError(RuntimeError):
    """The Go tool chain is missing or a build failed; the message carries the tool's last lines."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How one etcd version is built: module versions, replacements, and package per binary."""

    version: str
    requires: Mapping[str, str]
    packages: Mapping[str, str]
    replaces: Mapping[str, str] = field(default_factory=dict)
    skewed_clock: bool = False


def _split_modules(version: str) -> Recipe:
    """From 3.5 on the server and the tools are modules of their own, tagged alike."""
    server, etcdctl = "go.etcd.io/etcd/server/v3", "go.etcd.io/etcd/etcdctl/v3"
    return Recipe(
        version=version,
        requires=dict.fromkeys((server, etcdctl), f"v{version}"),
        packages={"etcd": server, "etcdctl": etcdctl},
    )


RECIPES: dict[str, Recipe] = {
    "3.4": Recipe(
        version="3.4.15",
        requires={"go.etcd.io/etcd": "v0.5.0-alpha.5.0.20210428180535-15715dcf1ace"},
        packages={"etcd": "go.etcd.io/etcd", "etcdctl": "go.etcd.io/etcd/etcdctl"},
        # grpc 1.27 dropped the naming package that 3.4 imports; old x/sys does not link with a current Go.
        replaces={
            "google.golang.org/grpc": "google.golang.org/grpc v1.26.0",
            "golang.org/x/sys": "golang.org/x/sys v0.30.0",
        },
    ),
    "3.5": _split_modules("3.5.21"),
    "3.6": _split_modules("3.6.5"),
}
# The same etcd whose wall clock runs ahead by the seconds in CLOCK_OFFSET_VARIABLE.
RECIPES["3.6" + SKEWED] = replace(RECIPES["3.6"], skewed_clock=True)


@dataclass(frozen=True, slots=True)
class Binaries:
    """The executables of one etcd release line, named as pidstat and pgrep expect them."""

    line: str
    etcd: Path
    etcdctl: Path


def cache_directory() -> Path:
    """Where binaries are kept: the environment variable, else ``~/.cache/etcd-doctor-lab``."""
    return Path(os.environ.get(CACHE_ENVIRONMENT_VARIABLE) or DEFAULT_CACHE).expanduser()


def ensure(line: str) -> Binaries:
    """The binaries of a release line ("3.4", "3.5", "3.6", "3.6-skewed"), built on first use.

    Raises BuildError when the line is unknown or the build fails.
    """
    if line not in RECIPES:
        raise BuildError(f"no recipe for etcd {line}; known: {', '.join(RECIPES)}")
    target = cache_directory() / line
    binaries = Binaries(line, target / "etcd", target / "etcdctl")
    if not (binaries.etcd.exists() and binaries.etcdctl.exists()):
        target.mkdir(parents=True, exist_ok=True)
        _build(RECIPES[line], target)
    return binaries


def _build(recipe: Recipe, target: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="etcd-lab-build-") as name:
        workspace = Path(name)
        (workspace / "go.mod").write_text(_go_mod(recipe), encoding="utf-8")
        imports = "".join(f'import _ "{package}"\n' for package in recipe.packages.values())
        (workspace / "tools.go").write_text(f"//go:build tools\n\npackage tools\n\n{imports}", encoding="utf-8")
        _go(workspace, "mod", "tidy", "-e")
        for binary, package in recipe.packages.items():
            overlay = ["-overlay", str(_clock_overlay(workspace))] if recipe.skewed_clock else []
            _go(workspace, "build", "-trimpath", *overlay, "-o", binary, package)
            # Moved into place only when whole, so that an interrupted build leaves nothing half-made.
            partial = target / f".{binary}.partial"
            shutil.copy2(workspace / binary, partial)
            partial.replace(target / binary)


def _clock_overlay(workspace: Path) -> Path:
    source = Path(_go(workspace, "env", "GOROOT").strip()) / "src" / "time"
    original = (source / "time.go").read_text(encoding="utf-8")
    if _CLOCK_CALL not in original:
        raise BuildError("this Go version reads the clock in another way than the lab knows")
    patched, offset = workspace / "time.go.txt", workspace / "lab_offset.go.txt"
    patched.write_text(original.replace(_CLOCK_CALL, f"{_CLOCK_CALL}\tsec += labOffset\n", 1), encoding="utf-8")
    offset.write_text(_CLOCK_OFFSET_SOURCE % CLOCK_OFFSET_VARIABLE, encoding="utf-8")
    replaced = {str(source / "time.go"): str(patched), str(source / "lab_offset.go"): str(offset)}
    overlay = workspace / "overlay.json"
    overlay.write_text(json.dumps({"Replace": replaced}), encoding="utf-8")
    return overlay


def _go_mod(recipe: Recipe) -> str:
    lines = ["module etcdlab", "", "go 1.23.0", ""]
    lines += [f"require {module} {version}" for module, version in recipe.requires.items()]
    lines += [f"replace {module} => {other}" for module, other in recipe.replaces.items()]
    return "\n".join(lines) + "\n"


def _go(workspace: Path, *arguments: str) -> str:
    go = shutil.which("go")
    if go is None:
        raise BuildError("the Go tool chain is needed to build etcd, and `go` is not in PATH")
    environment = {**os.environ, "CGO_ENABLED": "0", "GOFLAGS": "-p=1 -buildvcs=false -mod=mod"}
    done = subprocess.run(
        ["nice", go, *arguments], cwd=workspace, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise BuildError(f"go {' '.join(arguments)} failed:\n{done.stderr[-2000:]}")
    return done.stdout
