"""The house: how many rooms one question leads through, and that every fact and every name has one home."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
from collections import defaultdict
from pathlib import Path

import pytest
import warm
from syntax import nodes, trees

from bakeoff.procedures import procedure_names
from bakeoff.resampling import SCHEMES

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "bakeoff"
KEPT = Path(__file__).parent / "kept" / "0.1.0"


# --- walks ------------------------------------------------------------------------------------------------------------

# The modules of which a function is called, not counting what runs while modules are imported.
WALK = """
import contextlib, io, json, sys
from pathlib import Path
import bakeoff
from bakeoff.cli import main
home = str(Path(bakeoff.__file__).parent)
visited, importing = set(), 0
def follow(frame, event, _):
    global importing
    code = frame.f_code
    if code.co_name == "<module>":
        importing += {"call": 1, "return": -1}.get(event, 0)
    elif event == "call" and not importing and code.co_filename.startswith(home):
        visited.add(code.co_filename[len(home) + 1 :])
sys.setprofile(follow)
with contextlib.redirect_stdout(io.StringIO()):
    code = main(sys.argv[1:])
sys.setprofile(None)
print(json.dumps([code, sorted(visited)]))
"""


@pytest.mark.parametrize(
    ("arguments", "most"),
    [
        (["compare", str(SOURCE / "data" / "dietterich2000.csv"), "--measure", "error"], 50),
        (["run", "bootstrap.toml", "--quiet", "--store", "new.sqlite"], 40),
        (["judge", "bootstrap.toml"], 60),
        (["judge", "folds.toml", "--task", "iris", "--without", "broken"], 60),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_one_question_leads_through_few_modules(arguments: list[str], most: int, tmp_path: Path) -> None:
    for name in ("bootstrap", "folds"):
        for ending in ("toml", "sqlite"):
            shutil.copy(KEPT / f"{name}.{ending}", tmp_path)
    with warm.start(["-c", WALK, *arguments], cwd=tmp_path, env=os.environ) as process:
        out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    code, visited = json.loads(out.splitlines()[-1])
    assert code == 0
    assert 10 < len(visited) <= most, "\n".join(visited)


# --- names ------------------------------------------------------------------------------------------------------------


def test_no_two_public_classes_have_one_name() -> None:
    homes = defaultdict(list)
    for name, tree in trees().items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(name)
    assert {name: where for name, where in homes.items() if len(where) > 1} == {}


# What happened to a thing, or what somebody did: no name for a thing, and none for an action.
PARTICIPLES = {"asked", "came", "found", "made", "said", "served", "told"}
# Of fields and functions also these; as variables they are what a reader knows a thing by for a line or two.
MORE_PARTICIPLES = PARTICIPLES | {"given", "known", "heard", "meant"}
# A class is a thing: it ends with a noun. These are the words of documents and of users' files.
CLASSES_CALLED_BY_PARTICIPLES = {
    "Judged": "in the JSON of verdicts, and in their schema",
    "Predefined": "a scheme of study files",
    "Prepared": "a study as the store knows it",
    "Published": "a field of cards, which procedures from outside write",
    "TimeOrdered": "a scheme of study files",
    "Undefined": "a state of a value, which measures from outside raise",
}
NO_PARTICIPLES = {"Need", "Seed", "Speed"}
IRREGULAR = {"Chosen", "Drawn", "Found", "Given", "Held", "Kept", "Known", "Left", "Made", "Said", "Seen", "Shown"}
IRREGULAR |= {"Taken", "Told", "Written"}


def participles(tree: ast.Module) -> set[str]:
    """Arguments and variables of functions, fields, attributes, functions and classes that are called by what happened
    to them, not by what they are or do."""
    names = set()
    for node in nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            names |= {node.name} if node.name.strip("_") in MORE_PARTICIPLES else set()
            names |= _participles_inside(node)
        elif isinstance(node, ast.ClassDef):
            last = re.findall(r"[A-Z][a-z]*", node.name)[-1:] or [""]
            past = (last[0] in IRREGULAR or last[0].endswith("ed")) and last[0] not in NO_PARTICIPLES
            names |= {node.name} if past and node.name not in CLASSES_CALLED_BY_PARTICIPLES else set()
            fields = [each.target for each in node.body if isinstance(each, ast.AnnAssign)]
            names |= {each.id for each in fields if isinstance(each, ast.Name) and each.id in MORE_PARTICIPLES}
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            names |= {node.attr} if node.attr.strip("_") in MORE_PARTICIPLES else set()
    return names


def _participles_inside(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    return {
        name
        for node in ast.walk(function)
        if (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and (name := node.id) in PARTICIPLES)
        or (isinstance(node, ast.arg) and (name := node.arg) in PARTICIPLES)
    }


def test_things_have_nouns_for_names() -> None:
    assert {module: names for module, tree in trees().items() if (names := participles(tree))} == {}
    beside = [path for folder in ("tools", "benchmarks") for path in (ROOT / folder).rglob("*.py")]
    in_them = {path.name: participles(ast.parse(path.read_text("utf-8"))) for path in beside}
    assert {name: names for name, names in in_them.items() if names} == {}
    assert participles(ast.parse("def f(told):\n    for said in told:\n        noun = said")) == {"told", "said"}
    class_ = "class _Given:\n    known: int\n    def _asked(self):\n        self._made = 1\nclass JointlyTested: pass"
    assert participles(ast.parse(class_)) == {"_Given", "known", "_asked", "_made", "JointlyTested"}
    classes = {node.name for tree in trees().values() for node in nodes(tree) if isinstance(node, ast.ClassDef)}
    assert set(CLASSES_CALLED_BY_PARTICIPLES) <= classes, "no longer there: take it off the list"


def test_every_public_function_is_used_in_the_package_or_shown_to_users() -> None:
    """Used in code, not in tests alone; or on a page, by a tool, by its name in a table of names, or a command."""
    pages = [path.read_text("utf-8") for path in (*(ROOT / "docs").rglob("*.md"), *(ROOT / "tools").glob("*.py"))]
    known = set(re.findall(r"\w+", "\n".join(pages)))
    for tree in trees().values():
        for node in nodes(tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                known.add(node.id)
            elif isinstance(node, ast.Attribute):
                known.add(node.attr)
        known |= {text.rpartition(".")[2] for text in constants(tree)}  # by name, or by import path
    idle = {
        f"{module}: {node.name}"
        for module, tree in trees().items()
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.decorator_list
        if not node.name.startswith(("_", "run_")) and node.name not in known
    }
    assert idle == set(), "nobody can reach it: delete it, or show it"


# The same word for something else. A name of a procedure or scheme in any other place is a fact away from its home.
HOMONYMS = {
    ("calibration/designs.py", "competition"): "a design of `bakeoff calibrate --design`",
    ("judging/advice.py", "leave-one-out"): "the code of a warning",
    ("mathematics/proportions.py", "wilson"): "the name of an interval",
    ("measures/responses.py", "sign"): "a field of a description",
    ("resampling/scheme.py", "simulation"): "a problem of Hothorn et al.",
    ("resampling/scheme.py", "competition"): "a problem of Hothorn et al.",
    ("results/scores.py", "bootstrap"): "a key of a task",
    ("tasks/simulated.py", "bootstrap"): "a key of a task",
    ("tasks/task.py", "bootstrap"): "a key of a task",
}
# A procedure may name another that takes over from it.
ITS_OWN = {
    ("procedures/bootstrap_t.py", "hochberg-tamhane"): "its fallback",
    ("procedures/closed_testing.py", "aligned-tukey"): "its fallback",
    ("procedures/joint_flips.py", "hochberg-tamhane"): "the fallback of item-flips",
    ("procedures/joint_flips.py", "run-t"): "the fallback of run-flips",
    ("procedures/joint_flips.py", "task-t"): "the fallback of task-flips",
}


def constants(tree: ast.Module) -> set[str]:
    """The texts of a module, its docstrings left out."""
    documented = (ast.Module, ast.FunctionDef, ast.ClassDef)
    prose = {
        id(node.body[0].value)
        for node in nodes(tree)
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    return {
        node.value
        for node in nodes(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose
    }


def decorated_names(tree: ast.Module) -> set[str]:
    """The names of the procedures and schemes that a module makes."""
    made = set()
    for node in nodes(tree):
        if isinstance(node, ast.FunctionDef) and any("procedure(" in ast.unparse(d) for d in node.decorator_list):
            made.add(node.name.replace("_", "-"))
            for decorator in node.decorator_list:
                if isinstance(decorator, ast.Call):
                    made |= {ast.literal_eval(key.value) for key in decorator.keywords if key.arg == "name"}
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "scheme":
            made |= {node.value.value} if isinstance(node.value, ast.Constant) else set()
    return made


def misplaced(trees: dict[str, ast.Module]) -> set[tuple[str, str]]:
    names = {*procedure_names(), *SCHEMES}
    return {
        (module, text)
        for module, tree in trees.items()
        if not module.startswith("published/") and module != "study/file.py"  # the study template
        for text in constants(tree) & names - decorated_names(tree)
    }


def test_no_name_of_a_procedure_or_scheme_stands_outside_its_file() -> None:
    found = misplaced(trees())
    assert found - set(HOMONYMS) - set(ITS_OWN) == set()
    assert (set(HOMONYMS) | set(ITS_OWN)) - found == set(), "no longer there: take it off the list"


def test_a_name_in_the_wrong_place_would_be_found() -> None:
    tree = ast.parse('"""friedman"""\nTABLE = {"friedman": 1}')
    assert misplaced({"judging/warnings.py": tree}) == {("judging/warnings.py", "friedman")}


# --- rooms ------------------------------------------------------------------------------------------------------------

# Found by looking into their folder, or by the name of a command: nobody need import them.
FOUND_BY_LOOKING = ("formats/", "procedures/", "resampling/", "figures/", "published/", "cli/")
# A form of files each, which `read_scores` chooses among.
FORMS_OF_FILES = ("scores/reading/",)
# Imported by one module or by none, and still what a newcomer would look for under that name.
ROOMS_OF_THEIR_OWN = {
    "__main__.py": "python -m bakeoff",
    "calibration/refit.py": "calibration on a study of one's own",
    "generators/classic.py": "the generators of the literature, and laws estimated from data",
    "learners/bundling.py": "a learner that study files name",
    "learners/one_r.py": "a learner that study files name",
    "learners/slda.py": "a learner that study files name",
    "mathematics/posteriors.py": "the Dirichlet process, and the hierarchical model of folds",
    "mathematics/label_draws.py": "the law of dealt labels",
    "mathematics/run_aggregates.py": "one number for tasks and runs, which no procedure uses yet",
    "mathematics/welch.py": "means of samples whose variances differ",
    "measures/by_kind.py": "the measures themselves",
    "power_analysis/simulate.py": "simulated powers",
    "reports/checklist.py": "what reviewers ask",
    "running/elsewhere.py": "clusters and executors",
    "results/order_effects.py": "effects of order",
    "running/environment.py": "what a run records of its machine",
    "running/preloaded.py": "what the server of workers loads before it forks",
    "running/server.py": "what only systems that fork can do",
    "running/worker.py": "from a cell to an outcome",
    "study/factors.py": "factors and levels",
    "store/merging.py": "several stores in one",
    "web/wording.py": "how the page says what was written for the command line",
    "study/sampling_bias.py": "sampling bias",
    "testing.py": "assertions for tests of one's own",
    "web/api.py": "what the page tells programs",
    "web/app.py": "the pages",
}


def importers() -> dict[str, set[str]]:
    """The modules that import each module."""
    names = {_dotted(module): module for module in trees()}
    users: dict[str, set[str]] = {module: set() for module in trees()}
    for module, tree in trees().items():
        for node in nodes(tree):
            wanted: list[str] = []
            if isinstance(node, ast.ImportFrom) and node.module:
                wanted = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
            elif isinstance(node, ast.Import):
                wanted = [alias.name for alias in node.names]
            for name in wanted:
                if name in names and names[name] != module:
                    users[names[name]].add(module)
    return users


def _dotted(module: str) -> str:
    return ".".join(["bakeoff", *Path(module).with_suffix("").parts]).removesuffix(".__init__")


def test_a_module_that_serves_one_other_is_an_idea_of_its_own() -> None:
    few = {module for module, users in importers().items() if len(users) < 2}
    known = (*FOUND_BY_LOOKING, *FORMS_OF_FILES)
    few = {module for module in few if not module.endswith("__init__.py") and not module.startswith(known)}
    assert few - set(ROOMS_OF_THEIR_OWN) == set(), "it belongs into the one file that uses it"
    assert set(ROOMS_OF_THEIR_OWN) - few == set(), "it has several users now: take it off the list"


def test_there_are_few_files() -> None:
    """Apart from those that a user names, as formats, figures, procedures and schemes: there are as many as tools,
    pictures and questions, and whoever adds one adds its file. With procedures and schemes the rest were 212 after the
    move into this house; reports, designs, clusters, the page and what to run next are rooms added since."""
    by_name = ("formats/", "figures/", "procedures/", "resampling/")
    assert len([module for module in trees() if not module.startswith(by_name)]) <= 231


def test_every_module_is_known_to_the_tests_of_its_package() -> None:
    """Tests are found by package and by public name: of each module one is used in the tests, or its own name is."""
    text = "\n".join(path.read_text("utf-8") for path in (ROOT / "tests").rglob("*.py"))
    words, tests = set(re.findall(r"[\w-]+", text)), {path.stem for path in (ROOT / "tests").rglob("test_*.py")}
    for module, tree in trees().items():
        public = [
            node.name
            for node in tree.body
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_")
        ]
        named = {*public, *(name.replace("_", "-") for name in public), *(n.removeprefix("run_") for n in public)}
        known = named & words or f"test_{Path(module).stem}" in tests
        assert not public or known, f"{module}: none of {public} is named in any test"
    for package in {module.split("/")[0] for module in trees() if "/" in module}:
        assert list((ROOT / "tests" / package).rglob("test_*.py")), f"there are no tests of {package}"
