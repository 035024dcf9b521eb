"""Reviews of played hands: what each decision lost, totals of players, and the database that keeps them.

Reading logs is in ``formats/``; what hands win is in ``values/``.
"""
