"""What the founding documents print, computed again and laid beside it cell by cell.

result.py       a published result: where it stands, what it shows, the function that regenerates it, what it costs
cells.py        one number of ours beside the one printed, and whether they agree
comparison.py   all cells of a result, as text, HTML, a frame or JSON
errata.py       the misprints of the documents, a sentence each
catalogue.py    all results by name
printed.py      the tables under data/published
feelders.py …   one module, or a few, a document: each holds a tuple RESULTS
"""
