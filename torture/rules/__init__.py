"""The rules of all games, written a second time: from the public rules of each game and the texts of `zermelo show`.

Nothing here was taken from the program's own code. Games that `proofcheck/zermelo_check.py` knows come from there, as that was
written from docs/certificate.md alone.
"""
