"""Work on other processes and machines: worker processes, and what stays on the nodes of a Ray cluster.

What the work is, is known above; nothing here knows poker.
"""
