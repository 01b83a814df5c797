"""Reading a table of a study file: every key checked, every message with the file, the key and what is allowed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bakeoff.errors import InputError, UsageError, nearest

_NAMES = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list [ … ]",
    dict: "a table { … }",
}
_MISSING = object()


class Fields:
    """The keys of one table, taken one by one; what was not taken at the end is unknown."""

    def __init__(self, table: Mapping[str, Any], source: str, where: str = "") -> None:
        self._table, self._source, self._where = table, source, where
        self._taken: set[str] = set()
        self._asked_for: set[str] = set()  # keys that may be there, whether or not they were taken

    def place(self, key: str) -> str:
        """A key with its table, as messages name it: learner[2].parameters."""
        return f"{self._where}.{key}" if self._where and key else self._where or key

    def error(self, key: str, message: str) -> InputError:
        return InputError(message, source=f"{self._source}, key {self.place(key)}" if self.place(key) else self._source)

    def take(self, key: str, kind: type, default: Any = _MISSING) -> Any:
        """The value of a key, which must be of that type."""
        self._taken.add(key)
        if key not in self._table:
            if default is _MISSING:
                raise self.error(key, f"The key {key!r} is missing: {_NAMES[kind]} was expected.")
            return default
        value = self._table[key]
        if kind is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise self.error(key, f"{_NAMES[kind].capitalize()} was expected; found {value!r}.")
        return value

    def texts(self, key: str, default: Sequence[str] = ()) -> tuple[str, ...]:
        """A list of texts; one text by itself is a list of one."""
        self._taken.add(key)
        value = self._table.get(key, list(default))
        value = [value] if isinstance(value, str) else value
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.error(key, f"A list of texts was expected; found {value!r}.")
        return tuple(value)

    def choice(self, key: str, allowed: Sequence[str], default: str) -> str:
        value: str = self.take(key, str, default)
        if value not in allowed:
            raise self.error(key, f"{value!r} is not possible. {nearest(value, allowed)}")
        return value

    def tables(self, key: str) -> list[Fields]:
        """The tables of an array [[key]]."""
        self._taken.add(key)
        value = self._table.get(key, [])
        if isinstance(value, Mapping):
            raise self.error(key, f"An array of tables was expected: write [[{key}]] with two brackets, not [{key}].")
        if not isinstance(value, list) or not all(isinstance(item, Mapping) for item in value):
            raise self.error(key, f"Tables headed [[{key}]] were expected; found {value!r}.")
        return [Fields(item, self._source, f"{self.place(key)}[{i}]") for i, item in enumerate(value, 1)]

    def table(self, key: str) -> Fields:
        """The table [key]; an empty one if it is not there."""
        return Fields(self.take(key, dict, {}), self._source, self.place(key))

    def raw(self, key: str, default: Any = None) -> Any:
        """The value as it stands, for what has several forms."""
        self._taken.add(key)
        return self._table.get(key, default)

    def rest(self) -> dict[str, Any]:
        """All keys that were not taken, for what checks them itself."""
        left = {key: value for key, value in self._table.items() if key not in self._taken}
        self._taken.update(left)
        return left

    def __contains__(self, key: str) -> bool:
        self._asked_for.add(key)
        return key in self._table

    def checked(self, key: str, make: Callable[[], Any]) -> Any:
        """What `make` returns; a complaint of it gets the file and the key in front."""
        try:
            return make()
        except InputError:
            raise
        except UsageError as error:
            raise self.error(key, str(error)) from error

    def done(self) -> None:
        """Refuse keys that nothing asked for: a misspelt one would silently mean the default."""
        unknown = [key for key in self._table if key not in self._taken]
        if unknown:
            known = self._taken | self._asked_for
            raise self.error(unknown[0], f"There is no key {unknown[0]!r} here. {nearest(unknown[0], known)}")
