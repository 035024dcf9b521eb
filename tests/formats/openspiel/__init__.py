"""Strategies and solves beside OpenSpiel."""
