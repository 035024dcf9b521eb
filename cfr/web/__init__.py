"""The local web page: a folder for each feature, over ``server/`` and ``store/``; ``app`` puts them together.

A feature holds its routes, its work and its part of the page. It imports the server, the store and the rooms below,
no other feature. Poker, values and strategies come from the rooms below; here is only what a browser needs.
"""
