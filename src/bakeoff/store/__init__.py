"""The store: what became of a study's cells, kept in a database file. `bakeoff.results` leads from there to Scores.

Nothing is imported here: SQLAlchemy takes a quarter of a second, which only a command that opens a store shall pay.

    from bakeoff.store.writer import Store         the one writer
    from bakeoff.store.reader import Reader        any number of readers
    from bakeoff.results.status import progress    how far a study is
    from bakeoff.results.scores import scores_of   its scores
    from bakeoff.results.export import export      all of it as files
"""
