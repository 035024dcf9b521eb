"""What follows the first round is read and kept only where it is met."""

import numpy as np

from cfr.opening import Opening
from cfr.plans import source_of
from cfr.pruned import prune
from cfr.strategy import BuiltIn
from cfr.traversal import layout
from tests.small_games import short_deck


def test_tables_hold_the_lines_that_are_met_and_are_shared_where_they_are_alike():
    game = short_deck("three rounds", 2, 4, (0, 3, 1), (2, 2, 1))
    tree = layout(game, np.float64)

    def tables(name):
        source = source_of(BuiltIn(name, game))
        both = source, source
        opening = Opening(tree, both, np.float64)
        return [each.tables for each in prune(tree, [both, both], [opening, opening], np.float64)]

    def size(rounds):
        return sum(table.nbytes for pair in rounds for table in pair)

    alike, also = tables("uniform")
    assert alike is also
    for met in tables("always-call"):
        assert 0 < size(met) < size(alike)
    assert tables("always-fold")[0] == []  # the button never comes anywhere
