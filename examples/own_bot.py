"""A bot of your own against a strategy: any object with ``act``.

``cfr match examples.own_bot:PairsAndAces uniform --hands 2000`` does the same from the command line.
"""

import random
from collections.abc import Sequence

import cfr
from cfr.play.match import match


class PairsAndAces:
    """Raises pairs and aces, calls with the rest."""

    def __init__(self, game: cfr.Game) -> None:
        self.game = game

    def act(self, state: "cfr.betting.State", hand: Sequence[int], board: Sequence[int], rng: random.Random) -> str:
        """A legal action's letter; cards are codes, ``4 * rank + suit``."""
        ranks = [card // 4 for card in hand]
        good = ranks[0] == ranks[1] or 12 in ranks
        return "r" if good and "r" in state.legal else "c"


def main() -> None:
    result = match("examples.own_bot:PairsAndAces", "always-call", 500, seed=1, duplicate=True)
    print(result)


if __name__ == "__main__":
    main()
