"""Play that is solved anew, safely, below a blueprint: gadgets, target values, the resolver, the bot that re-solves,
and flops that are refined once and kept.

The measurement of such play belongs to ``exploit``.
"""
