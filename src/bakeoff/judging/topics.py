"""What can be explained beside procedures: orders by cost, margins of relevance, effect sizes, adjustments."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from bakeoff.errors import UsageError, nearest
from bakeoff.inference.adjustments import ADJUSTMENTS, Adjustment
from bakeoff.measures.measure import normalise_name
from bakeoff.procedures import procedure_named, procedure_names, procedures
from bakeoff.procedures.card import Answers, Card, Compares, Shape
from bakeoff.procedures.references import cite
from bakeoff.records import Answer
from bakeoff.scores import Level
from bakeoff.text import listing, wrapped


@dataclass(frozen=True)
class Topic(Answer):
    """Something that is no procedure: what it answers, how it is asked for, and what it rests on."""

    name: str
    title: str
    says: tuple[str, ...]
    use: tuple[str, ...]
    sources: tuple[str, ...] = ()

    def to_text(self) -> str:
        parts = [f"{self.name}: {self.title}", *(wrapped(line) for line in self.says)]
        parts.append("Use it:\n" + "\n".join(f"  {line}" for line in self.use))
        if self.sources:
            parts.append(
                "References:\n" + "\n".join(wrapped(f"  - {r}", indent="    ") for r in map(cite, self.sources))
            )
        return "\n\n".join(parts)

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "title": self.title,
            "says": list(self.says),
            "use": list(self.use),
            "references": [str(cite(source)) for source in self.sources],
        }


_MULTITEST = Topic(
    "multitest",
    "A full order of learners from one-sided tests and what they cost",
    (
        "Tests of pairs need not give an order: A may be tied with B and B with C while A and C differ. MultiTest adds "
        "what is known beforehand, which learner is cheaper (to train, to store, to explain). Each pair is tested "
        "one-sidedly, whether the costlier is better, with p adjusted for the number of pairs (Holm's by default).",
        "First comes the cheapest learner that no costlier one beats; it is taken out, and the rest is ordered in the "
        "same way. Of learners that the data do not tell apart the cheapest therefore comes first.",
        "The tests are those of any procedure for pairs that has sides; without --with the advisor chooses. The cost "
        "order must be fixed before the scores are seen, or it is no prior; it may be measured (parameters, time).",
        "Without a cost each learner is tested against each other one, both ways, and the order is one of groups: "
        "first those that no other one beats, then those that only the first beat, and so on.",
    ),
    (
        "bakeoff order scores.csv --measure error    (groups)",
        "bakeoff order scores.csv --measure error --cost-measure parameters",
        "bakeoff order scores.csv --measure error --cost tree --cost lda --cost forest    (cheapest first)",
        'bakeoff.multitest(scores, cost_order=["tree", "lda", "forest"])',
    ),
    ("yildiz2006", "alpaydin2014 section 19.15"),
)
_RELEVANCE = Topic(
    "relevance",
    "Superiority, non-inferiority and equivalence by a margin",
    (
        "A margin Δ is the smallest difference in the measure that would matter, fixed before the scores are seen. "
        "With it three questions are asked of the first learner's advantage a: superior, H0: a ≤ Δ; non-inferior, "
        "H0: a ≤ −Δ; equivalent, H0: |a| ≥ Δ, by two one-sided tests.",
        "Every procedure that gives an interval of differences in the measure answers them, by inverting the "
        "interval, so that p-values and intervals agree: what is claimed has a one-sided p of at most α/2. With one "
        "learner the difference is that from the value it is held against (--p0). Procedures on ranks have no such "
        "interval and say so. A Bayesian procedure takes the margin for its region of practical equivalence.",
        "Hothorn et al. print the null hypothesis of relevant superiority the wrong way round for a measure of which "
        "less is better; here the direction is the measure's.",
    ),
    (
        "bakeoff analyse scores.csv --measure error --with corrected-t --margin 0.01",
        "bakeoff.judge(scores, margin=0.01)    (better, worse, equivalent, non-inferior or undecided)",
    ),
    ("hothorn2005 section 6",),
)
_EFFECTS = Topic(
    "effect-sizes",
    "How large a difference is, beside whether it is there",
    (
        "They stand beside every p of a comparison, and are computed from the values of the blocks, whatever the "
        "procedure compares.",
        "difference: first − second in the measure's unit, with a pointwise t interval; for resamples of one task it "
        "is widened for training data in common (Nadeau and Bengio), for independent samples it is Welch's.",
        "standardised: the difference in standard deviations of the differences (paired data, Cohen's d_z), or in "
        "pooled standard deviations (independent samples); positive if the first is better.",
        "P(first better): the share of blocks in which the first is better, ties counted half; for independent samples "
        "the share of all pairs of values.",
        "Cliff's δ: the chance that a value of the first is better than any value of the second, less the chance that "
        "it is worse; it ignores which values belong to the same block.",
    ),
    ("bakeoff analyse scores.csv --measure error --with wilcoxon", 'bakeoff.analyse(scores, "wilcoxon").effects'),
    ("cliff1993",),
)
_POWER = Topic(
    "power",
    "How many tasks, runs, seeds or instances it takes",
    (
        "Power is the chance to find a difference that is there. It grows with the difference and with the number of "
        "blocks, and falls with the spread of the differences: three of the four give the fourth.",
        "The verdict on scores says it of pairs that are undecided, and that on a study says what to run next. More "
        "folds of the same data are not more data: they hardly help.",
    ),
    (
        "bakeoff power t --difference 0.02 --sd 0.05    (how many blocks, for 80 % power)",
        "bakeoff power sign --smallest-p --n 6    (what so few blocks can show at all)",
        "bakeoff power study.toml    (what a study will find, before it is run)",
    ),
)
_COMPARISONS = Topic(
    "multiple-comparisons",
    "Many comparisons at once, and p-values adjusted for their number",
    (
        "Of twenty comparisons of learners that are alike one is significant at 5 % by chance. The verdict adjusts for "
        "all pairs it looks at: by default jointly (Westfall and Young's, from the flips that the tests are made of), "
        "where a procedure has no joint law by Holm's rule.",
        "Adjust for what was looked at, not for what is reported. Comparisons with one control are fewer than those of "
        "all pairs (--control NAME), and each is found sooner.",
    ),
    (
        "bakeoff analyse scores.csv --measure error --with NAME --adjust holm",
        "bakeoff adjust 0.01 0.02 0.04 --method holm    (p-values of your own)",
        "bakeoff explain holm    (also bonferroni, hochberg, shaffer, bh and others)",
    ),
    ("westfall1993", "holm1979"),
)
_LANGUAGE_MODELS = Topic(
    "language-models",
    "Evaluations of language models: items, clusters, repeated answers, votes",
    (
        "Models that answered the same items are compared item by item: two by mcnemar if answers are right or wrong, "
        "otherwise by paired-t, more by item-flips. Logs of the usual tools are read as they are, and items are "
        "matched by id and content (bakeoff formats).",
        "Questions about one passage are no independent draws: --cluster passage. Several answers to an item are "
        "averaged within it. A leaderboard over benchmarks speaks about new problems (--about problems) or about new "
        "items of these (--about items).",
        "Votes between two models at a time have strengths with intervals and the ranks that each may have.",
    ),
    (
        "bakeoff compare llama/ qwen/    (folders of logs)",
        "bakeoff gate baseline.jsonl candidate.jsonl --margin 0.01",
        "bakeoff votes battles.json",
    ),
)
TOPICS = {topic.name: topic for topic in (_MULTITEST, _RELEVANCE, _EFFECTS, _POWER, _COMPARISONS, _LANGUAGE_MODELS)}
ALSO_CALLED = {
    **dict.fromkeys(("sample-size", "statistical-power"), "power"),
    **dict.fromkeys(
        ("multiple-testing", "multiple-comparison", "multiplicity", "adjustment", "adjustments", "post-hoc"),
        "multiple-comparisons",
    ),
    **dict.fromkeys(
        ("llm", "llms", "llm-evals", "llm-evaluation", "llm-benchmarks", "elo", "bradley-terry", "arena", "votes"),
        "language-models",
    ),
    **dict.fromkeys(("order", "multi-test"), "multitest"),
    **dict.fromkeys(("margin", "superiority", "non-inferiority", "equivalence", "tost"), "relevance"),
    **dict.fromkeys(("effects", "effect-size", "effect", "cliffs-delta", "cliff-s-delta"), "effect-sizes"),
}


def _adjustment(adjustment: Adjustment) -> Topic:
    step = (
        "It is stepwise: each comparison is tested at a level of its own, so that there are no simultaneous intervals."
        if adjustment.stepwise
        else "All comparisons are tested at one level, so that intervals at that level go with it."
    )
    return Topic(
        adjustment.name,
        f"{adjustment.title} adjustment of p-values" if adjustment.name != "none" else "No adjustment of p-values",
        (
            f"It controls {adjustment.controls}." if adjustment.name != "none" else "Each comparison stands by itself.",
            step,
        ),
        (
            f"bakeoff analyse scores.csv --measure error --with NAME --adjust {adjustment.name}",
            f"bakeoff adjust 0.01 0.02 0.04 --method {adjustment.name}    (p-values of your own)",
        ),
        adjustment.sources,
    )


@dataclass(frozen=True)
class Matches(Answer):
    """The procedures that a name or a question may mean, the likeliest first."""

    question: str
    cards: tuple[Card, ...]

    def to_text(self) -> str:
        lines = [f"  {card.name}: {card.title}\n      {card.question}" for card in self.cards]
        named = listing([card.name for card in self.cards], 3)
        head = f"For {self.question!r} there is:"
        tail = f"`bakeoff explain NAME` tells all about one ({named}); `bakeoff advise FILE` says which fits your data."
        return "\n\n".join([head, "\n".join(lines), wrapped(tail)])

    def to_dict(self) -> dict[str, Any]:
        return {
            "question": self.question,
            "procedures": [{"name": card.name, "title": card.title, "question": card.question} for card in self.cards],
        }


# What people call what cards know under another name. Each word of a question is looked for on the cards; these say
# what it would be called there.
_NUMBERS = {
    "one": Compares.ONE,
    "single": Compares.ONE,
    "two": Compares.PAIR,
    "pair": Compares.PAIR,
    "2": Compares.PAIR,
}
_NUMBERS |= dict.fromkeys(("many", "several", "multiple", "three", "four", "more", "3", "4"), Compares.MANY)
_LEVELS = {
    Level.INSTANCES: r"test[ -]?(set|sample|data)s?|instances?|items?|examples?|questions?|predictions?|hold-?out",
    Level.RESAMPLES: r"folds?|cross[ -]?validat\w+|cv|splits?|seeds?|runs?|repeats?|resampl\w+|bootstraps?",
    Level.TASKS: r"data ?sets?|benchmarks?|tasks?|problems?|domains?",
}
_LEARNERS = r"(models?|learners?|classifiers?|algorithms?|methods?|systems?|llms?)"
_SMALL = (
    "a an and are as at be by do for from how i in is it my of on or over than that the to with which test tests "
    "compare comparing comparison what should use there set same"
)
MOST_FOUND = 6


def search(question: str) -> tuple[Card, ...]:
    """The procedures that fit a question in words best: by how many learners it is about, what they were scored on, and
    the words that stand on their cards. Those that are offered by name only come after the others.

    >>> [card.compares.value for card in search("two models one test set")][:1]
    ['pair']
    >>> search("xyzzy")
    ()
    """
    text = question.lower().replace("'", "").replace("’", "")
    number = re.search(rf"\b({'|'.join(_NUMBERS)})(?:\s+\w+)?\s+{_LEARNERS}\b", text)
    levels = {level for level, pattern in _LEVELS.items() if re.search(rf"\b({pattern})\b", text)}
    rest = re.sub(rf"\b({'|'.join([*_LEVELS.values(), _LEARNERS])})\b", " ", text)
    words = {_stem(word) for word in re.findall(r"[^\W\d_]+", rest) if word not in {*_SMALL.split(), *_NUMBERS}}

    def score(card: Card) -> float:
        names = _words(" ".join((card.name, card.title, *card.also_called, *card.synonyms)))
        prose = _words(f"{card.question} {card.recommended_for}")
        known = sum(2.0 if word in names else 0.5 if word in prose else 0.0 for word in words)
        if _special(card) and not words & (names | prose):
            known -= 1.0
        if number is not None:
            known += 2.0 if card.compares is _NUMBERS[number[1]] else -1.0
        if levels:
            known += 2.0 if card.level in levels else -1.0
        return known

    scored = [(score(each.card), each.card) for each in procedures()]
    best = max(value for value, _ in scored)
    if best < 2.0:
        return ()
    least = max(2.0, best - 0.5)
    near = [(_last(card), -value, card.rank, card) for value, card in scored if value >= least]
    return tuple(card for *_, card in sorted(near, key=lambda each: each[:3])[:MOST_FOUND])


def _last(card: Card) -> bool:
    """Whether it is offered by name only, or says of no pair whether it differs."""
    return bool(card.pooled) or card.answers is Answers.GLOBAL


def _special(card: Card) -> bool:
    """Whether it is for what a question would mention: clusters, times, holes, samples of one's own, many measures."""
    plain = card.shape in (Shape.PLAIN, Shape.SQUARES) and card.paired and card.fixed_folds is None
    return not plain or card.ordered or card.strata or card.exceeds_level


def _words(text: str) -> set[str]:
    return {_stem(word) for word in re.findall(r"[^\W_]+", text.lower().replace("'", "").replace("’", ""))}


def _stem(word: str) -> str:
    """Without the ends by which a word of a question may differ from that of a card."""
    return re.sub(r"(s|ed|ing)$", "", word) if len(word) > 4 else word


def _called(name: str) -> tuple[Card, ...]:
    """The procedures that people call so, by their titles and synonyms."""
    wanted = _plain(name)
    cards = [each.card for each in procedures()]
    return tuple(card for card in cards if wanted in {_plain(each) for each in (card.title, *card.synonyms)})


def _plain(name: str) -> str:
    """
    >>> _plain("Welch's t-test"), _plain("the Wilcoxon signed rank test")
    ('welch t', 'wilcoxon signed rank')
    """
    words = re.findall(r"[^\W_]+", name.lower().replace("'s", "").replace("’s", ""))
    return " ".join(word for word in words if word not in ("the", "test", "tests", "s"))


def explain(name: str) -> Card | Topic | Matches:
    """The card of a procedure, or what is to be said about another topic, by any name that people use; for a question
    in words those that may answer it. Print it, or show it in a notebook.

    >>> print(explain("friedman").title)
    Friedman test with post-hoc comparisons of mean ranks
    >>> print(explain("multitest").title)
    A full order of learners from one-sided tests and what they cost
    >>> print(explain("Wilcoxon signed rank").name)
    wilcoxon
    >>> [card.name for card in explain("two models one test set").cards][0]
    'mcnemar'
    """
    topic = normalise_name(name).replace("_", "-")
    if topic in procedure_names():
        return procedure_named(topic).card
    topic = "power" if topic.startswith("how-many-") else ALSO_CALLED.get(topic, topic)
    if topic in TOPICS:
        return TOPICS[topic]
    if topic in ADJUSTMENTS:
        return _adjustment(ADJUSTMENTS[topic])
    if any(topic in each.card.also_called for each in procedures()):
        return procedure_named(topic).card
    called = _called(name) or search(name)
    if len(called) == 1:
        return called[0]
    if called:
        return Matches(name, called)
    known = [*procedure_names(), *TOPICS, *ADJUSTMENTS]
    raise UsageError(
        f"There is nothing called {name!r} to explain: no procedure, topic or adjustment. {nearest(name, known)}"
    )
