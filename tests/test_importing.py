from __future__ import annotations

from pathlib import Path

import pytest
from sklearn.svm import SVC

from bakeoff.errors import UsageError
from bakeoff.importing import check_path, imported

WHOSE = "learner 'x'"
EXPECTED = "the path of a class"


def complaint(path: object) -> str:
    with pytest.raises(UsageError) as caught:
        imported(path, WHOSE, EXPECTED)  # type: ignore[arg-type]
    assert str(caught.value).startswith(f"{WHOSE}: ")
    return str(caught.value)


def test_a_path_is_the_class() -> None:
    assert imported("sklearn.svm.SVC", WHOSE, EXPECTED) is SVC


@pytest.mark.parametrize("path", ["SVC", "", ".SVC", "sklearn.", "sklearn..SVC", "a b.c", "os.system('x')", 3, None])
def test_what_is_no_path(path: object) -> None:
    assert "is no import path. Expected is the path of a class." in complaint(path)


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("sklearn.svm.SVK", "'SVC'"),
        ("sklearn.svm.svc", "'SVC'"),
        ("sklearn.ensemble.RandomForest", "'RandomForestClassifier'"),
        ("sklearn.ensembel.RandomForestClassifier", "'ensemble'"),
        ("sklearn_.svm.SVC", "'sklearn'"),
    ],
)
def test_the_nearest_name_is_proposed(path: str, meant: str) -> None:
    assert meant in complaint(path).partition("Did you mean")[2]


def test_a_package_that_is_not_installed() -> None:
    message = complaint("xgbuust.XGBClassifier")
    assert "there is no module 'xgbuust'" in message
    assert "Install" in message


def test_a_module_or_a_value_cannot_be_called() -> None:
    assert "is a module, which cannot be called. Expected is the path of a class." in complaint("sklearn.svm")
    assert "a value of type str" in complaint("sklearn.__version__")


def test_a_module_of_the_users_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "broken_learner_module.py").write_text("1 / 0")
    (tmp_path / "needy_learner_module.py").write_text("import surely_not_there_9")
    (tmp_path / "nested_learner_module.py").write_text("class Outer:\n    class Inner:\n        pass")
    monkeypatch.syspath_prepend(tmp_path)
    assert "raised ZeroDivisionError: division by zero" in complaint("broken_learner_module.Learner")
    assert "needs the module 'surely_not_there_9'" in complaint("needy_learner_module.Learner")
    assert imported("nested_learner_module.Outer.Inner", WHOSE, EXPECTED).__qualname__ == "Outer.Inner"
    assert "the class 'nested_learner_module.Outer' has no 'Iner'" in complaint("nested_learner_module.Outer.Iner")
    assert "'Outer'" in complaint("nested_learner_module.Outr.Inner")


def test_checking_imports_nothing() -> None:
    check_path("surely.not.There", WHOSE, EXPECTED)
