"""The response surface of a designed study, as its verdict tells it: fit, lack of fit, where it is best, every step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bakeoff import text as show
from bakeoff.designs.response_surface import Axis, Surface, best_in_region, surface_in_blocks
from bakeoff.records import Record

if TYPE_CHECKING:
    import pandas as pd

    from bakeoff.judging.designed import SettingTable

_LACKING = 0.05


@dataclass(frozen=True, eq=False)
class SurfaceReport(Record):
    """A quadratic surface over coded factors. `kind` is what its stationary point is, `bends` its eigenvalues with
    standard error, t and p; `best` the levels at which it is best within the region, `predicted` its height there;
    `steps` what was run after the first design, and why."""

    axes: Mapping[str, Axis]
    surface: Surface
    coefficients: tuple[tuple[str, float, float, float, float], ...]
    lack_of_fit: tuple[float, float, float, float]
    stationary: Mapping[str, float] | None
    best: Mapping[str, float]
    predicted: float
    runs: int
    larger_is_better: bool
    steps: tuple[Mapping[str, Any], ...] = ()
    bends: tuple[tuple[float, float, float, float], ...] = ()

    @property
    def kind(self) -> str:
        return self.surface.kind

    @property
    def inside(self) -> bool:
        """Whether the stationary point lies within the region."""
        return self.stationary is not None and bool((np.abs(self.surface.stationary) <= 1).all())

    @property
    def lacks_fit(self) -> bool:
        """Whether more is shown to be going on than a quadratic surface tells."""
        return self.lack_of_fit[3] <= _LACKING  # never of NaN

    def half_region(self) -> dict[str, tuple[float, float]]:
        """The region of half the width in every factor, around the best point, within the whole."""
        region = {}
        for name, axis in self.axes.items():
            centre = min(max(axis.coded(self.best[name]), -0.5), 0.5)
            region[name] = (float(axis.at(centre - 0.5)), float(axis.at(centre + 0.5)))
        return region

    @property
    def sentence(self) -> str:
        f, df, df_error, p = self.lack_of_fit
        fit = f"The quadratic surface explains {self.surface.r_squared:.0%} of the settings' means"
        if np.isnan(p):
            fit += "; whether that is enough cannot be tested with so few settings."
        else:
            enough = "more is going on than a quadratic surface shows" if self.lacks_fit else "no lack of fit is shown"
            df_text = f"{show.number(df)}, {show.number(df_error)}"
            fit += f"; {enough} (F({df_text}) = {show.number(f)}, {show.p_equals(p)})."
        wanted = "maximum" if self.larger_is_better else "minimum"
        if self.kind == wanted and self.inside:
            where = f"It has a {wanted} inside the region, at {_at(self.best)}."
        elif self.stationary is None:
            where = f"It is a {self.kind} without a stationary point; within the region it is best at {_at(self.best)}."
        else:
            place = "inside" if self.inside else "outside"
            where = (
                f"Its stationary point is a {self.kind} {place} the region; within the region it is best at "
                f"{_at(self.best)}, on its edge where a wider region may hold more."
            )
        return " ".join([fit, where, f"There it predicts {show.number(self.predicted)}.", *self._about_ridges()])

    def _about_ridges(self) -> list[str]:
        """Directions in which it is not shown to bend: whether it has an optimum there is open."""
        flat = [
            axis for (_, _, _, p), axis in zip(self.bends, self.surface.eigenvectors.T, strict=False) if p > _LACKING
        ]
        if not flat or self.kind in ("ridge", "rising ridge", "plane"):
            return []
        along = show.listing([f"({_direction(axis, list(self.axes))})" for axis in flat])
        return [
            f"It is not shown to bend along {along}, in coded units: it may be a ridge there, on which other settings "
            "are as good."
        ]

    def bend_table(self) -> tuple[list[str], list[list[str]]]:
        """The canonical analysis: how much the surface bends along each of its own axes."""
        rows = [
            [_direction(axis, list(self.axes)), *map(show.number, (value, error, t)), show.p_value(p)]
            for (value, error, t, p), axis in zip(self.bends, self.surface.eigenvectors.T, strict=True)
        ]
        return ["axis", "eigenvalue", "standard error", "t", "p"], rows

    def table(self) -> tuple[list[str], list[list[str]]]:
        """The coefficients, of factors coded from −1 to +1."""
        rows = [
            [name, show.number(value), show.number(error), show.number(t), show.p_value(p)]
            for name, value, error, t, p in self.coefficients
        ]
        return ["term", "coefficient", "standard error", "t", "p"], rows

    def to_text(self) -> str:
        parts = ["The surface, of factors coded from −1 to +1:", show.text_table(*self.table())]
        where = ""
        if self.stationary is not None:
            levels = {name: _plain(axis, self.stationary[name]) for name, axis in self.axes.items()}
            where = f" at {_at(levels)}" if self.inside else ", outside the region"
        parts += [f"Canonical analysis: {self.kind}{where}.", show.text_table(*self.bend_table(), most=60)]
        if self.steps:
            rows = [
                [str(number), step["what"], "; ".join(_at(each) for each in step["settings"][:3]), step["why"]]
                for number, step in enumerate(self.steps, 1)
            ]
            parts.append(
                "Steps after the first design:\n"
                + show.text_table(["", "step", "settings", "why"], rows, left=4, most=90)
            )
        return "\n\n".join(parts)

    def grid(self, first: str, second: str, points: int = 41) -> pd.DataFrame:
        """The surface over two factors, the others at their best: what a contour plot draws."""
        import pandas as pd

        names = list(self.axes)
        here = np.array([self.axes[name].coded(self.best[name]) for name in names])
        steps = np.linspace(-1, 1, points)
        rows = []
        for a in steps:
            for b in steps:
                x = here.copy()
                x[names.index(first)], x[names.index(second)] = a, b
                rows.append(
                    (_plain(self.axes[first], a), _plain(self.axes[second], b), float(self.surface.predict(x)[0]))
                )
        return pd.DataFrame(rows, columns=[first, second, "predicted"])

    def lines(self, x: str, group: str) -> pd.DataFrame:
        """The surface along one factor, at both ends and in the middle of another, the others at their best."""
        grid = self.grid(x, group, points=5)
        levels = sorted(set(grid[group]))[::2]
        return grid[grid[group].isin(levels)].reset_index(drop=True)

    def to_dict(self) -> dict[str, Any]:
        fields: dict[str, Any] = show.to_json_value(self)
        return {"sentence": self.sentence, **fields, "kind": self.kind, "inside": self.inside}


def _plain(axis: Axis, coded: float) -> float:
    """A level at a coded position, not rounded to whole ones: a contour is smooth."""
    return float(Axis(axis.low, axis.high, axis.scale).at(coded))


def _at(levels: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {level:.6g}" for name, level in levels.items())


def _direction(axis: NDArray[np.float64], names: Sequence[str]) -> str:
    """An axis as a sum of factors, the largest first positive; what is next to nothing is left out.

    >>> _direction(np.array([-0.6, 0.8, 0.001]), ["a", "b", "c"]), _direction(np.array([-1.0, 0.0]), ["a", "b"])
    ('-0.6 a + 0.8 b', 'a')
    """
    turned = axis * np.sign(axis[np.argmax(np.abs(axis))])
    (first, name), *others = [(value, name) for value, name in zip(turned, names, strict=True) if abs(value) >= 0.05]
    weight = f"{first:.2g}"
    parts = [name if weight == "1" else f"{weight} {name}"]
    parts += [f"{'−' if value < 0 else '+'} {abs(value):.2g} {name}" for value, name in others]
    return " ".join(parts)


def report_surface(
    design: Mapping[str, Any],
    settings: Mapping[str, Mapping[str, Any]],
    tables: Sequence[SettingTable],
    larger_is_better: bool,
) -> SurfaceReport:
    """The surface that is fitted to all settings of a study."""
    axes = axes_of(design)
    points, table = coded_settings(design, settings), tables[0]
    surface = surface_in_blocks(points, table.values, list(axes), table.ratio)
    best = best_in_region(surface.surface, larger_is_better)
    levels = {name: axis.at(value) for (name, axis), value in zip(axes.items(), best, strict=True)}
    there = np.array([axis.coded(levels[name]) for name, axis in axes.items()])
    stationary = surface.surface.stationary
    known = not np.isnan(stationary).any()
    return SurfaceReport(
        axes=axes,
        surface=surface.surface,
        coefficients=surface.coefficients,
        lack_of_fit=surface.lack_of_fit,
        stationary=dict(zip(axes, stationary.tolist(), strict=True)) if known else None,
        best=levels,
        predicted=float(surface.surface.predict(there)[0]),
        runs=len(settings),
        larger_is_better=larger_is_better,
        steps=tuple(design.get("steps", ())),
        bends=surface.bends,
    )


def coded_settings(design: Mapping[str, Any], settings: Mapping[str, Mapping[str, Any]]) -> NDArray[np.float64]:
    """Settings as points between −1 and +1."""
    axes = axes_of(design)
    return np.array([[axis.coded(each[name]) for name, axis in axes.items()] for each in settings.values()])


def axes_of(design: Mapping[str, Any]) -> dict[str, Axis]:
    """The numeric factors of a design, as its description tells them."""
    return {
        name: Axis(described["low"], described["high"], described["scale"], described["integer"])
        for name, described in design["factors"].items()
    }
