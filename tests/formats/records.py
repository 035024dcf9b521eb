"""Records of hands for the tests of logs: random ones, and logs that are damaged."""

import random

from hypothesis import strategies as st

from cfr.formats.logs import HandLog, read_log
from cfr.game.betting import BettingTree
from cfr.game.cards import parse_cards
from cfr.game.hand import Deal, HandRecord, deal_hand, showdown_winner
from cfr.game.rules import Game
from cfr.system.errors import CfrError

HULHE = Game.bundled("hulhe")
TREE = BettingTree(HULHE)
DEAL = Deal((parse_cards("AsAh"), parse_cards("KsKh")), parse_cards("2c7d9hJs3c"))


def random_records(count, seed, game=HULHE):
    """Hands of two players that fold seldom, so that all rounds and showdowns occur."""
    rng, tree = random.Random(seed), BettingTree(game)
    for _ in range(count):
        deal, state = deal_hand(game, rng), tree.root
        while not state.is_over:
            state = state.act(rng.choice(state.legal.replace("f", "fccrr" if "r" in state.legal else "fcc")))
        yield HandRecord(deal, state, state.payoff(showdown_winner(state, deal)))


def record_of(line, deal=DEAL):
    state = TREE.parse(line)
    return HandRecord(deal, state, state.payoff(showdown_winner(state, deal)))


def write(path, records, names=("first", "second"), **options):
    """Log hands whose seats alternate, the first player the big blind in the first."""
    records = list(records)
    with HandLog(path, records[0].state.tree.game, names, **options) as log:
        for number, record in enumerate(records):
            log.write(record, number % 2)
    return records


def damaged(text):
    """The text with a few places taken out, put in or exchanged."""
    edit = st.tuples(
        st.integers(0, len(text)),
        st.integers(0, 8),
        st.text(max_size=2) | st.sampled_from(["'", "]", "[", "=", ":", "|", "\n", "??", "p2 cc", "[1]", "0", "-"]),
    )

    def apply(edits):
        found = text
        for place, length, new in edits:
            found = found[:place] + new + found[place + length :]
        return found

    return st.lists(edit, max_size=3).map(apply)


def check_a_log_is_read_or_refused(folder, text, suffix):
    path = folder / f"x{suffix}"
    path.write_bytes(text.encode("utf-8", errors="surrogatepass"))
    try:
        hands = list(read_log(path, TREE))
    except CfrError as error:
        assert str(error).startswith(f"{path}: ")
        return
    for hand in hands:
        # What is accepted can be played.
        assert TREE.parse(hand.seen.state.line_string) == hand.seen.state
        assert len(hand.seen.board) >= hand.seen.state.num_board_cards or not hand.seen.state.is_over
