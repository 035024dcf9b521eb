"""Reviews of visitors' logs: the queue of reviews, their totals and decisions.

Routes, the work behind them, and the part of the page that shows it (``static/``).
"""
