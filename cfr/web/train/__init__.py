"""The trainer: exercises for a person, what answers lose, and where both are kept.

Routes, the work behind them, and the part of the page that shows it (``static/``).
"""
