"""Writes docs/verdict-schema.json, the JSON Schema of a verdict, from its records; with --check says if it is not that.

python tools/schema_docs.py [--check]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from bakeoff.reports.files import verdict_schema

PAGE = Path(__file__).parents[1] / "docs" / "verdict-schema.json"


def main() -> int:
    text = json.dumps(verdict_schema(), indent=1, ensure_ascii=False) + "\n"
    if "--check" in sys.argv[1:]:
        if PAGE.read_text(encoding="utf-8") != text:
            print(f"{PAGE.name} is out of date: run make docs")
            return 1
        return 0
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
