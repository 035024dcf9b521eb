"""The table: hands between a person and the bot, and their luck-adjusted results.

Routes, the work behind them, and the part of the page that shows it (``static/``).
"""
