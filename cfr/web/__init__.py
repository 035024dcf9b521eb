"""The local web page: routes, sessions, limits, and the page's own files in ``static/``.

Poker, values and strategies come from the rooms below; here is only what a browser needs.
"""
