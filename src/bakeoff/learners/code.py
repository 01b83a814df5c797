"""The code of a learner, as far as it is its user's own: what has to be the same for stored results to be its results.

Of modules that are not installed, the text of their files counts, and of all modules of one's own that they import,
wherever in them they do; comments and empty lines do not. Nothing is imported to find out: files are read. What a
script, a notebook or a prompt defines (`__main__`) is in no file that others could import, and is sent to the workers
by value; of that the functions and values count that the learner refers to, so that the rest of a script may change.
Installed packages are known by their versions.

What is not seen: modules that are imported by a name made at run time, and files that the code reads.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache, partial
from pathlib import Path
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any

from bakeoff.errors import UsageError
from bakeoff.importing import suggestion
from bakeoff.keys import canonical_json, canonical_value, contents, digest, slots_of

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec

    from bakeoff.learners.learner import Learner

MAIN = "__main__"
_OURS = __name__.partition(".")[0]
_INSTALLED = {"site-packages", "dist-packages"}
_LENGTH = 16  # hexadecimal digits of a hash, enough to tell versions of a file apart


@dataclass(frozen=True)
class Code:
    """Hashes by name: of `modules` of one's own, of `definitions` of a script or notebook, of `files` of a command.

    `packages` are the versions of the installed packages that these import, `paths` the files that were read, and
    `unseen` the definitions whose source cannot be had, for which their compiled code stands.
    """

    modules: Mapping[str, str] = field(default_factory=dict)
    definitions: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    packages: Mapping[str, str] = field(default_factory=dict)
    paths: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()

    def describe(self) -> dict[str, dict[str, str]]:
        """What is the user's own, as JSON; nothing of a learner that comes from installed packages."""
        parts = {"modules": self.modules, "definitions": self.definitions, "files": self.files}
        return {name: dict(sorted(part.items())) for name, part in parts.items() if part}


def code_of(learner: Learner) -> Code:
    """The code that a learner is made of, now."""
    trail = _Trail(learner.folder or ".")
    if learner.command:
        trail.follow_command(learner.command)
    for step in learner.steps:
        trail.follow(_home(step.path))
        trail.follow_value(step.parameters)
    if learner.estimator is not None:
        trail.follow_value(learner.estimator)
    if learner.tuning is not None:
        trail.follow_value(learner.tuning.grid)
    return trail.code()


def code_of_function(function: Any, folder: str) -> Code:
    """The code that a scorer, a loader or a generator is made of: an object, or the import path of one. Those of
    scikit-learn and of this package, which have a name without a path, have none."""
    trail = _Trail(folder)
    if not isinstance(function, str):
        trail.follow_value(function)
    elif "." in function:
        trail.follow(_home(function))
    return trail.code()


def _home(path: str) -> str:
    return path.rpartition(".")[0]


class _Trail:
    """What was found so far, from one module or definition to the next."""

    def __init__(self, folder: str) -> None:
        self.folder = str(Path(folder).resolve())
        self.modules: dict[str, str] = {}
        self.definitions: dict[str, str] = {}
        self.files: dict[str, str] = {}
        self.packages: set[str] = set()
        self.paths: set[str] = set()
        self.unseen: set[str] = set()
        self._followed: set[str] = set()
        self._defined: dict[int, Any] = {}  # kept, so that no number is given out twice

    def code(self) -> Code:
        own = self.modules or self.definitions or self.files
        packages = sorted(self.packages) if own else ()  # to ask for versions takes longer than all the rest
        versions = {name: version for name in packages if (version := _version(name)) is not None}
        paths, unseen = tuple(sorted(self.paths)), tuple(sorted(self.unseen))
        return Code(self.modules, self.definitions, self.files, versions, paths, unseen)

    # Modules: by their files

    def follow(self, name: str) -> None:
        """A module by its name, the packages that it is in, and whatever of one's own these import."""
        waiting = [name]
        while waiting:
            parts = waiting.pop().split(".")
            for length in range(1, len(parts) + 1):
                one = ".".join(parts[:length])
                if one in self._followed:
                    continue
                self._followed.add(one)
                waiting += self._read(one)

    def _read(self, name: str) -> Iterable[str]:
        """Note one module; returns the names of those that it imports, or may import."""
        if name.partition(".")[0] in (_OURS, MAIN):
            return ()
        spec = _spec(name, self.folder)
        if spec is None:
            return ()
        if _is_installed(spec):
            top = name.partition(".")[0]
            if top not in sys.stdlib_module_names:
                self.packages.add(top)
            return ()
        if not spec.has_location or spec.origin is None:
            return ()  # a folder without an __init__.py
        self.paths.add(spec.origin)
        self.modules[name], imports = _file(spec.origin)
        package = name if spec.submodule_search_locations is not None else _home(name)
        return [full for level, module in imports if (full := _absolute(level, module, package))]

    def follow_command(self, command: Iterable[str]) -> None:
        """The files that a command names, found in its folder; of those in Python also what they import."""
        for part in command:
            path = Path(self.folder) / part
            if "{" in part or not path.is_file():
                continue
            self.paths.add(str(path))
            self.files[part], imports = _file(str(path))
            for level, module in imports:
                if not level:
                    self.follow(module)

    # Values and definitions: by what is in memory

    def follow_value(self, value: Any) -> None:
        """All classes and functions that a value is made of: an estimator, its parameters, theirs."""
        if isinstance(value, (Mapping, list, tuple, set, frozenset)):
            if id(value) in self._defined:
                return  # it holds itself, perhaps
            self._defined[id(value)] = value
            self.follow_definition(type(value))  # a container may have methods of its own
        if isinstance(value, Mapping):
            path = value.get("path") if isinstance(value, dict) else None
            if isinstance(path, str) and set(value) <= {"path", "parameters"}:
                self.follow(_home(path))  # an estimator as a study file writes it
            for item in value.values():
                self.follow_value(item)
        elif isinstance(value, (list, tuple, set, frozenset)):
            for item in value:
                self.follow_value(item)
        elif isinstance(value, ModuleType):
            self.follow(value.__name__)
        elif isinstance(value, MethodType):
            self._method(value)
        elif isinstance(value, type) or hasattr(value, "__code__") or hasattr(value, "__qualname__"):
            self.follow_definition(value)
        elif (parts := _parts(value)) is not None and id(value) not in self._defined:
            self._defined[id(value)] = value
            self.follow_definition(type(value))
            self.follow_value({**parts, **_of_partial(value)})

    def follow_definition(self, what: Any) -> None:
        """A class or function: by its module if there is one to be found, else by what it consists of."""
        home = getattr(what, "__module__", None) or "builtins"
        if home != MAIN and (home.partition(".")[0] == _OURS or _spec(home, self.folder) is not None):
            self.follow(home)
        elif id(what) not in self._defined:
            self._defined[id(what)] = what
            if isinstance(what, type):
                self._class(what)
            elif isinstance(what, FunctionType):
                self._function(what, what.__qualname__)
            elif hasattr(what, "__wrapped__"):  # what a cache or another decorator of the library has made of one
                self.follow_value(what.__wrapped__)

    def _method(self, method: MethodType) -> None:
        """A method that is bound: to its class, or to an object, whose state it may ask for."""
        self.follow_definition(method.__func__)
        self.follow_value(method.__self__)
        if not isinstance(method.__self__, type):
            self._value(f"{method.__qualname__}(self)", getattr(method.__self__, "__dict__", None))

    def _class(self, what: type) -> None:
        for base in (*what.__bases__, *({type(what)} - {type})):
            self.follow_definition(base)
        bases = [f"{base.__module__}.{base.__qualname__}" for base in what.__bases__]
        self._note(what.__qualname__, canonical_json(bases))
        for name, member in sorted(vars(what).items()):
            functions = list(_functions(member))
            for function in functions:
                self._function(function, f"{what.__qualname__}.{name}")
            known = functions and type(member).__module__ == "builtins"
            if not (known or name.startswith("__") or type(member).__name__ == "RequestMethod"):  # of scikit-learn
                self._reference(f"{what.__qualname__}.{name}", member)

    def _function(self, function: FunctionType, name: str) -> None:
        source = _source(function)
        if source is None:
            self.unseen.add(name)
        self._note(name, _compiled(function.__code__) if source is None else source)
        defaults = {**(function.__kwdefaults__ or {}), "defaults": function.__defaults__}
        for argument, value in {**_closure(function), **defaults}.items():
            if value is not None:
                self._reference(f"{name}({argument})", value)
        for known, value in sorted(vars(function).items()):
            if known in ("__wrapped__", "registry"):  # what a decorator has wrapped, and a dispatcher hands on to
                self.follow_value(value)
            elif not known.startswith("__"):
                self._reference(f"{name}.{known}", value)
        for module in _imports_of(function.__code__):
            self.follow(module)
        for known in sorted(_globals_of(function.__code__)):
            if known in function.__globals__:
                self._reference(known, function.__globals__[known])
                self._parts_of_package(function.__globals__[known], _names_of(function.__code__))

    def _parts_of_package(self, package: Any, names: set[str]) -> None:
        """Modules that are asked for by way of their package, as after `import package.module`."""
        if not isinstance(package, ModuleType) or package.__name__.partition(".")[0] in self.packages:
            return
        for name, inner in list(vars(package).items()):
            if name in names and isinstance(inner, ModuleType) and inner.__name__ == f"{package.__name__}.{name}":
                self.follow(inner.__name__)
                self._parts_of_package(inner, names)

    def _reference(self, name: str, value: Any) -> None:
        self.follow_value(value)
        self._value(name, value)

    def _value(self, name: str, value: Any) -> None:
        """A value by its canonical form, or else by what it holds. The code of classes and functions is followed."""
        code = isinstance(value, (ModuleType, type)) or (callable(value) and not self._is_own(type(value)))
        if code or value is os.environ:
            return
        if hasattr(value, "dtype") and hasattr(value, "tobytes") and not value.dtype.hasobject:
            self._note(name, digest(str(value.dtype), str(getattr(value, "shape", ())), value.tobytes()).hex())
            return
        try:
            self._note(name, canonical_json(canonical_value(value)))
        except (UsageError, ValueError, RecursionError):
            held = contents(value, self._is_own)
            if not isinstance(held, dict) or "kind" not in held:
                self._note(name, canonical_json(held))

    def _is_own(self, kind: type) -> bool:
        """Whether a class is the user's, or binds arguments to a function that may be."""
        return kind.__module__ == MAIN or kind.__module__ in self.modules or kind is partial

    def _note(self, name: str, content: str) -> None:
        before = self.definitions.get(name, "")
        self.definitions[name] = digest("definition", before, content).hex()[:_LENGTH]


# ----------------------------------------------------------------------------------------------------------------------
# Files.


def _spec(name: str, folder: str) -> ModuleSpec | None:
    """Where a module would be imported from, found without importing anything: folder first, as the workers do."""
    from importlib.machinery import PathFinder
    from importlib.util import find_spec

    top, *rest = name.split(".")
    try:
        spec = PathFinder.find_spec(top, [folder]) or find_spec(top)
    except (ImportError, ValueError, AttributeError):
        return None
    for number in range(len(rest)):
        if spec is None or spec.submodule_search_locations is None:
            return None
        spec = PathFinder.find_spec(".".join([top, *rest[: number + 1]]), list(spec.submodule_search_locations))
    return spec


def _is_installed(spec: ModuleSpec) -> bool:
    places = [spec.origin] if spec.has_location and spec.origin else list(spec.submodule_search_locations or ())
    return all(_is_of_packages(place) for place in places)


@cache
def _is_of_packages(place: str) -> bool:
    path = Path(place).resolve()
    if _INSTALLED & set(path.parts):
        return True
    paths = sysconfig.get_paths()
    return any(path.is_relative_to(Path(paths[name]).resolve()) for name in ("stdlib", "platstdlib"))


def _file(path: str) -> tuple[str, tuple[tuple[int, str], ...]]:
    """The hash of a file, and what it imports as (level, module) if it is in Python."""
    try:
        status = Path(path).stat()
        return _read_file(path, status.st_mtime_ns, status.st_size)
    except OSError:
        return "unreadable", ()


@lru_cache(maxsize=4096)
def _read_file(path: str, changed: int, size: int) -> tuple[str, tuple[tuple[int, str], ...]]:
    content = Path(path).read_bytes()
    if not path.endswith(".py"):
        return digest("file", content).hex()[:_LENGTH], ()
    import ast

    text = content.decode("utf-8", "surrogateescape")
    try:
        imports = tuple(_imports(ast.parse(content)))
    except (SyntaxError, ValueError):
        imports = ()
    return digest("module", without_comments(text).encode("utf-8", "surrogateescape")).hex()[:_LENGTH], imports


def _imports(tree: Any) -> Iterator[tuple[int, str]]:
    import ast

    nodes = list(ast.walk(tree))
    by_name = any(getattr(node, at, "") in _IMPORTERS for node in nodes for at in ("id", "attr", "name"))
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from ((0, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:  # each may be a module of the package
                yield node.level, ".".join(part for part in (node.module, alias.name) if part)
        elif by_name and isinstance(node, ast.Constant) and isinstance(node.value, str):
            name = node.value.lstrip(".")
            if _is_dotted(name):  # perhaps the name of a module, wherever it is handed on
                yield len(node.value) - len(name), name


_IMPORTERS = {"import_module", "__import__"}  # functions that import what they are given the name of


def _is_dotted(text: str) -> bool:
    return all(part.isidentifier() for part in text.split("."))


def _absolute(level: int, module: str, package: str) -> str:
    """The full name of a module that is imported in a package.

    >>> _absolute(0, "numpy.linalg", "mine"), _absolute(1, "helper", "mine.deep"), _absolute(2, "x", "mine.deep")
    ('numpy.linalg', 'mine.deep.helper', 'mine.x')
    """
    if not level:
        return module
    parts = package.split(".")
    home = parts[: len(parts) - level + 1]
    return ".".join([*home, module]) if home and home[0] else ""


def without_comments(text: str) -> str:
    r"""Python without its comments and empty lines, which change nothing that it does.

    >>> without_comments("def f():  # doubles\n\n    # much\n    return '# no comment'\n")
    "def f():\n    return '# no comment'"
    """
    import io
    import tokenize

    lines = text.splitlines()
    kept: dict[int, bool] = {}
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            row, column = token.start
            if token.type == tokenize.COMMENT:
                lines[row - 1] = lines[row - 1][:column].rstrip()
            elif token.type not in (tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER):
                kept.update(dict.fromkeys(range(row, token.end[0] + 1), True))
    except (tokenize.TokenError, SyntaxError, IndexError):
        return text
    return "\n".join(line for number, line in enumerate(lines, 1) if kept.get(number))


# Those that most code of one's own imports, under the names that they are installed by: to look through all that is
# installed for the others takes a quarter of a second.
_DISTRIBUTIONS = {"sklearn": "scikit-learn", "PIL": "pillow", "yaml": "PyYAML", "skimage": "scikit-image"}


@cache
def _version(package: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, packages_distributions, version

    try:
        return version(_DISTRIBUTIONS.get(package, package))
    except PackageNotFoundError:
        names = packages_distributions().get(package)
        return version(names[0]) if names else None


# ----------------------------------------------------------------------------------------------------------------------
# What a definition takes, as its file says: known before anything is imported.


OPEN: Any = ...  # a default that is no plain value
_AT_RUN_TIME = {"globals", "vars", "locals", "exec", "eval", "setattr", "modules"}  # by which modules define names
_MOST_FILES = 10  # from which a name is handed on


@dataclass(frozen=True)
class SourceFacts:
    """What is written at an import path: `parameters` with their defaults, None where only importing it can tell;
    `absent` is a sentence if its module is there and has no such name; `unknown` is the package that is not there."""

    parameters: Mapping[str, Any] | None = None
    absent: str = ""
    unknown: str = ""


def written(path: str, folder: str) -> SourceFacts:
    """Read what stands at an import path, in the files that would be imported. Whatever is made at run time, or is
    decorated, compiled or ambiguous, is left open: nobody is accused who might be right.

    >>> written("bakeoff.learners.bundling.Bundling", ".").parameters["random_state"] is None
    True
    >>> written("bakeoff.learners.bundling.Bundlin", ".").absent
    "the module 'bakeoff.learners.bundling' has no 'Bundlin'. Did you mean 'Bundling'?"
    """
    home, _, name = path.rpartition(".")
    if _spec(home.partition(".")[0], folder) is None:
        return SourceFacts(unknown=home.partition(".")[0])
    module = _module(home, folder)
    if module is None:
        return SourceFacts()
    if name not in module.names and module.complete and _spec(path, folder) is None:
        return SourceFacts(absent=f"the module {home!r} has no {name!r}.{suggestion(name, module.names)}")
    try:
        return SourceFacts(_signature(module, name, folder, _MOST_FILES))
    except LookupError:
        return SourceFacts()


@dataclass(frozen=True, eq=False)
class _Module:
    """A file in Python: what stands at its top by name, and whether all its names stand in it."""

    package: str
    names: Mapping[str, Any]  # None for what is bound several times, or not simply
    complete: bool


def _module(name: str, folder: str) -> _Module | None:
    spec = _spec(name, folder)
    if spec is None or not spec.has_location or spec.origin is None or not spec.origin.endswith(".py"):
        return None
    package = name if spec.submodule_search_locations is not None else _home(name)
    try:
        status = Path(spec.origin).stat()
        return _parsed(spec.origin, package, status.st_mtime_ns, status.st_size)
    except (OSError, SyntaxError, ValueError, RecursionError):
        return None


@lru_cache(maxsize=64)
def _parsed(path: str, package: str, changed: int, size: int) -> _Module:
    import ast

    tree = ast.parse(Path(path).read_bytes())
    names: dict[str, Any] = {}
    for node in ast.walk(tree):
        for name, what in _bound(node):
            names[name] = None if name in names else what
    top = set(map(id, tree.body))
    simple = {name: what if what is not None and id(what) in top else None for name, what in names.items()}
    used = {getattr(node, "id", getattr(node, "attr", "")) for node in ast.walk(tree)}
    complete = not _AT_RUN_TIME & used and "*" not in names and "__getattr__" not in names
    return _Module(package, simple, complete)


def _bound(node: Any) -> Iterator[tuple[str, Any]]:
    """The names that a statement binds, with itself."""
    import ast

    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name, node
    elif isinstance(node, ast.ImportFrom):
        yield from ((alias.asname or alias.name, node) for alias in node.names)
    elif isinstance(node, ast.Import):
        yield from ((alias.asname or alias.name.partition(".")[0], None) for alias in node.names)
    elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id, None


def _signature(module: _Module, name: str, folder: str, most: int) -> dict[str, Any] | None:
    """The parameters of what a name stands for; None if it takes any. LookupError if that is not written."""
    import ast

    node = module.names.get(name)
    if isinstance(node, ast.ImportFrom):
        origin = next(alias.name for alias in node.names if (alias.asname or alias.name) == name)
        other = _module(_absolute(node.level, node.module or "", module.package), folder) if most else None
        if other is None:
            raise LookupError(name)
        return _signature(other, origin, folder, most - 1)
    if isinstance(node, ast.FunctionDef) and not node.decorator_list:
        return _arguments(node)
    if not isinstance(node, ast.ClassDef) or node.decorator_list or not _is_plain(node):
        raise LookupError(name)
    inits = [part for part in node.body if isinstance(part, ast.FunctionDef) and part.name == "__init__"]
    if inits:
        if len(inits) > 1 or inits[0].decorator_list:
            raise LookupError(name)
        known = _arguments(inits[0])
        return None if known is None else dict(list(known.items())[1:])
    inherited = []
    for base in node.bases:
        if not isinstance(base, ast.Name):
            raise LookupError(name)
        if base.id != "object":
            inherited.append(_signature(module, base.id, folder, most - 1))
    several = [each for each in inherited if each != {}]
    if len(several) > 1:
        raise LookupError(name)  # which of them comes first is a question for Python
    return several[0] if several else {}


def _is_plain(node: Any) -> bool:
    """Whether a class is made, and called, as most are."""
    import ast

    odd = {"__new__", "__signature__", "__call__"}
    blocks = [part for part in node.body if hasattr(part, "body") and not hasattr(part, "name")]  # if, for, try, with
    inside = {name for block in blocks for part in ast.walk(block) for name, _ in _bound(part)}
    plain = {
        name for part in node.body for target in (part, *getattr(part, "targets", ())) for name, _ in _bound(target)
    }
    usual = all(getattr(word.value, "id", getattr(word.value, "attr", "")) == "ABCMeta" for word in node.keywords)
    return usual and not odd & plain and not (odd | {"__init__"}) & inside


def _arguments(node: Any) -> dict[str, Any] | None:
    if node.args.kwarg is not None:
        return None
    arguments = node.args
    names = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    parameters = dict.fromkeys(names, OPEN)
    last = zip(reversed(names), reversed(arguments.defaults), strict=False)
    named = zip((argument.arg for argument in arguments.kwonlyargs), arguments.kw_defaults, strict=True)
    for name, default in (*last, *named):
        parameters[name] = getattr(default, "value", OPEN) if type(default).__name__ == "Constant" else OPEN
    return parameters


# ----------------------------------------------------------------------------------------------------------------------
# Definitions in memory.


def _functions(member: Any) -> Iterator[FunctionType]:
    """The functions of a member of a class: of a method, static or not, of a property, of what is cached."""
    candidates = [member]
    for name in ("__func__", "fget", "fset", "fdel", "func", "__wrapped__"):
        inner = getattr(member, name, None) if not isinstance(member, type) else None
        if inner is not None:
            candidates.append(inner)
    for one in candidates:
        if isinstance(one, FunctionType):
            yield one


def _parts(value: Any) -> dict[str, Any] | None:
    """What an object consists of, by name: of an estimator its parameters. None of plain values and arrays."""
    if isinstance(value, type) or (hasattr(value, "dtype") and hasattr(type(value), "shape")):
        return None
    if hasattr(value, "get_params"):
        return dict(value.get_params(deep=False))
    slots = slots_of(value)
    return {**slots, **vars(value)} if hasattr(value, "__dict__") else slots or None


def _of_partial(value: Any) -> dict[str, Any]:
    return {"func": value.func, "args": value.args, "kwargs": value.keywords} if isinstance(value, partial) else {}


def _closure(function: FunctionType) -> dict[str, Any]:
    """The values that a function has taken along from where it was made, by name."""
    inside = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            inside[name] = cell.cell_contents
        except ValueError:
            continue  # not filled yet
    inside.pop("__class__", None)
    return inside


def _globals_of(code: CodeType) -> set[str]:
    """The global names that code asks for, that of inner functions included."""
    import dis

    names = {each.argval for each in dis.get_instructions(code) if each.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= _globals_of(constant)
    return names


def _names_of(code: CodeType) -> set[str]:
    """All names that code asks for, of attributes as well, those of inner functions included."""
    return set(code.co_names).union(*(_names_of(each) for each in code.co_consts if isinstance(each, CodeType)))


def _imports_of(code: CodeType) -> Iterator[str]:
    """The modules that code imports when it runs, or may import, that of inner functions included."""
    import dis

    steps = list(dis.get_instructions(code))
    for place, step in enumerate(steps):
        if step.opname == "IMPORT_NAME" and not steps[place - 2].argval:  # a relative one has no meaning in a script
            yield step.argval
            yield from (f"{step.argval}.{name}" for name in steps[place - 1].argval or ())
    by_name = _IMPORTERS & set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _imports_of(constant)
        elif by_name and isinstance(constant, str) and _is_dotted(constant):
            yield constant


def _source(function: FunctionType) -> str | None:
    """The text of a function; None if there is none, or if the file was edited since it was loaded."""
    import linecache

    code = function.__code__
    linecache.checkcache(code.co_filename)
    text = "".join(linecache.getlines(code.co_filename, function.__globals__))
    known = _definitions(text, code.co_filename).get(code.co_firstlineno) if text else None
    if known is None:
        return None
    source, compiled = known
    # A cell of a notebook has a name of its own each time it is run; a file may have another text by now.
    stale = Path(code.co_filename).is_file() and code not in compiled
    return None if stale else source


@lru_cache(maxsize=64)
def _definitions(text: str, filename: str) -> dict[int, tuple[str, tuple[CodeType, ...]]]:
    """By the line that it begins in: the text of each function without comments, and what it compiles to."""
    import ast
    import textwrap

    try:
        tree = ast.parse(text)
        whole = compile(text, filename, "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return {}
    compiled: dict[int, list[CodeType]] = {}
    waiting = [whole]
    while waiting:
        for constant in waiting.pop().co_consts:
            if isinstance(constant, CodeType):
                compiled.setdefault(constant.co_firstlineno, []).append(constant)
                waiting.append(constant)
    lines = text.splitlines()
    definitions: dict[int, tuple[str, tuple[CodeType, ...]]] = {}
    for node in ast.walk(tree):
        if not isinstance(node, ast.stmt):
            continue
        decorators = getattr(node, "decorator_list", [])
        first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
        is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for line in [first] if is_function else range(first, (node.end_lineno or first) + 1):
            if is_function or line not in definitions:  # a lambda is the statement that it stands in
                own = textwrap.dedent("\n".join(lines[first - 1 : node.end_lineno]))
                definitions[line] = without_comments(own), tuple(compiled.get(line, ()))
    return definitions


def _compiled(code: CodeType) -> str:
    """Compiled code as a text: the same for the same source and version of Python, wherever it stands."""
    constants = [
        _compiled(constant)
        if isinstance(constant, CodeType)
        else repr(sorted(map(repr, constant)))
        if isinstance(constant, frozenset)
        else repr(constant)
        for constant in code.co_consts
    ]
    version = ".".join(map(str, sys.version_info[:2]))
    return canonical_json([version, code.co_code.hex(), constants, list(code.co_names), list(code.co_varnames)])
