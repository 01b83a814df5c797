"""The package as users get it: built, put into an environment without anything of this repository, and run there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from email import message_from_bytes
from pathlib import Path
from zipfile import ZipFile

import pytest

import bakeoff

ROOT = Path(__file__).parents[1]


def run(*command: str | Path, folder: Path) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [str(word) for word in command], cwd=folder, capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("dist")
    source = tmp_path_factory.mktemp("source")  # a copy: building leaves folders behind, in which others may build
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        (source / name).write_bytes((ROOT / name).read_bytes())
    unwanted = shutil.ignore_patterns("__pycache__", "*.egg-info")
    shutil.copytree(ROOT / "src", source / "src", ignore=unwanted)
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", target, folder=source)
    (made,) = target.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel, and beside it the libraries of this one, but not this repository."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False, symlinks=True)
    (scripts,) = [path for path in (folder / "bin", folder / "Scripts") if path.exists()]
    install = ("-m", "pip", "--python", scripts / "python", "install", "-qq", "--no-index", "--no-deps", "--no-compile")
    run(sys.executable, *install, wheel, folder=folder)
    packages = folder / Path(sysconfig.get_path("purelib")).relative_to(sys.prefix)
    libraries = [path for path in sys.path if Path(path).name in ("site-packages", "dist-packages")]
    (packages / "libraries.pth").write_text("\n".join(libraries), encoding="utf-8")
    return scripts


def test_the_wheel_has_every_file_of_the_package(wheel: Path) -> None:
    packed = set(ZipFile(wheel).namelist())
    ours = {
        path.relative_to(ROOT / "src").as_posix()
        for path in (ROOT / "src" / "bakeoff").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert "bakeoff/py.typed" in ours
    assert not ours - packed
    strangers = {name for name in packed - ours if ".dist-info/" not in name}
    assert not strangers


def test_what_the_wheel_says_of_itself(wheel: Path) -> None:
    with ZipFile(wheel) as packed:
        (name,) = [name for name in packed.namelist() if name.endswith(".dist-info/METADATA")]
        said = message_from_bytes(packed.read(name))
    assert (said["Name"], said["Version"]) == ("bakeoff", bakeoff.__version__)
    assert said["License-Expression"] == "BSD-3-Clause"
    assert "Typing :: Typed" in said.get_all("Classifier")
    assert not said.get_all("Project-URL"), "it has no address yet that an index could show"
    assert not [line for line in said.get_all("Requires-Dist") if "pytest" in line and "extra ==" not in line]


def test_the_demo_runs_from_the_wheel(environment: Path, small_study: Path, tmp_path: Path) -> None:
    where = run(environment / "python", "-c", "import bakeoff; print(bakeoff.__file__)", folder=tmp_path).strip()
    assert Path(where).is_relative_to(environment.parent), "not the one of this repository"
    assert run(environment / "bakeoff", "--version", folder=tmp_path) == f"bakeoff {bakeoff.__version__}\n"
    (tmp_path / "demo").mkdir()
    (tmp_path / "demo" / "study.toml").write_bytes(small_study.read_bytes())  # the study itself takes half a minute
    told = run(environment / "bakeoff", "demo", folder=tmp_path)
    assert "bayes is better than majority" in " ".join(told.split())
    assert "AdaBoosted C4.5" in run(environment / "bakeoff", "demo", "--scores", "--output", "scores", folder=tmp_path)
    for name in ("demo/critical-difference.svg", "demo/verdict.json", "scores/verdict.json"):
        assert (tmp_path / name).stat().st_size > 1000
