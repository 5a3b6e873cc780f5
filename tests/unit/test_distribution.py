"""The distribution: five root packages with plain names, each owned by us alone, and pins that name no host."""

import importlib.metadata
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ["bot", "handlers", "ingest", "permissions", "retrieval"]


@pytest.mark.parametrize("package", PACKAGES)
def test_a_root_package_has_one_owner(package: str) -> None:
    """Another distribution that ships `handlers/` would overwrite ours without a word."""
    assert set(importlib.metadata.packages_distributions()[package]) == {"haitang"}


@pytest.mark.parametrize("name", ["constraints.txt", "requirements.lock"])
def test_pins_name_no_host(name: str) -> None:
    assert "://" not in (ROOT / name).read_text("utf-8")


def test_both_pin_files_hold_the_same_versions() -> None:
    pin = re.compile(r"^[a-z0-9.\-]+==[^\s\\]+", re.MULTILINE)
    people, images = (set(pin.findall((ROOT / n).read_text("utf-8"))) for n in ("constraints.txt", "requirements.lock"))
    assert images
    assert images <= people


def test_the_wheel_holds_the_five_packages_and_nothing_else(tmp_path: Path) -> None:
    build = [sys.executable, "-c", f"import setuptools.build_meta as b; b.build_wheel({str(tmp_path)!r})"]
    source = tmp_path / "source"
    subprocess.run(["git", "clone", "-q", "--depth=1", ROOT.as_uri(), source], check=True)  # noqa: S603, S607
    subprocess.run(build, cwd=source, check=True, capture_output=True)  # noqa: S603
    (wheel,) = tmp_path.glob("*.whl")
    roots = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {root for root in roots if not root.endswith(".dist-info")} == set(PACKAGES)
