"""Opponents: how likely their hands are, a model of a player, its leaks, and counter-strategies with a worst case.

A model is a blueprint tilted by few parameters, and a strategy like any other. No module of this package reads text or
prints it, and none plays a hand.
"""
