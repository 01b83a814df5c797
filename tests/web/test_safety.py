"""Attacks on the page, each of which must meet a sentence."""

from __future__ import annotations

import gzip
import io
import re
import socket
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from serving import DATA, SCORES, Served, serving

from bakeoff.cli import main
from bakeoff.web.app import ACTIONS
from bakeoff.web.safety import COOKIE, POLICY, TOKEN_HEADER, Rules, is_loopback
from bakeoff.web.workspace import Workspace

EVIL = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>"


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8351",
        "127.0.0.1.evil.example",
        "",
        "10.0.0.1",
        "[::2]",
        "localhost:8351x",
        "[::1]:",
    ],
)
def test_a_name_that_was_rebound_is_refused(served: Served, host: str) -> None:
    for address in ("/", "/api/v1/sources", "/static/page.js"):
        answer = served.get(address, headers={"host": host})
        assert answer.status_code == 421
        assert "no other name" in answer.text


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:8351", "[::1]:8351", "LOCALHOST:1"])
def test_our_own_names_are_welcome(served: Served, host: str) -> None:
    assert served.get("/", headers={"host": host}).status_code == 200


def test_whatever_changes_something_needs_the_token_and_our_own_origin(served: Served) -> None:
    described = served.get("/api/v1/openapi.json").json()["paths"]
    actions = [*ACTIONS, *(address for address, methods in described.items() if "post" in methods)]
    assert len(actions) == 6
    token = {TOKEN_HEADER: served.rules.form}
    for action in actions:
        address = action.replace("{id}", "x")
        for headers in (
            {},
            {TOKEN_HEADER: "guess"},
            {**token, "origin": "http://evil.example"},
            {**token, "origin": "null"},
            {**token, "origin": "http://localhost.evil.example"},
            {**token, "sec-fetch-site": "cross-site"},
        ):
            assert served.client.post(address, headers=headers).status_code == 403, (address, headers)
        welcome = served.client.post(address, headers={**token, "origin": served.address})
        assert welcome.status_code in (303, 400, 404, 422), address
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS"):
        assert served.client.request(method, "/").status_code == 403


def test_other_pages_cannot_read_from_it(served: Served) -> None:
    foreign = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}
    assert served.get("/api/v1/sources", headers=foreign).status_code == 403
    assert served.get("/", headers={**foreign, "sec-fetch-mode": "navigate"}).status_code == 200  # a link is no theft


def test_every_answer_forbids_foreign_and_inline_scripts(served: Served) -> None:
    for address in ("/", "/nothing", "/api/v1/sources", "/decide?of=file:nothing", "/static/page.js"):
        headers = served.get(address).headers
        assert headers["content-security-policy"] == POLICY
        assert headers["x-content-type-options"] == "nosniff"
    assert "unsafe" not in POLICY
    figure = served.get(f"/figure/critical-difference.svg?of=file:{SCORES}&measure=error")
    assert "sandbox" in figure.headers["content-security-policy"]
    assert "script-src" not in figure.headers["content-security-policy"]
    for page in ("/", "/plan", "/api", f"/decide?of=file:{SCORES}&measure=error"):
        text = served.get(page).text
        assert re.findall(r"<script(?![^>]*src=\"/static/)", text) == []
        assert re.findall(r"\son\w+=|\sstyle=|javascript:", text) == []


@pytest.mark.parametrize(
    "path",
    [
        "../secret.csv", "..%2fsecret.csv", "/etc/passwd", "outside.csv", ".hidden.csv", "results/../../secret.csv",
        ".", "", "a\0b", "folds.sqlite/../../secret.csv", "x" * 5000, "~root", "-", f"name={SCORES}", "*.csv",
    ],
)  # fmt: skip
def test_paths_stay_inside_the_folder(served: Served, path: str) -> None:
    for address in ("/decide", "/api/v1/reading", "/download/verdict.json", "/figure/scatter.svg"):
        answer = served.get(address, params={"of": f"file:{path}"})
        assert answer.status_code == 400
        assert "root:" not in answer.text
    assert served.get("/static/../app.py").status_code == 404
    assert served.get("/static/%2e%2e/app.py").status_code == 404


def test_names_are_shown_and_never_executed(served: Served) -> None:
    rows = "".join(f'"{EVIL.replace(chr(34), chr(34) * 2)} {i}",{i % 7}.1,{(i * 3) % 5}.2\n' for i in range(12))
    table = f'dataset,"{EVIL.replace(chr(34), chr(34) * 2)}",<b>svm</b>\n{rows}'.encode()
    of = served.dropped(f"{EVIL}.csv", table)
    for address in ("/decide", "/explore", "/explore?kind=scatter", "/explore?kind=histogram"):
        text = served.get(address, params={"of": of, "measure": "error", "control": EVIL}).text
        assert "&lt;b&gt;svm&lt;/b&gt;" in text
        assert re.search(r"<(script>|img src=x|b>svm)", text) is None, address
    for name in ("verdict.html", "verdict.md", "verdict.tex", "verdict.json"):
        answer = served.get(f"/download/{name}", params={"of": of, "measure": "error"})
        assert answer.headers["content-disposition"].startswith("attachment")
        assert "sandbox" in answer.headers["content-security-policy"]
    assert "<script>" not in served.get("/download/verdict.html", params={"of": of, "measure": "error"}).text
    drawn = served.get("/figure/critical-difference.svg", params={"of": of, "measure": "error"})
    assert drawn.status_code == 200
    assert "<script" not in drawn.text
    for address in (f"/{EVIL}", f"/study/{EVIL}", f"/figure/{EVIL}.svg?of={of}", f"/plan?n={EVIL}&sd=1"):
        assert "<script>alert" not in served.get(address).text
    assert "<script>alert" not in served.get("/").text


def test_what_is_too_large_is_refused(served: Served) -> None:
    answer = served.drop(("large.csv", b"a,b\n" * (1 << 19)))
    assert answer.status_code == 413
    assert "At most 1 MB" in answer.text
    headers = {TOKEN_HEADER: served.rules.form, "content-type": "multipart/form-data; boundary=x"}
    head = b'--x\r\nContent-Disposition: form-data; name="files"; filename="a.csv"\r\n\r\n'
    parts = (head if not i else b"1" * 65536 for i in range(64))
    endless = served.client.post("/files", headers=headers, content=parts)
    assert endless.status_code == 413  # whatever the header says, or does not


def _zipped(members: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return packed.getvalue()


def _parquet(columns: dict[str, object], **how: object) -> bytes:
    packed = io.BytesIO()
    pq.write_table(pa.table(columns), packed, **how)
    return packed.getvalue()


def _plain_parquet() -> bytes:
    return _parquet({"a": ["x" * 100_000] * 200}, use_dictionary=False, compression="zstd")


def _cells_of_parquet() -> bytes:
    ones = pa.array([1.0]).take(pa.array(np.zeros(60_000_000, dtype=np.int32)))
    return _parquet({"a": ones})


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("bomb.zip", lambda: _zipped({"scores.csv": b"0" * (30 << 20)})),
        ("nested.zip", lambda: _zipped({"inner.zip": _zipped({"scores.csv": b"0"})})),
        ("many.zip", lambda: _zipped({f"{i}.csv": b"a,b\n" for i in range(2500)})),
        ("bomb.xlsx", lambda: _zipped({"xl/workbook.xml": b" " * (30 << 20)})),
        ("bomb.gz", lambda: gzip.compress(b"0" * (30 << 20))),
        ("bomb.zst", lambda: pa.compress(b"0" * (30 << 20), "zstd", asbytes=True)),
        ("plain.parquet", _plain_parquet),
        ("cells.parquet", _cells_of_parquet),
    ],
)
def test_what_unpacks_to_much_more_is_refused(served: Served, name: str, make: Callable[[], bytes]) -> None:
    data = make()
    assert len(data) < 1 << 20  # it could be dropped
    answer = served.drop((name, data))
    assert answer.status_code == 400
    assert "unpacks to more than 8 MB" in answer.json()["error"]


def test_text_that_a_dictionary_repeats_is_not_written_out(tmp_path: Path) -> None:
    rows = 400  # 400 MB, if each cell were written out
    text = pa.DictionaryArray.from_arrays(np.zeros(rows, dtype=np.int32), ["x" * 1_000_000])
    learner = pa.array(["a", "b", None, "a"] * 100)
    data = _parquet({"learner": learner, "note": text, "score": [0.5] * rows}, store_schema=False)
    assert len(data) < 1 << 20
    (tmp_path / "dictionary.parquet").write_bytes(data)
    program = (
        "import pyarrow as pa; from bakeoff.scores.reading.parquet_file import read_parquet\n"
        f"table = read_parquet(open({str(tmp_path / 'dictionary.parquet')!r}, 'rb').read(), 'x')\n"
        "print(pa.default_memory_pool().max_memory(), *table.columns[0].labels, len(table.columns[1].labels))"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    peak, *labels = told.split(" ")
    assert int(peak) < 100 << 20
    assert labels == ["a", "b", "", "1\n"]


def _sheet(rows: str) -> bytes:
    place = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    other = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    book = f'<workbook {place} xmlns:r="{other}"><sheets><sheet name="s" r:id="r1"/></sheets></workbook>'
    rels = '<Relationships><Relationship Id="r1" Target="worksheets/sheet1.xml"/></Relationships>'
    members = {"[Content_Types].xml": "<Types/>", "xl/workbook.xml": book, "xl/_rels/workbook.xml.rels": rels}
    members["xl/worksheets/sheet1.xml"] = f"<worksheet {place}><sheetData>{rows}</sheetData></worksheet>"
    return _zipped({name: text.encode() for name, text in members.items()})


@pytest.mark.parametrize(
    ("name", "make", "told"),
    [
        ("far.xlsx", lambda: _sheet("".join(f'<row><c r="XFD{i}"><v>1</v></c></row>' for i in range(1, 2000))), "five"),
        (
            "wide.xlsx",
            lambda: _sheet('<row><c r="XFD1"><v>1</v></c></row>' + '<row><c r="A2"><v>1</v></c></row>' * 400),
            "five",
        ),
        ("text.xlsx", lambda: _sheet('<row><c r="A1" t="s"><v>99</v></c></row>'), "damaged"),
        ("columns.csv", lambda: b"," * 100_000, "100,001 columns"),
        ("deep.json", lambda: b"[" * 1_000_000, "nested too deeply"),
        ("digits.json", lambda: b'[{"score": ' + b"9" * 10_000 + b"}]", "digits.json"),
    ],
)
def test_small_files_that_would_fill_a_machine_are_refused(
    served: Served, name: str, make: Callable[[], bytes], told: str
) -> None:
    page = served.get("/decide", params={"of": served.dropped(name, make())}).text
    assert told in page.partition('role="alert"')[2][:500]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\0" * 50,
        b"PK\x03\x04 broken",
        b"\x1f\x8b broken",
        b"PAR1 broken",
        b"\x80\x04K\x01.",
        b"{",
        b"\xff\xfe,",
        b",",
    ],
)
def test_what_is_malformed_gets_a_sentence(served: Served, data: bytes) -> None:
    dropped = served.drop(("odd.csv", data))
    if dropped.status_code == 200:
        page = served.get("/decide", params={"of": dropped.json()["of"]})
        assert page.status_code == 200
        assert 'role="alert"' in page.text
        assert "Traceback" not in page.text
    else:
        assert dropped.status_code == 400
        assert dropped.json()["error"].endswith((".", ")"))


def test_folders_of_what_is_dropped_lead_nowhere(served: Served, folder: Path) -> None:
    table = b"task,accuracy\nt1,0.5\nt2,0.6\nt3,0.7\n"
    names = [
        "../../../escaped.csv",
        "/etc/escaped.csv",
        "..\\\\escaped.csv",
        "a/../../escaped.csv",
        "a\0/b.csv",
        ".csv",
    ]
    kept = served.drop(*((name, table) for name in names)).json()["names"]
    assert all(not name.startswith(("/", ".")) and ".." not in name.split("/") for name in kept)
    upload = served.space.uploads()[0]
    assert all((upload.folder / name).resolve().is_relative_to(upload.folder.resolve()) for name in kept)
    assert not list(folder.parent.rglob("escaped.csv"))


def test_a_pickle_is_never_loaded(served: Served, tmp_path: Path) -> None:
    mark = tmp_path / "executed"
    of = served.dropped("scores.pkl", f"cposix\nsystem\n(S'touch {mark}'\ntR.".encode())
    assert 'role="alert"' in served.get("/decide", params={"of": of}).text
    assert not mark.exists()


def test_nothing_of_this_machine_is_told(served: Served, folder: Path) -> None:
    of = served.dropped("scores.csv", (DATA / SCORES).read_bytes())
    for params in (
        {"of": of, "measure": "error"},
        {"of": of, "without": "nobody"},
        {"of": f"file:{SCORES}", "task": "x"},
    ):
        for address in ("/decide", "/api/v1/verdict", "/download/verdict.json"):
            text = served.get(address, params=params).text
            assert str(folder.parent) not in text
            assert "bakeoff-serve-" not in text


def test_an_error_inside_is_a_sentence(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Workspace, "files", lambda self: 1 / 0)
    for address in ("/", "/api/v1/sources"):
        answer = served.get(address)
        assert answer.status_code == 500
        assert "Something went wrong inside bakeoff" in answer.text
        assert "ZeroDivision" not in answer.text


def test_elsewhere_a_token_is_needed(tmp_path: Path) -> None:
    assert all(is_loopback(each) for each in ("127.0.0.1", "::1", "localhost"))
    assert not any(is_loopback(each) for each in ("0.0.0.0", "192.168.1.5", "evil.example"))
    rules, elsewhere = Rules(access="open-sesame"), {"host": "192.168.1.5:8351"}
    with serving(Workspace(str(tmp_path)), rules) as there:
        assert there.get("/", headers=elsewhere).status_code == 401
        assert there.get("/?token=guess", headers=elsewhere).status_code == 401
        entered = there.get("/plan?token=open-sesame&n=3", headers=elsewhere)
        assert (entered.status_code, entered.headers["location"]) == (303, "/plan?n=3")
        cookie = entered.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        there.client.cookies.clear()
        assert there.get("/", headers=elsewhere).status_code == 401
        assert there.get("/", headers={**elsewhere, "cookie": f"{COOKIE}=open-sesame"}).status_code == 200
        bearer = {"authorization": "Bearer open-sesame"}
        assert there.get("/", headers={**elsewhere, **bearer}).status_code == 200
        assert there.get("/", headers={"host": "evil.example", **bearer}).status_code == 421


def test_what_is_begun_and_not_sent_is_given_up(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody who says that a file comes, and then nothing, keeps no room for ever; others are served meanwhile."""
    monkeypatch.setattr("bakeoff.web.safety.SILENCE", 0.3)
    host, port = served.address.removeprefix("http://").split(":")
    head = f"POST /api/v1/uploads HTTP/1.1\r\nHost: {host}:{port}\r\n{TOKEN_HEADER}: {served.rules.form}\r\n"
    head += "Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 1000\r\n\r\n--b\r\n"
    with socket.create_connection((host, int(port)), timeout=20) as silent:
        silent.sendall(head.encode())
        assert served.get("/").status_code == 200
        answer = silent.recv(10_000).decode()
    assert answer.startswith("HTTP/1.1 408")
    assert served.get("/").status_code == 200


def test_code_of_a_study_that_was_not_named_is_not_run(served: Served) -> None:
    (first, *_) = served.space.studies()
    assert first.file is None
    answer = served.client.post(f"/api/v1/studies/{first.id}/start", headers={TOKEN_HEADER: served.rules.form})
    assert answer.status_code == 400
    assert "Only studies that the server was started with" in answer.json()["error"]


def test_the_command_refuses_what_it_cannot_serve(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "scores.csv").write_text("a,b\n")
    (tmp_path / "other.sqlite").write_text("no database")
    for arguments, told in (
        ([str(tmp_path / "nowhere")], "There is no folder or store"),
        ([str(tmp_path / "scores.csv")], "Serve the folder that it is in"),
        ([str(tmp_path / "other.sqlite")], "other.sqlite"),
        ([str(tmp_path), "--port", "70000"], "cannot listen"),
        ([str(tmp_path), "--study", str(tmp_path / "none.toml")], "none.toml"),
        ([str(tmp_path), "--most-megabytes", "0"], "Between 1 and 4096"),
    ):
        assert main(["serve", *arguments]) == 2
        assert told in capsys.readouterr().err
