"""The column that says what the rows of a table were drawn from, as bakeoff writes it beside scores of a study."""

from __future__ import annotations

from bakeoff.measures.known import plain
from bakeoff.scores.design import COLUMN, Design, design_from
from bakeoff.scores.problem import joint
from bakeoff.scores.reading.raw import RawTable


def taken_design(table: RawTable) -> tuple[RawTable, Design, tuple[str, ...]]:
    """The table without its column of designs, the design, and notes.

    A column of that name which says something else, or nothing in some rows, is left where it is: what it means is not
    known, and the rows are read as their labels say.

    >>> from bakeoff.scores.factor import Factor
    >>> said = Factor.of(["real world: this learning sample"])
    >>> taken_design(RawTable("t", ("learner", "design"), (Factor.of(["svm"]), said)))[2]
    ("learning samples are draws, conditional on this learning sample (column 'design')",)
    """
    name = next((name for name in table.names if plain(name) == COLUMN), None)
    if name is None:
        return table, Design(), ()
    found = [design_from(label) for label in table.labels(name).labels]
    designs = [design for design in found if design is not None]
    told = {(design.independent, design.splitting) for design in designs}
    if len(designs) < len(found) or len(told) != 1:
        return table, Design(), ()
    design = Design(joint([each.problem for each in designs]), *told.pop())
    notes = []
    if design.problem is not None:
        on = design.problem.conditional_on
        notes.append(f"learning samples are draws, conditional on {on} (column {name!r})")
    if design.independent:
        notes.append(f"learners are independent samples (column {name!r})")
    notes += [f"{part} (column {name!r})" for part in design.splitting.parts]
    return table.without(name), design, tuple(notes)
