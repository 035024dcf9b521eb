"""Players' models and counter-strategies: who was found, what is wrong with a player, and what wins from it.

Routes, the work behind them, and the part of the page that shows it (``static/``).
"""
