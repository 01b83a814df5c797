"""What was changed since the first results, in a learner or in the data, is never answered with the old ones."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from pathlib import Path

import pytest
import warm
from proofs import Place, attempts, content, odd, rows, study_text

from bakeoff.errors import UsageError
from bakeoff.learners.code import code_of, without_comments
from bakeoff.learners.learner import Learner, Step
from bakeoff.study.study import Study

# --- learners ---------------------------------------------------------------------------------------------------------

SCRIPT = """
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
import bakeoff

WHICH = {which}

def chosen(classes):
    return classes[WHICH]  # {comment}

class Mine(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self
    def predict(self, X):
        return np.repeat({predicted}, len(X))

study = bakeoff.Study(["glass"], {{"mine": Mine()}}, resampling={{"scheme": "holdout", "repeats": {repeats}}})
scores = study.run(store="k.sqlite")
print(len(scores), sorted(set(scores.value.round(2).tolist())))
"""
CHOSEN = {"which": 0, "comment": "first", "predicted": "chosen(self.classes_)", "repeats": 2}


def ran(folder: Path, script: str) -> str:
    (folder / "script.py").write_text(script)
    return python(folder, "script.py")


def python(folder: Path, *arguments: str, given: str = "") -> str:
    with warm.start(arguments, cwd=folder, env=os.environ, given=given) as process:
        out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return out + err


def learners(folder: Path) -> int:
    """How many learners have cells in the store."""
    return int(rows(folder / "k.sqlite", "select count(distinct learner) from cell")[0][0])


@pytest.fixture(scope="module")
def first_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder of the script that was run once, and what it said: to be copied."""
    folder = tmp_path_factory.mktemp("script")
    return folder, ran(folder, SCRIPT.format(**CHOSEN))


@pytest.mark.parametrize("change", [{"which": 1}, {"predicted": "self.classes_[2]"}])
def test_a_class_of_a_script_that_was_edited_is_run_again(
    first_run: tuple[Path, str], tmp_path: Path, change: dict[str, object]
) -> None:
    folder, before = first_run
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    changed = ran(tmp_path, SCRIPT.format(**{**CHOSEN, **change, "repeats": 3}))
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    assert changed == ran(fresh, SCRIPT.format(**{**CHOSEN, **change, "repeats": 3})), "as if there were no old cells"
    assert changed.split(maxsplit=1)[1] != before.split(maxsplit=1)[1]
    assert learners(tmp_path) == 2, "the old cells stay"


# Whatever code can hide in that a learner of a script is made of. Each refers to K, whose place is taken by a number.
FORMS = """
import collections, functools, json, typing
import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
import bakeoff
import outer.inner

def piped(function):
    return make_pipeline(FunctionTransformer(function), KNeighborsClassifier())

class Base(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

class Method(Base):
    def predict(self, X): return np.repeat(self.classes_[K], len(X))

class Attribute(Base):
    which = K
    def predict(self, X): return np.repeat(self.classes_[self.which], len(X))

class Property(Base):
    @property
    def which(self): return K

class Inherited(Method):
    pass

def decorated(kind):
    kind.predict = lambda self, X: np.repeat(self.classes_[K], len(X))
    return kind

@decorated
class Decorated(Base):
    pass

Made = type("Made", (Base,), {"predict": lambda self, X: np.repeat(self.classes_[K], len(X))})

class Meta(type):
    def __new__(kind, name, bases, inside):
        return super().__new__(kind, name, bases, {**inside, "predict": lambda self, X: X[:, K]})

class OfMeta(Base, metaclass=Meta):
    pass

class Holder:
    def __init__(self, k=0): self.k = k
    def bound(self, X): return X * K
    def of_state(self, X): return X * self.k
    @classmethod
    def of_class(cls, X): return X * K
    @staticmethod
    def static(X): return X * K
    def __call__(self, X): return X * self.k

def wrapping(function):
    @functools.wraps(function)
    def inner(X): return function(X) * K
    return inner

@wrapping
def wrapped(X): return X

@functools.lru_cache
def cached(): return K

def asks_cache(X): return X * cached()

@functools.singledispatch
def dispatched(X): return X * K

def with_default(X, *, k=K): return X * k

SETTINGS = {"k": [K]}
def asks_settings(X): return X * SETTINGS["k"][0]

def distance(a, b): return abs(a - b).sum() * K

def imports_when_called(X):
    def inner():
        from lazy import k
        return k
    return X * inner()

def imports_by_name(X):
    import importlib
    return X * importlib.import_module("lazy").k

class Settings(Base):
    class Usual:
        which = K
    def predict(self, X): return np.repeat(self.classes_[self.Usual.which], len(X))

class Helped(Base):
    helper = KNeighborsClassifier(K + 1)

class Choosing(Base):
    rules = {"first": lambda X: X * K}

class Bound(Base):
    def chosen(self, X, k): return X[:, k]
    predict = functools.partialmethod(chosen, k=K)

class Told:
    def __init__(self, k): self.k = k
    def __get__(self, instance, owner): return self.k

class Tells(Base):
    which = Told(K)

class Typed(Base):
    def __init__(self, dtype="float32"): self.dtype = dtype
    def predict(self, X): return np.repeat(self.classes_[K], len(X))

class Making(type):
    def __call__(kind):
        made = super().__call__()
        made.k = K
        return made

class OfMaking(Base, metaclass=Making):
    pass

def words(text): return text.split()[K:]

class Slim:
    __slots__ = ("k",)
    def __init__(self, k): self.k = k

class Pair(typing.NamedTuple):
    k: int = 0
    def times(self, X): return X * K

NAMES, PAIR, SLIM, SCALE = np.array(["a", "b"], dtype=object), Pair(), Slim(K), Holder(K)
TIMES, FRAME = functools.partial(with_default, k=K), pd.DataFrame({"k": [K], "name": ["a"]})
PARTS = [{"f": with_default, "o": object(), "k": K}, range(K), bytes([K]), collections.deque([K])]
CIRCLE = {"k": K}
CIRCLE["itself"] = [CIRCLE]
def asks_circle(X): return X * CIRCLE["k"]
def asks_pair(X): return PAIR.times(X)
def asks_slim(X): return X * SLIM.k
def asks_callable(X): return SCALE(X)
def asks_partial(X): return TIMES(X)
def asks_frame(X): return X * FRAME["k"][0]
def asks_parts(X): return PARTS
def asks_package(X): return X * outer.inner.k
def asks_names(X): return X * len(NAMES) * K
def asks_itself(X): return X * asks_itself.k
asks_itself.k = K

forms = {
    "nested": Settings(), "helped": Helped(), "choosing": Choosing(), "bound part": Bound(), "told": Tells(),
    "typed": Typed(), "making": OfMaking(), "words": make_pipeline(CountVectorizer(tokenizer=words), Method()),
    "pair": piped(asks_pair), "slim": piped(asks_slim), "calls": piped(asks_callable),
    "calls partial": piped(asks_partial),
    "frame": piped(asks_frame), "parts": piped(asks_parts), "package": piped(asks_package), "names": piped(asks_names),
    "itself": piped(asks_itself), "circle": piped(asks_circle),
    "method": Method(), "attribute": Attribute(), "property": Property(), "inherited": Inherited(),
    "decorated": Decorated(), "made": Made(), "metaclass": OfMeta(),
    "bound": piped(Holder().bound), "state": piped(Holder(K).of_state), "of class": piped(Holder.of_class),
    "static": piped(Holder.static), "callable": piped(Holder(K)), "wrapped": piped(wrapped),
    "cache": piped(asks_cache), "dispatch": piped(dispatched), "default": piped(with_default),
    "settings": piped(asks_settings), "partial": piped(functools.partial(with_default, k=K)),
    "metric": KNeighborsClassifier(metric=distance),
    "imported late": piped(imports_when_called), "imported by name": piped(imports_by_name),
}
study = bakeoff.Study(["iris"], forms)
print(json.dumps({learner.name: learner.key for learner in study.learners}))
"""


def test_code_is_found_wherever_it_hides(tmp_path: Path) -> None:
    keys = []
    for k in ("0", "1", "0"):
        (tmp_path / "lazy.py").write_text("import importlib\nk = importlib.import_module('lazier').k\n")
        (tmp_path / "lazier.py").write_text(f"k = {k}\n")
        (tmp_path / "outer").mkdir(exist_ok=True)
        (tmp_path / "outer" / "inner.py").write_text(f"k = {k}\n")
        keys.append(json.loads(ran(tmp_path, re.sub(r"\bK\b", k, FORMS))))
    assert len(keys[0]) == 39
    assert keys[0] == keys[2]
    assert [name for name in keys[0] if keys[0][name] == keys[1][name]] == []


APART = """
import functools
import numpy as np
from sklearn.dummy import DummyClassifier
import bakeoff

@functools.lru_cache
def chosen(): return "virginica"

class Cached(DummyClassifier):
    def predict(self, X): return np.repeat(chosen(), len(X))

class Stays(DummyClassifier):
    def __setstate__(self, state): raise RuntimeError("I stay at home")

learners = {"cached": Cached(), "stays": Stays(), "dummy": DummyClassifier()}
scores = bakeoff.Study(["iris"], learners, resampling={"scheme": "holdout"}).run()
print({row.learner: (row.status, row.message) for row in scores.to_frame().fillna("").itertuples()})
"""


def test_a_learner_that_cannot_be_sent_costs_its_own_cells_alone(tmp_path: Path) -> None:
    """What `functools` caches is sent by value, as all else that a script defines."""
    said = ran(tmp_path, APART)
    assert "'cached': ('ok', '')" in said
    assert "'dummy': ('ok', '')" in said
    assert "'stays': ('error', 'RuntimeError: I stay at home')" in said


PATCHED = """
import numpy as np
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
import bakeoff

class Own(GaussianNB):
    pass

Own.predict = lambda self, X: np.repeat(self.classes_[0], len(X))
print(bakeoff.Study(["iris"], {"own": Own()}).learners[0].name)
GaussianNB.predict = lambda self, X: np.repeat(self.classes_[0], len(X))
try:
    bakeoff.Study(["iris"], {"inside": make_pipeline(GaussianNB())})
except bakeoff.errors.UsageError as error:
    print(error)
"""


def test_a_class_of_a_library_that_a_script_patches_is_refused(tmp_path: Path) -> None:
    """The workers import it anew: the scores were those of the class as it is."""
    said = ran(tmp_path, PATCHED)
    assert said.startswith("own\nlearner 'inside': GaussianNB.predict was replaced by a function of this script")


def test_the_rest_of_a_script_may_change(first_run: tuple[Path, str], tmp_path: Path) -> None:
    shutil.copytree(first_run[0], tmp_path, dirs_exist_ok=True)
    ran(tmp_path, SCRIPT.format(**{**CHOSEN, "comment": "the first one", "repeats": 3}) + "\nprint('more')\n")
    assert learners(tmp_path) == 1
    assert rows(tmp_path / "k.sqlite", "select count(*) from attempt") == [(3,)]


def test_a_learner_without_a_source_is_told_from_others_all_the_same_and_it_is_said_once(tmp_path: Path) -> None:
    said = python(tmp_path, given=SCRIPT.format(**CHOSEN))
    assert said.count("The source of mine cannot be had") == 1
    python(tmp_path, given=SCRIPT.format(**CHOSEN))
    assert learners(tmp_path) == 1
    python(tmp_path, given=SCRIPT.format(**{**CHOSEN, "predicted": "self.classes_[2]"}))
    assert learners(tmp_path) == 2


MODULE = """
from sklearn.dummy import DummyClassifier
from {helper}

class Mine(DummyClassifier):
    def predict(self, X):
        return moved(super().predict(X))
"""
HELPER = "def moved(y):\n    return {moved}\n"
LEARNER = 'path = "kit.mine.Mine"'


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path, study_text({"mine": LEARNER, "tree": 'path = "sklearn.tree.DecisionTreeClassifier"'}))
    (tmp_path / "kit").mkdir()
    (tmp_path / "kit" / "__init__.py").touch()
    (tmp_path / "kit" / "mine.py").write_text(MODULE.format(helper=".helper import moved"))
    (tmp_path / "kit" / "helper.py").write_text(HELPER.format(moved="y"))
    assert made.run_here().code == 0
    return made


def scores(place: Place) -> str:
    return place.command("scores", "study.toml").out


def test_a_module_that_a_learner_imports_is_part_of_it(place: Place) -> None:
    before = scores(place)
    (place.folder / "kit" / "helper.py").write_text(HELPER.format(moved="y[::-1]"))
    for command in ("judge", "status"):
        told = place.command(command, "study.toml")
        assert told.code == 2
        assert "the code of learner mine edited since the run. Run it" in told.err
    assert "[changed] the code of learner mine edited" in " ".join(place.command("plan", "study.toml").out.split())
    done = place.run_here()
    assert (done.code, "3 cells run" in done.out, "3 were stored before" in done.out) == (0, True, True)
    assert scores(place) != before
    assert len(attempts(place.store)) == 9, "the old cells stay"
    judged = place.command("judge", "study.toml")
    assert "the code of learner mine edited since the first results" in " ".join(judged.out.split())


@pytest.mark.parametrize(
    "how",
    [
        "import importlib; helper = importlib.import_module('.helper', __package__)",
        "from importlib import import_module as load; helper = load('kit.helper')",
        "import importlib; helper = importlib.import_module(name='kit.helper')",
        "import importlib; PART = 'kit.helper'; helper = importlib.import_module(PART)",
    ],
)
def test_a_module_that_is_imported_by_its_name_is_part_of_a_learner(how: str, place: Place) -> None:
    (place.folder / "kit" / "mine.py").write_text(f"{how}\nclass Mine: pass\n")
    keys = []
    for moved in ("y", "y[::-1]"):
        (place.folder / "kit" / "helper.py").write_text(HELPER.format(moved=moved))
        keys.append(Learner("mine", steps=(Step("kit.mine.Mine"),), folder=str(place.folder)).key)
    assert keys[0] != keys[1]


def test_a_comment_is_no_change(place: Place) -> None:
    helper = place.folder / "kit" / "helper.py"
    helper.write_text("# What moves.\n\n" + helper.read_text())
    assert place.command("status", "study.toml").code == 0


def test_a_learner_can_be_run_again_on_purpose(place: Place) -> None:
    before = scores(place)
    done = place.run_here("--again", "mine")
    assert "3 cells run" in done.out
    assert scores(place) == before
    assert len(attempts(place.store)) == 9
    assert place.command("status", "study.toml").out.startswith("6 of 6 cells are done")
    misspelt = place.run_here("--again", "mien")
    assert (misspelt.code, "no learner 'mien' to be run again. Did you mean 'mine'?" in misspelt.err) == (2, True)


SCORER = "def profit(estimator, X, y):\n    return {value} + 0 * estimator.score(X, y)\n"


@pytest.fixture
def scored(tmp_path: Path) -> Place:
    text = study_text({"tree": 'path = "tree"', "bayes": 'path = "naive-bayes"'})
    text = text.replace('["error", "log_loss"]', '["error", { name = "profit", scorer = "money.profit" }]')
    made = Place(tmp_path, text)
    (tmp_path / "money.py").write_text(SCORER.format(value="0.25"))
    assert made.run_here().code == 0
    return made


def test_an_edit_of_the_same_length_in_the_same_second_is_noticed(scored: Place) -> None:
    """Python would go on with what it compiled before."""
    code, before = scored.folder / "money.py", (scored.folder / "money.py").stat().st_mtime
    assert list((scored.folder / "__pycache__").glob("money*")) or sys.dont_write_bytecode
    code.write_text(SCORER.format(value="0.75"))
    os.utime(code, (before, before))
    assert scored.run_here().code == 0
    assert "0.75" in scored.command("scores", "study.toml", "--measure", "profit").out


def test_a_scorer_that_was_edited_gives_new_values_for_the_same_cells(scored: Place) -> None:
    profit = ("scores", "study.toml", "--measure", "profit")
    assert "0.25" in scored.command(*profit).out
    predicted = content(scored.store)
    (scored.folder / "money.py").write_text(SCORER.format(value="0.75"))
    told = scored.command("judge", "study.toml", "--measure", "profit")
    assert (told.code, "the code of measure profit edited since the run" in told.err) == (2, True)
    done = scored.run_here("-j", "2")
    assert (done.code, "6 cells run" in done.out) == (0, True), done.err
    assert "0.75" in scored.command(*profit).out
    assert "0.25" not in scored.command(*profit).out
    after = content(scored.store)
    assert {key: each.prediction for key, each in after.items()} == {k: e.prediction for k, e in predicted.items()}
    assert set(map(tuple, attempts(scored.store).values())) == {("ok",)}, "cells stay those that they were"
    assert "nothing was left to run" in scored.run_here().out
    assert "Planned" in scored.command("judge", "study.toml").out, "error is another matter"


def test_a_scorer_that_comes_later_has_its_cells_run_once_more(scored: Place) -> None:
    text = (scored.folder / "study.toml").read_text()
    (scored.folder / "money.py").write_text(SCORER.format(value="0.25"))
    (scored.folder / "gains.py").write_text(SCORER.format(value="1"))
    scored.write(text.replace('money.profit" }', 'money.profit" }, { name = "gain", scorer = "gains.profit" }'))
    assert "6 cells run" in scored.run_here().out
    assert rows(scored.store, "select count(*), min(value) from score join measure on measure.id = measure "
                "where name = 'gain'") == [(6, 1.0)]  # fmt: skip


MEASURE = """
import bakeoff
import numpy as np
from bakeoff.measures import Measure, register
from sklearn.naive_bayes import GaussianNB

VALUE = {value}

def one(truth, prediction): return VALUE
def wrong(truth, prediction): return {{}}["nothing"]
def short(truth, prediction): return np.ones(3)

register(Measure("one", larger_is_better=True), needs="labels", compute=one)
register(Measure("wrong", larger_is_better=True), needs="labels", compute=wrong)
register(Measure("short", larger_is_better=True), needs="labels", pointwise=short)
measures = ["one", "wrong", "short", "error"]
study = bakeoff.Study(["iris"], {{"bayes": GaussianNB()}}, resampling={folds}, measures=measures)
scores = study.run(store="k.sqlite").to_frame()
print(sorted(set(scores.value[scores.measure == "one"])), set(scores.status[scores.measure == "error"]))
print(set(scores.status[scores.measure == "wrong"]), set(scores.message[scores.measure == "short"]))
"""


def test_a_measure_of_a_script_that_was_edited_has_new_values_for_the_same_cells(tmp_path: Path) -> None:
    said = ran(tmp_path, MEASURE.format(value=0.25, folds=3))
    assert "[0.25] {'ok'}\n{'undefined'}" in said, "what it raises is no failure of the learner"
    assert "must return a value for each of 50 test rows; it returned an array of shape (3,)" in said
    for folds in (3, 4):
        assert "[0.75] {'ok'}" in ran(tmp_path, MEASURE.format(value=0.75, folds=folds))
    assert rows(tmp_path / "k.sqlite", "select count(*) from attempt") == [(7,)], "predictions are enough"


def test_scorers_of_installed_packages_keep_their_keys(tmp_path: Path) -> None:
    def described(folder: Path) -> list[dict[str, object]]:
        measures = ["jaccard_macro", {"name": "mine", "scorer": "sklearn.metrics.some_scorer"}]
        return Study(["iris"], ["tree"], measures=measures, folder=str(folder)).describe()["measures"]

    assert described(tmp_path) == [
        {"name": "jaccard_macro", "scorer": "jaccard_macro", "larger_is_better": True},
        {"name": "mine", "scorer": "sklearn.metrics.some_scorer", "larger_is_better": True},
    ]


def test_a_scorer_of_a_learner_that_is_not_the_same_each_time_has_no_value(scored: Place) -> None:
    text = study_text({"dice": odd("Unseeded")}).replace('["error", "log_loss"]', '["error"]')
    scored.write(text)
    assert scored.run_here("--store", "dice.sqlite").code == 0
    scored.write(text.replace('["error"]', '["error", { name = "profit", scorer = "money.profit" }]'))
    assert scored.run_here("--store", "dice.sqlite").code == 0
    reasons = {row[0] for row in rows(scored.folder / "dice.sqlite", "select reason from score where value is null")}
    assert any("predictions were others than those that are stored" in reason for reason in reasons)


def test_code_that_is_edited_while_it_runs_stops_the_run(place: Place) -> None:
    helper = place.folder / "kit" / "helper.py"
    helper.write_text(
        "import pathlib\ndef moved(y):\n"
        f"    path = pathlib.Path({str(helper)!r})\n    path.write_text(path.read_text() + 'x = 1\\n')\n    return y\n"
    )
    done = place.run_here()
    assert (done.code, "edited or removed while the study ran" in done.err) == (2, True)
    assert not any("mine" in line and "0" not in line for line in place.command("failures", "study.toml").err)


def test_a_study_that_was_made_before_its_code_was_edited_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own_learner.py").write_text("from sklearn.svm import SVC\nclass Mine(SVC):\n    pass\n")
    study = Study(["iris"], {"mine": "own_learner.Mine"})
    assert study.key
    (tmp_path / "own_learner.py").write_text("from sklearn.svm import SVC\nclass Mine(SVC):\n    x = 1\n")
    with pytest.raises(UsageError, match="'mine' was edited since the study was made"):
        study.run()


def test_installed_packages_are_no_part_of_the_key() -> None:
    assert code_of(Learner("tree", (Step("sklearn.tree.DecisionTreeClassifier"),))).describe() == {}
    assert code_of(Learner("1R", (Step("bakeoff.learners.one_r.OneR"),))).describe() == {}


def test_nothing_is_imported_to_find_out(tmp_path: Path) -> None:
    (tmp_path / "never_imported.py").write_text("import numpy.linalg\nraise SystemExit\n")
    code = code_of(Learner("x", (Step("never_imported.Mine"),), folder=str(tmp_path)))
    assert list(code.modules) == ["never_imported"]
    assert list(code.packages) == ["numpy"]
    assert "never_imported" not in sys.modules


def test_estimators_inside_parameters_count(tmp_path: Path) -> None:
    (tmp_path / "inner_part.py").write_text("class Part: pass\n")
    inside = {"estimator": {"path": "inner_part.Part", "parameters": {}}}
    code = code_of(Learner("x", (Step("sklearn.ensemble.BaggingClassifier", inside),), folder=str(tmp_path)))
    assert list(code.modules) == ["inner_part"]


def test_the_files_of_a_command_count(tmp_path: Path) -> None:
    (tmp_path / "fit.py").write_text("import beside\n")
    (tmp_path / "beside.py").write_text("x = 1\n")
    before = Learner("x", command=("python", "fit.py", "{train}"), folder=str(tmp_path))
    assert (list(before.code.files), list(before.code.modules)) == (["fit.py"], ["beside"])
    (tmp_path / "beside.py").write_text("x = 2\n")
    after = Learner("x", command=("python", "fit.py", "{train}"), folder=str(tmp_path))
    assert before.key != after.key
    (parts, changed) = (each.describe()["code"] for each in (before, after))
    assert {kind for kind in {*parts, *changed} if parts.get(kind) != changed.get(kind)} == {"modules"}
    assert {name for name in parts["modules"] if parts["modules"][name] != changed["modules"].get(name)} == {"beside"}


def test_text_that_only_looks_like_a_comment_counts() -> None:
    assert without_comments('x = """\n# a\n\n"""\n') == 'x = """\n# a\n\n"""'
    assert without_comments("not python (\n# a\n") == "not python (\n# a\n"


# --- data -------------------------------------------------------------------------------------------------------------

TABLE = "a,b,class\n" + "".join(f"{i % 7},{i % 5},{'yes' if i % 3 else 'no'}\n" for i in range(60))
DATA = """
resampling = { scheme = "cross-validation", folds = 3 }
[[task]]
name = "mine"
file = "data.csv"
target = "class"
[[learner]]
name = "tree"
path = "sklearn.tree.DecisionTreeClassifier"
[[learner]]
name = "bayes"
path = "sklearn.naive_bayes.GaussianNB"
[[analysis]]
measure = "error"
control = "bayes"
contrast = "control"
"""


@pytest.fixture
def table(tmp_path: Path) -> Place:
    made = Place(tmp_path, DATA)
    (tmp_path / "data.csv").write_text(TABLE)
    assert made.run_here().code == 0
    assert "Planned in the study" in judged(made)
    return made


def judged(place: Place) -> str:
    return " ".join(place.command("judge", "study.toml").out.split())


def test_data_that_were_edited_are_noticed_and_make_the_analysis_exploratory(table: Place) -> None:
    (table.folder / "data.csv").write_text(TABLE.replace("0,0,no", "0,0,yes"))
    for command in ("judge", "status"):
        told = table.command(command, "study.toml")
        assert (told.code, "the data of task mine changed since the run. Run it" in told.err) == (2, True)
    assert "[changed] the data of task mine changed since the run" in table.command("plan", "study.toml").out
    assert table.run_here().code == 0
    assert "EXPLORATORY" in judged(table)
    assert "the data of task mine changed since the first results" in judged(table)
    (table.folder / "data.csv").write_text(TABLE)
    assert "Planned in the study" in judged(table), "the old data have the old results"


def test_data_that_are_gone_do_not_hide_the_results(table: Place) -> None:
    (table.folder / "data.csv").unlink()
    assert "Planned in the study" in judged(table)


def test_data_that_code_makes_are_compared_as_well(tmp_path: Path) -> None:
    loader = "import numpy as np\ndef load():\n    return np.arange(60.0).reshape(30, 2), np.arange(30) % {k}\n"
    (tmp_path / "made.py").write_text(loader.format(k=2))
    place = Place(tmp_path / "place", DATA.replace('file = "data.csv"\ntarget = "class"', 'loader = "made.load"'))
    (place.folder / "made.py").write_text(loader.format(k=2))
    assert place.run().code == 0
    assert "Planned in the study" in judged(place)
    written = (place.folder / "made.py").stat().st_mtime_ns
    (place.folder / "made.py").write_text(loader.format(k=3))
    os.utime(place.folder / "made.py", ns=(written, written))  # in the same second, so that Python sees no edit
    assert place.run().code == 0
    assert "the data of task mine changed since the first results" in judged(place)


def test_another_name_for_a_learner_is_no_change(table: Place) -> None:
    table.write(DATA.replace('"tree"', '"the tree"').replace('"bayes"', '"naive Bayes"'))
    done = table.run_here()
    assert "nothing was left to run" in done.out
    assert "Planned in the study" in judged(table)
