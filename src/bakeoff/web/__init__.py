"""The page: `bakeoff serve` shows files, studies, verdicts and plans in a browser on this machine.

safety      who may ask, and from where: checked for every request before anything else
workspace   what is served: a folder, files that were dropped, stores and studies, runs
questions   an address is a question; its answer is made of the public functions, once
app, api    pages, figures and files; the same as JSON
"""
