"""Solves whose tables do not fit into memory: the plan that splits a game into pieces, pieces on disk, and pieces on
the nodes of a cluster.

A piece takes the same steps as the solve in memory and ends with the same bits.
"""
