"""Hand histories as PokerStars writes them, which poker trackers import.

A chip counts as a dollar, so that trackers see a cash game. Each player keeps its seat; the button moves. Only the
first player's cards are dealt openly, as in a history of that player.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cfr.game.betting import action_word
from cfr.game.cards import format_card
from cfr.game.evaluate import category, evaluate
from cfr.game.hand import STACK_BIG_BLINDS, Cards, HandRecord, decisions, new_board_cards, raised_to, show_order

STREETS = ("HOLE CARDS", "FLOP", "TURN", "RIVER")


def hand_text(record: HandRecord, number: int, names: Sequence[str], hero: int, time: datetime) -> str:
    """A finished hand.

    Args:
        record: the hand.
        number: differs from that of every other hand in the tracker.
        names: by seat, as :func:`cfr.game.hand.clean_names` gives them.
        hero: the seat in chair 1, whose cards are seen.
        time: when it was played.
    """
    return "\n".join(
        [*_table(record, number, names, hero, time), *_play(record, names, hero), *_end(record, names, hero)]
    )


def _table(record: HandRecord, number: int, names: Sequence[str], hero: int, time: datetime) -> list[str]:
    game = record.state.tree.game
    button = game.button
    stakes = f"${game.raise_sizes[0]}/${game.raise_sizes[-1]} USD"
    stack = STACK_BIG_BLINDS * game.big_blind
    return [
        f"PokerStars Hand #{number}:  Hold'em Limit ({stakes}) - {_eastern(time):%Y/%m/%d %-H:%M:%S} ET",
        f"Table '{game.name}' 2-max Seat #{_chair(button, hero)} is the button",
        *(f"Seat {_chair(seat, hero)}: {names[seat]} (${stack} in chips)" for seat in (hero, 1 - hero)),
        f"{names[button]}: posts small blind ${game.blinds[button]}",
        f"{names[1 - button]}: posts big blind ${game.blinds[1 - button]}",
    ]


def _play(record: HandRecord, names: Sequence[str], hero: int) -> list[str]:
    """From the hole cards to the last action."""
    lines = ["*** HOLE CARDS ***", f"Dealt to {names[hero]} {_brackets(record.deal.hands[hero])}"]
    round_ = 0
    for before, letter in decisions(record.state):
        if before.round > round_:
            round_ = before.round
            new = new_board_cards(record.deal.board, round_, before.tree.game)
            earlier = record.deal.board[: before.num_board_cards - len(new)]
            shown = f"{_brackets(earlier)} " if earlier else ""
            lines.append(f"*** {STREETS[round_]} *** {shown}{_brackets(new)}")
        mine, theirs = before.stakes[before.actor], before.stakes[1 - before.actor]
        word, to = action_word(letter, before), raised_to(before)
        amount = {"call": f" ${theirs - mine}", "bet": f" ${to}"}.get(word, "")
        if word == "raise":
            amount = f" ${before.tree.game.raise_sizes[round_]} to ${to}"
        lines.append(f"{names[before.actor]}: {word}s{amount}")
    return lines


def _end(record: HandRecord, names: Sequence[str], hero: int) -> list[str]:
    """Who gets the pot, and the summary."""
    state, deal = record.state, record.deal
    pot = 2 * min(state.stakes)
    won = [pot // 2 if not any(record.chips) else pot if chips > 0 else 0 for chips in record.chips]
    collected = [f"{names[seat]} collected ${won[seat]} from pot" for seat in (0, 1) if won[seat]]
    board = deal.board[: state.num_board_cards]
    lines = []
    if state.folded is not None:
        winner = 1 - state.folded
        if uncalled := max(state.stakes) - min(state.stakes):
            lines.append(f"Uncalled bet (${uncalled}) returned to {names[winner]}")
        lines += [*collected, f"{names[winner]}: doesn't show hand"]
        where = f"on the {STREETS[state.round].capitalize()}" if state.round else "before Flop"
        outcomes = [f"folded {where}" if seat == state.folded else f"collected (${pot})" for seat in (0, 1)]
    else:
        made = [category(int(each)) for each in evaluate([[*hand, *deal.board] for hand in deal.hands])]
        lines.append("*** SHOW DOWN ***")
        for seat in show_order(state):
            lines.append(f"{names[seat]}: shows {_brackets(deal.hands[seat])} ({made[seat]})")
        lines += collected
        outcomes = [
            f"showed {_brackets(deal.hands[seat])} and "
            + (f"won (${won[seat]}) with {made[seat]}" if won[seat] else f"lost with {made[seat]}")
            for seat in (0, 1)
        ]
    lines += ["*** SUMMARY ***", f"Total pot ${pot} | Rake $0"]
    if board:
        lines.append(f"Board {_brackets(board)}")
    button = state.tree.game.button
    for seat in (hero, 1 - hero):
        role = "(button) (small blind)" if seat == button else "(big blind)"
        lines.append(f"Seat {_chair(seat, hero)}: {names[seat]} {role} {outcomes[seat]}")
    return lines


def _chair(seat: int, hero: int) -> int:
    return 1 if seat == hero else 2


def _brackets(cards: Cards | Sequence[int]) -> str:
    return f"[{' '.join(map(format_card, cards))}]"


def _eastern(time: datetime) -> datetime:
    """The time in New York, in which PokerStars keeps it; without summer time where no time zones are installed."""
    try:
        return time.astimezone(ZoneInfo("America/New_York"))
    except ZoneInfoNotFoundError:
        return time.astimezone(timezone(timedelta(hours=-5)))
