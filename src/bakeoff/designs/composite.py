"""Designs for a quadratic response surface: central composite and Box–Behnken.

References: Box and Wilson (1951), doi:10.1111/j.2517-6161.1951.tb00067.x; Box and Behnken (1960),
doi:10.1080/00401706.1960.10489912.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from bakeoff.designs.factorial import full_factorial
from bakeoff.errors import UsageError
from bakeoff.mathematics.checks import Array, choice, count

DISTANCES = ("orthogonal", "rotatable", "faced")
FACES = ("circumscribed", "inscribed", "faced")
MOST_FACTORS = 12

# Box and Behnken's own blocks for six and seven factors have three factors each; for others it is every pair.
_TRIPLES = {6: "124 235 346 145 256 136", 7: "456 167 257 124 347 135 236"}


def axial_distance(factors: int, distance: str = "rotatable", centre: Sequence[int] = (4, 4)) -> float:
    """How far from the centre the axial points of a central composite design lie, the cube being at ±1.

    *rotatable*: (2^k)^¼, so that the variance of a prediction depends on the distance from the centre alone.
    *orthogonal*: cube and axial points are blocks orthogonal to the effects, which depends on their centre points:
    √(k (1 + n_axial-centre/2k)/(1 + n_cube-centre/2^k)). *faced*: 1, in the middle of the cube's faces.

    >>> round(axial_distance(3), 4), round(axial_distance(3, "orthogonal"), 4)
    (1.6818, 1.8257)
    """
    k = _factors(factors, 1)
    cube, axial = (count(n, "centre points") for n in _two(centre))
    match choice(distance, DISTANCES, "distance of axial points"):
        case "rotatable":
            return float((2**k) ** 0.25)
        case "orthogonal":
            return float(np.sqrt(k * (1 + axial / (2 * k)) / (1 + cube / 2**k)))
    return 1.0


def central_composite(
    factors: int, distance: str = "rotatable", face: str = "circumscribed", centre: Sequence[int] = (4, 4)
) -> Array:
    """A cube, its axial points and centre points: enough for a quadratic fit in every factor.

    `centre` says how many centre points go with the cube and with the axial points. *circumscribed* leaves the cube at
    ±1, so axial points lie outside; *inscribed* shrinks all until the axial points are at ±1; *faced* puts them on
    the faces at ±1, with three levels a factor.

    >>> central_composite(2, "faced", "faced", centre=(0, 1)).tolist()[4:]
    [[-1.0, 0.0], [1.0, 0.0], [0.0, -1.0], [0.0, 1.0], [0.0, 0.0]]
    """
    k = _factors(factors, 1)
    choice(face, FACES, "face")
    alpha = 1.0 if face == "faced" else axial_distance(k, distance, centre)
    cube = full_factorial([2] * k, coded=True)
    axial = np.array([sign * alpha * row for row in np.eye(k) for sign in (-1, 1)]) + 0.0  # no −0
    cube_centre, axial_centre = (np.zeros((count(n, "centre points"), k)) for n in _two(centre))
    design = np.vstack([cube, cube_centre, axial, axial_centre])
    return design / alpha if face == "inscribed" else design


def box_behnken(factors: int, centre: int = 1) -> Array:
    """Two factors at a time (three for six or seven factors) at ±1 with the others in the middle: no corner is run.

    >>> box_behnken(3).shape
    (13, 3)
    """
    k = _factors(factors, 3)
    if k in _TRIPLES:
        blocks = [tuple(int(digit) - 1 for digit in word) for word in _TRIPLES[k].split()]
    else:
        blocks = list(combinations(range(k), 2))
    parts = []
    for block in blocks:
        part = np.zeros((2 ** len(block), k))
        part[:, block] = full_factorial([2] * len(block), coded=True)
        parts.append(part)
    return np.vstack([*parts, np.zeros((count(centre, "centre points"), k))])


def _factors(factors: int, least: int) -> int:
    if factors != int(factors) or not least <= factors <= MOST_FACTORS:
        raise UsageError(f"The design is there for {least} to {MOST_FACTORS} factors; found {factors!r}.")
    return int(factors)


def _two(centre: Sequence[int]) -> tuple[int, int]:
    if len(centre) != 2:
        raise UsageError(f"Centre points are two numbers, for the cube and for the axial points; found {centre!r}.")
    return centre[0], centre[1]
