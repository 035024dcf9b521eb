"""Matches that visitors watch: who plays, and one hand after the other.

Routes, the work behind them, and the part of the page that shows it (``static/``).
"""
