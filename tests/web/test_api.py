"""The API against requests that its own description allows, and some that it does not."""

from __future__ import annotations

from typing import Any

import schemathesis
from hypothesis import HealthCheck, given, settings
from serving import SCORES, Served

from bakeoff.web.safety import TOKEN_HEADER


def test_no_request_is_an_error_inside(served: Served) -> None:
    described = schemathesis.openapi.from_url(f"{served.address}/api/v1/openapi.json")
    tried = []
    for found in described.get_all_operations():
        operation = found.ok()

        @settings(
            max_examples=12, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
        )
        @given(case=operation.as_strategy())
        def ask(case: Any) -> None:
            answer = case.call(headers={TOKEN_HEADER: served.rules.form})
            tried.append(answer.status_code)
            assert answer.status_code < 500, (case.as_curl_command(), answer.text)

        ask()
    assert len(tried) > 100
    assert 200 in tried


def test_questions_of_the_api_about_a_file(served: Served) -> None:
    asked = {"of": f"file:{SCORES}", "measure": "error"}
    assert served.get("/api/v1/advice", params=asked).json()["recommended"]
    behind = served.get("/api/v1/figures/scatter", params=asked).json()
    assert len(behind["rows"]) == 33
    assert served.get("/api/v1/verdict").status_code == 422
