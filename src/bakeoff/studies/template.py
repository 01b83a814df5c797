"""The study file that `bakeoff init` writes: commented, and running as it is."""

from __future__ import annotations

TEMPLATE = """\
# A study: which learners, on which data, compared how. Written by `bakeoff init`; it runs as it is:
#
#   bakeoff plan study.toml        what will be run
#   bakeoff run study.toml -j 2    run it; stop with Ctrl-C, and run again to go on
#   bakeoff judge study.toml       what may be claimed
#
# Running a study runs the code that it names. Reading, planning and judging it do not.

question = "Which classifier learns most from small data sets?"
seed = 1                            # the same seed gives the same splits and scores, on any number of workers
alpha = 0.05                        # the error rate of all claims together
# margin = 0.01                     # the difference in the first measure that would matter in practice

# The first measure is the one the question is about. `bakeoff measures` lists them all.
measures = ["error", "fit_time"]
# A cost for each kind of mistake (rows: true class, columns: predicted), or another summary of the losses:
# measures = [
#     { name = "cost", loss_matrix = [[0, 1], [5, 0]] },
#     { name = "q95", loss = "absolute_error", functional = "q0.95" },
# ]

[resampling]
scheme = "cross-validation"         # or hold-out, 5x2, leave-one-out, out-of-bootstrap, 632+, ...
folds = 10
# repeats = 10

# Data sets that come with bakeoff (`bakeoff datasets` lists them) ...
[[task]]
data = "iris"

[[task]]
data = "wine"

[[task]]
data = "sonar"

[[task]]
data = "glass"

[[task]]
data = "heart"

[[task]]
data = "ionosphere"

# ... or your own: CSV, Parquet or ARFF, beside this file.
# [[task]]
# name = "mine"
# file = "mine.csv"
# target = "class"                  # the column to predict
# group = "patient"                 # rows of a group are never split between learning and testing

# ... or a function that returns (X, y); it is called by `bakeoff run` only.
# [[task]]
# name = "digits"
# loader = "sklearn.datasets.load_digits"

[[learner]]
name = "tree"
path = "sklearn.tree.DecisionTreeClassifier"

[[learner]]
name = "forest"
path = "sklearn.ensemble.RandomForestClassifier"
parameters = { n_estimators = 50 }

[[learner]]
name = "logistic"
path = "sklearn.linear_model.LogisticRegression"
parameters = { max_iter = 1000 }
prepare = "standard"                # auto: impute and encode where needed; standard: also standardise; none

[[learner]]
name = "tuned svm"
path = "sklearn.svm.SVC"
prepare = "standard"
tune = { C = [0.1, 1, 10] }         # chosen inside each learning sample, by cross-validation of it
tuning = { folds = 3 }

# A program in any language; {train}, {test} and {output} are CSV files.
# [[learner]]
# name = "mine in R"
# command = ["Rscript", "mine.R", "{train}", "{test}", "{output}", "{seed}"]

[limits]                            # of a single cell, that is one learner on one split
time_limit = "60 s"
memory_limit = "4 GB"
# threads = 1

# Analyses that are written here before the run are planned; all others are marked as exploratory.
[[analysis]]
measure = "error"
"""
