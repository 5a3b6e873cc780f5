"""The distribution: five root packages with plain names, each owned by us alone, and pins that name no host."""

import importlib.metadata
import re
import shutil
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


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What the wheel holds; built from a copy, for building leaves files behind."""
    folder = tmp_path_factory.mktemp("wheel")
    for name in PACKAGES:
        shutil.copytree(ROOT / name, folder / "source" / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder / "source")
    build = [sys.executable, "-c", f"import setuptools.build_meta as b; b.build_wheel({str(folder)!r})"]
    subprocess.run(build, cwd=folder / "source", check=True, capture_output=True)  # noqa: S603
    (built,) = folder.glob("*.whl")
    return zipfile.ZipFile(built).namelist()


def test_the_wheel_holds_the_five_packages_and_nothing_else(wheel: list[str]) -> None:
    roots = {name.split("/")[0] for name in wheel}
    assert {root for root in roots if not root.endswith(".dist-info")} == set(PACKAGES)


def test_the_wheel_holds_what_is_no_python(wheel: list[str]) -> None:
    """The page, the samples, the schema, the manifest and what else is read at run time."""
    files = (path for name in PACKAGES for path in (ROOT / name).rglob("*") if path.is_file())
    wanted = {path.relative_to(ROOT).as_posix() for path in files if path.suffix != ".pyc"}
    assert wanted - set(wheel) == set()
