"""Adds the designs of pyDOE3 to designs.json, after designs.R has made it. Tests do not need this."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
FRACTIONS = ("a b c abc", "a b c d abc bcd", "a b c ab ac bc abc", "a b c d e abc abd bcde")
FACES = {"ccc": "circumscribed", "cci": "inscribed", "ccf": "faced"}


def cases() -> list[dict[str, Any]]:
    import pyDOE3  # not a dependency: whoever makes the file anew installs it

    made = []

    def add(name: str, procedure: str, given: dict[str, Any], design: Any, call: str) -> None:
        rows = sorted([round(float(value), 9) + 0.0 for value in row] for row in design)
        made.append(
            {
                "id": f"pydoe-{name}",
                "procedure": procedure,
                "input": given,
                "options": {},
                "expected": {"runs": len(rows), "rows_sorted": rows},
                "tolerance": {"rel": 1e-8, "abs": 1e-8},
                "source": {"software": "pyDOE3 1.6.2", "call": call, "kind": "software"},
            }
        )

    for words in FRACTIONS:
        name = words.replace(" ", "-")
        add(name, "fractional_factorial", {"generator": words}, pyDOE3.fracfact(words), f"pyDOE3.fracfact({words!r})")
    for k in (4, 5):
        add(
            f"bb-{k}",
            "box_behnken",
            {"factors": k, "center": 1},
            pyDOE3.bbdesign(k, center=1),
            f"pyDOE3.bbdesign({k}, 1)",
        )
    for k in (3, 4):
        for short, face in FACES.items():
            given = {"factors": k, "center_points": [0, 1], "alpha": "rotatable", "face": face}
            call = f"pyDOE3.ccdesign({k}, center=(0, 1), alpha='r', face={short!r})"
            design = pyDOE3.ccdesign(k, center=(0, 1), alpha="r", face=short)
            add(f"{short}-{k}", "central_composite", given, design, call)
    for k in (3, 7, 15):
        add(f"pb-{k}", "plackett_burman", {"factors": k}, pyDOE3.pbdesign(k), f"pyDOE3.pbdesign({k})")
    # The same design of Plackett and Burman, with signs and the order of columns turned round.
    add("pb-11", "plackett_burman", {"factors": 11}, -pyDOE3.pbdesign(11)[:, ::-1], "-pyDOE3.pbdesign(11)[:, ::-1]")
    add("pb-19", "plackett_burman", {"factors": 19}, -pyDOE3.pbdesign(19), "-pyDOE3.pbdesign(19)")
    return made


if __name__ == "__main__":
    file = HERE / "designs.json"
    kept = [case for case in json.loads(file.read_text("utf-8")) if not case["id"].startswith("pydoe-")]
    lines = [json.dumps(case, ensure_ascii=False) for case in [*kept, *cases()]]
    file.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")
