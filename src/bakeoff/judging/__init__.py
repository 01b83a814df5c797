"""From scores to what may be claimed: advise, analyse, judge, and order by cost."""

from bakeoff.judging.advice import Advice, advise
from bakeoff.judging.analysis import analyse
from bakeoff.judging.judgment import judge
from bakeoff.judging.order import Order, multitest
from bakeoff.judging.verdict import Decision, Verdict
from bakeoff.text import CodedWarning

__all__ = ["Advice", "CodedWarning", "Decision", "Order", "Verdict", "advise", "analyse", "judge", "multitest"]
