"""Both readers of CSV files read the same."""

from __future__ import annotations

import numpy as np
import pytest

from bakeoff.errors import InputError
from bakeoff.tasks import large_csv
from bakeoff.tasks.bundled import bundled_sets
from bakeoff.tasks.files import read_table
from bakeoff.tasks.large_csv import read_large_csv
from bakeoff.tasks.table import Categories, Table

ODD = (
    'x,word,digits,quoted\n1.5,NA,01,"a,b"\n?,none,1,"say ""so"""\n1e5,naN,2,c\n nan,-, 3,é\n-0.1,null,02,\n,word ,,d\n'
)


def same(one: Table, two: Table) -> None:
    assert (one.names, one.notes, one.parts) == (two.names, two.notes, two.parts)
    np.testing.assert_array_equal(one.lines, two.lines)
    for name, a, b in zip(one.names, one.columns, two.columns, strict=True):
        if isinstance(a, Categories) and isinstance(b, Categories):
            assert a.labels == b.labels, name
            np.testing.assert_array_equal(a.codes, b.codes)
        else:
            assert isinstance(a, np.ndarray), name
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("text", [ODD, ODD[:-1], "\ufeff" + ODD], ids=["plain", "no last line end", "byte order mark"])
@pytest.mark.parametrize("texts", [(), ("digits",), ("x", "word")])
def test_odd_cells(text: str, texts: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    data = text.encode()
    assert read_large_csv(data, "t.csv", texts) is not None
    small = read_table(data, "t.csv", "csv", categorical=texts)
    monkeypatch.setattr(large_csv, "LARGE", 0)
    same(read_table(data, "t.csv", "csv", categorical=texts), small)


@pytest.mark.parametrize("name", ["soybean", "labor", "segment", "credit_g_nominal", "ozone"])
def test_real_data(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    card = bundled_sets()[name]
    small = read_table(card.content(), name, "csv", categorical=card.categorical)
    monkeypatch.setattr(large_csv, "LARGE", 0)
    assert read_large_csv(card.content(), name, ()) is not None
    same(read_table(card.content(), name, "csv", categorical=card.categorical), small)


def test_numbers_are_the_same_to_the_last_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(1).normal(size=(500, 2)) * 10.0 ** np.random.default_rng(2).integers(
        -300, 300, (500, 2)
    )
    data = ("a,b\n" + "\n".join(f"{x!r},{y:.25g}" for x, y in random.tolist()) + "\n").encode()
    small = read_table(data, "t.csv", "csv")
    monkeypatch.setattr(large_csv, "LARGE", 0)
    same(read_table(data, "t.csv", "csv"), small)


@pytest.mark.parametrize(
    "text",
    [
        "a;b\n1;2\n",
        "a,b\r\n1,2\r\n",
        "a,b\n1,2\n\n3,4\n",
        'a,b\n1,"x\ny"\n',
        "a,b\n1,2\n,\n",
        "a,b\n1,2\n3\n",
        'a,b\n1, "x"\n',
        "\na,b\n1,2\n",
        "a,a\n1,2\n",
        "a\n1\n",
        "a,b\n",
        "",
    ],
)
def test_what_is_not_plain_is_left_to_the_other_reader(text: str) -> None:
    assert read_large_csv(text.encode(), "t.csv", ()) is None


def test_mistakes_are_told_by_the_other_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_csv, "LARGE", 0)
    with pytest.raises(InputError, match="line 3: 2 fields were expected"):
        read_table(b"a,b\n1,2\n3\n", "t.csv", "csv")
    with pytest.raises(InputError, match="line 3: The text is not UTF-8"):
        read_table(b"a,b\n1,2\n\xff,4\n", "t.csv", "csv")
