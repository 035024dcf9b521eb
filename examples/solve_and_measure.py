"""Solve Leduc hold'em without buckets, measure the result, and ask it what to do."""

from pathlib import Path
from tempfile import TemporaryDirectory

import cfr


def main() -> None:
    game = cfr.Game.bundled("leduc")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "leduc.h5"
        solved = cfr.solve(cfr.Settings(game, buckets=None, iterations=200, out=path))
        print(f"{solved.iterations} iterations on {game.name}")
        with cfr.Strategy.open(path) as strategy:
            measured = cfr.exploitability(strategy)
            print(f"a best response wins {measured.exploitability_mbb:.2f} mbb/g on average over both seats")
            for card in ("Qs", "Ks", "As"):
                mix = strategy.probabilities(card)
                print(card, "  ".join(f"{name} {share:.3f}" for name, share in mix.items()))


if __name__ == "__main__":
    main()
