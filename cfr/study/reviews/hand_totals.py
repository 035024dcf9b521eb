"""Totals of a database without its single decisions: SQL adds up those that differ in cards alone."""

from __future__ import annotations

from cfr.game.betting import BettingTree
from cfr.game.hand import decisions
from cfr.study.reviews.hand_database import Choice, HandDatabase, state_of
from cfr.study.reviews.player_summary import PlayerSummary
from cfr.study.reviews.tally import Tally

_SHARE = "CASE action WHEN 'f' THEN fold WHEN 'c' THEN call ELSE \"raise\" END"
_TALLY = f"""
line, action, count(*), sum(fold), sum(call), sum("raise"), sum({_SHARE} = max(fold, call, "raise")),
sum({_SHARE} = 0), count(ev_lost_mbb), total(ev_lost_mbb), coalesce(sum(mistake), 0)
"""
_SEATS = (("big_blind", "big_blind_hand", "won_big_blind"), ("button", "button_hand", "won_button"))


def players_of(database: HandDatabase) -> list[tuple[str, int]]:
    """All players with the number of their hands, those with most hands first."""
    asked = "SELECT big_blind AS player FROM hands UNION ALL SELECT button FROM hands"
    counted = f"SELECT player, count(*) AS hands FROM ({asked}) GROUP BY player ORDER BY hands DESC, player"
    return [(name, hands) for name, hands in database.rows(counted)]


def days_of(database: HandDatabase) -> tuple[str, str] | None:
    """The first and the last day; None where no hand has a day."""
    [(first, last)] = database.rows("SELECT min(day), max(day) FROM hands WHERE day != ''")
    return None if first is None else (first, last)


def player_totals(database: HandDatabase, choice: Choice, tree: BettingTree) -> PlayerSummary:
    """What a player did in the chosen hands: the numbers of :func:`cfr.study.reviews.hand_archive.summary`.

    Args:
        database: the hands.
        choice: a player, and days.
        tree: the betting of the database's game.
    """
    assert choice.player is not None
    found, (days, values) = PlayerSummary(choice.player), choice.of_days()
    for seat, (name, cards, won) in enumerate(_SEATS):
        asked = f"SELECT line, {cards} != '', {won}, won_button, rake FROM hands WHERE {name} = ? AND {days}"
        for line, is_seen, chips, other, rake in database.rows(asked, [choice.player, *values]):
            found.seen += is_seen
            if chips is not None:
                found.chips.append(chips)
                found.rake += rake * (0.5 if chips == other == 0 else chips > 0)
            if not is_seen:
                found.unseen += sum(state.actor == seat for state, _ in decisions(state_of(tree, line)))
    within = f"hand IN (SELECT id FROM hands WHERE {days})" if values else "1"
    asked = f"SELECT {_TALLY} FROM decisions WHERE player = ? AND {within} GROUP BY line, action"
    for line, action, count, fold, call, raise_, *counts in database.rows(asked, [choice.player, *values]):
        found.add(Tally(state_of(tree, line), action, count, (fold, call, raise_), *counts))
    return found
