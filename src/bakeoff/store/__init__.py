"""Stores: what became of a study's cells, kept in a database file, and the way back from there to Scores.

Nothing is imported here: SQLAlchemy takes a quarter of a second, which only a command that opens a store shall pay.

    from bakeoff.store.writer import Store        the one writer, and `Store.read` for any number of readers
    from bakeoff.store.reading import progress   what stands in it
    from bakeoff.results.scores import scores_of   as Scores
    from bakeoff.results.export import export      as files
"""
