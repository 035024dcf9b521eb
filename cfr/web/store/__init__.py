"""What the page keeps: sessions of players and their hands, in one SQLite file.

It knows nothing of requests.
"""
