"""What scores bring along of the study that they come from."""

from __future__ import annotations

from bakeoff.scores.provenance import Provenance
from bakeoff.stores.grid import StudyGrid
from bakeoff.stores.history import changes_since, study_of_first_results
from bakeoff.stores.reader import Reader


def provenance_of(store: Reader, grid: StudyGrid, tasks: tuple[str, ...], learners: tuple[str, ...]) -> Provenance:
    """The study and its analyses, of a table with these tasks and learners.

    What counts as planned is what the version of the study said under which its first results came in: an analysis that
    is added to the file afterwards was thought of by somebody who could have seen them. So was what the file has asked
    for otherwise since then, such as another seed, or one learner less.
    """
    now = grid.record.description.get("analyses", [])
    first = study_of_first_results(store, grid.record.key)
    planned = now if first is None else first.description.get("analyses", [])
    later = [analysis for analysis in now if analysis not in planned]
    changes = () if first is None else tuple(changes_since(first.description, grid.record.description))
    return Provenance(grid.record.name, grid.record.key, tuple(planned), tuple(later), tasks, learners, changes)
