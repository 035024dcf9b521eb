"""Strength per core-minute: solve full hold'em in named ways, measure each in the real game, keep a table and a plot.

``python -m benchmarks.docs.strength`` names the configurations; ``python -m benchmarks.docs.strength cfr-br`` solves
one and measures it at its marks (numbers of iterations) on a fixed sample of flops (``--flops``, 0 for all). It adds
rows to docs/strength.csv and draws docs/strength.svg and the table of docs/strength.md from them. ``--file X.h5``
measures a strategy that is there already instead. The seed and the flops are the same throughout: rows differ by what
they name, not by luck of the draw.
"""

from __future__ import annotations

import argparse
import csv
import os
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tqdm import tqdm

from cfr.abstraction.abstraction import Abstraction
from cfr.exploit.exploitability import exploitability
from cfr.game.rules import Game
from cfr.hands.flops import first_boards
from cfr.solver.game_solver import GameSolver
from cfr.solver.settings import Settings
from cfr.strategy.files.file import save
from cfr.strategy.files.stored import Strategy
from cfr.system.interval import half_width_of

DOCS = Path(__file__).parents[2] / "docs"
MIDDLE = (5000, 4000, 3000)
COLUMNS = ("name", "buckets", "iterations", "core_minutes", "stored", "megabytes", "flops", "mbb", "interval")
_SHAPES = "os^Dv"  # each for ten colours
MARKERS = ("<!-- table -->\n", "<!-- end of table -->\n")


@dataclass(frozen=True)
class Config:
    """One way to solve, the iterations after which it is measured, and the ways to store it that are measured then."""

    what: str
    buckets: tuple[int | str, ...] = MIDDLE
    schedule: str = "cfr-br"
    warm_up: float = 1 / 3
    marks: tuple[int, ...] = (7_500, 15_000)
    gamma: float = 1.0  # exponent of an iteration's weight in the average
    stored: dict[str, dict[str, Any]] = field(default_factory=lambda: {"purged 5 %": {"purge": 0.05}})

    @property
    def settings(self) -> Settings:
        return Settings(
            Game.bundled("hulhe"),
            self.buckets,
            iterations=self.marks[-1],
            threads=os.cpu_count() or 1,
            schedule=self.schedule,
            warm_up=self.warm_up if self.schedule == "cfr-br" else 0.0,
        )


_LATE: dict[str, Any] = {
    "warm_up": 1 / 9,
    "marks": (45_000,),
    "stored": {f"purged {percent} %": {"purge": percent / 100} for percent in (2, 3, 5)},
}
CONFIGS = {
    "cfr+": Config("plain CFR+", schedule="cfr+"),
    "cfr-br": Config("CFR-BR after a third of CFR+"),
    "storing": Config(
        "what rounding and thresholding the same solve do",
        marks=(15_000,),
        stored={
            "whole": {},
            "purged 5 %": {"purge": 0.05},
            "purged 15 %": {"purge": 0.15},
            "purged 5 %, compact": {"purge": 0.05, "compact": True},
        },
    ),
    "coarse river": Config("a third of the river buckets", buckets=(5000, 4000, 1000), marks=(15_000,)),
    "coarser river": Config("a tenth of them", buckets=(5000, 4000, 300), marks=(15_000,)),
    "coarse turn": Config("a quarter of the turn buckets", buckets=(5000, 1000, 3000), marks=(15_000,)),
    "coarse flop": Config("a fifth of the flop buckets", buckets=(1000, 4000, 3000), marks=(15_000,)),
    "lossless flop": Config("a row for every canonical hand", buckets=("lossless", 4000, 3000), marks=(15_000,)),
    "all coarse": Config("few buckets in all rounds", buckets=(1000, 1000, 1000), marks=(15_000,)),
    "even weights": Config("an average of all iterations alike", gamma=0.0, marks=(15_000,)),
    "squared weights": Config("an average by squared iterations", gamma=2.0, marks=(15_000,)),
    "late": Config("three times as long, 5,000 iterations of CFR+ in it", (5000, 4000, 3300), **_LATE),
    "late, classes": Config("as many rows, which remember the turn", (5000, 4000, "10x330"), **_LATE),
    "late, squared": Config("an average by squared iterations", (5000, 4000, 3300), gamma=2.0, **_LATE),
    "late, coarse": Config("fewer buckets on flop and turn", (2000, 2000, 3300), **_LATE),
}


def solve(config: Config) -> Iterator[tuple[GameSolver, float]]:
    """The run at each mark, and the core-minutes so far; what happens at a mark does not count."""
    settings = config.settings
    spent, started = 0.0, time.process_time()
    abstraction = Abstraction.build(settings.game, config.buckets, seed=settings.seed, threads=settings.threads)
    run = GameSolver(settings, abstraction)
    run.schedule = replace(run.schedule, gamma=config.gamma)
    with tqdm(total=config.marks[-1], desc="solving", unit="iterations") as bar:
        for mark in config.marks:
            while run.iterations < mark:
                run.respond_if_warm(run.iterations / config.marks[-1])
                bar.update(run.step(mark - run.iterations))
            spent += time.process_time() - started
            yield run, spent / 60
            started = time.process_time()


def measure(path: Path, flops: int) -> dict[str, Any]:
    """Size and exploitability of a file; of all flops, what ``cfr exploit --save`` wrote into it, if it did."""
    with Strategy.open(path) as strategy:
        known = strategy.attributes
        number = len(first_boards(strategy.game).cards)
        if not flops and known.get("exploitability_flops") == number and not known["exploitability_standard_error_mbb"]:
            flops, mbb, error = number, float(known["exploitability_mbb"]), 0.0
        else:
            result = exploitability(strategy, flops or None, threads=os.cpu_count() or 1, progress=True)
            flops, mbb, error = result.flops, result.exploitability_mbb, result.standard_error_mbb
    return {
        "megabytes": f"{path.stat().st_size / 1e6:.1f}",
        "flops": flops,
        "mbb": f"{mbb:.2f}",
        "interval": f"{half_width_of(error, flops):.2f}",
    }


def rows_of(name: str, flops: int) -> Iterator[dict[str, Any]]:
    """Solve and measure a configuration."""
    config = CONFIGS[name]
    for run, minutes in solve(config):
        for how, changes in config.stored.items():
            run.settings = replace(config.settings, **changes)
            with TemporaryDirectory() as folder:
                path = Path(folder) / "strategy.h5"
                rounds = [run.stored_round(r) for r in range(run.settings.game.num_rounds)]
                save(path, run.settings.game, run.abstraction.arrays(), rounds, {"iterations": run.iterations})
                measured = measure(path, flops)
            buckets = " ".join(map(str, config.buckets))
            yield {
                "name": name,
                "buckets": buckets,
                "iterations": run.iterations,
                "core_minutes": f"{minutes:.1f}",
                "stored": how,
                **measured,
            }


def row_of_file(path: Path, flops: int) -> dict[str, Any]:
    """Measure a strategy that somebody else solved."""
    with Strategy.open(path) as strategy:
        made = strategy.attributes
    minutes = float(made["seconds"]) * int(made["threads"]) / 60
    stored = f"purged {100 * float(made['purge']):.3g}%"
    if (unplayed := float(made.get("purge_unplayed", 0))) > float(made["purge"]):
        stored += f" and {100 * unplayed:.3g}%"
    stored += ", compact" if made.get("compact") else ""
    return {
        "name": f"{path.stem}: {made.get('schedule', 'cfr+')}",
        "buckets": str(made["buckets"]).replace(",", " "),
        "iterations": made["iterations"],
        "core_minutes": f"{minutes:.1f}",
        "stored": stored.replace("%", " %"),
        **measure(path, flops),
    }


def read() -> list[dict[str, str]]:
    path = DOCS / "strength.csv"
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def add(row: dict[str, Any]) -> None:
    """Append a row to the record and draw table and plot anew."""
    rows = [*read(), {"date": datetime.now(UTC).strftime("%Y-%m-%d"), **{key: str(row[key]) for key in COLUMNS}}]
    with (DOCS / "strength.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ("date", *COLUMNS), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    draw(rows)


def table(rows: list[dict[str, str]]) -> str:
    """The rows in Markdown."""
    lines = [
        "| solve | buckets flop, turn, river | iterations | core-minutes | stored | MB | flops | mbb/g |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        interval = f" +- {float(row['interval']):.1f}" if float(row["interval"]) else ", exact"
        lines.append(
            f"| {row['name']} | {row['buckets'].replace(' ', ', ')} | {int(row['iterations']):,} "
            f"| {float(row['core_minutes']):.0f} | {row['stored']} | {row['megabytes']} | {row['flops']} "
            f"| {float(row['mbb']):.1f}{interval} |"
        )
    return "\n".join(lines) + "\n"


def draw(rows: list[dict[str, str]]) -> None:
    """Table into docs/strength.md; docs/strength.svg if matplotlib (extra ``[plot]``) is there."""
    page = DOCS / "strength.md"
    text = page.read_text(encoding="utf-8")
    before, _, rest = text.partition(MARKERS[0])
    after = rest.partition(MARKERS[1])[2]
    page.write_text(before + MARKERS[0] + table(rows) + MARKERS[1] + after, encoding="utf-8")
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return
    figure = Figure(figsize=(8, 5.8), layout="constrained")
    axes = figure.add_subplot(xscale="log", xlabel="core-minutes", ylabel="exploitability, mbb/g")
    for number, name in enumerate(dict.fromkeys(row["name"] for row in rows)):
        chosen = [row for row in rows if row["name"] == name]
        values = [[float(row[key]) for row in chosen] for key in ("core_minutes", "mbb", "interval")]
        axes.errorbar(values[0], values[1], yerr=values[2], marker=_SHAPES[number // 10], capsize=3, label=name)
    # Below the axes, so that it hides no point.
    figure.legend(loc="outside lower center", ncols=3, fontsize="x-small", frameon=False)
    figure.savefig(DOCS / "strength.svg", metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="configurations to run; without any they are listed")
    parser.add_argument("--file", type=Path, action="append", default=[], help="measure this strategy file, too")
    what = "sampled, 0 for all, which `cfr exploit --save` may have done (default %(default)s)"
    parser.add_argument("--flops", type=int, default=100, help=what)
    args = parser.parse_args()
    if unknown := set(args.names) - CONFIGS.keys():
        parser.error(f"no configuration {', '.join(sorted(unknown))}; expected some of {', '.join(CONFIGS)}")
    for name in args.names:
        for row in rows_of(name, args.flops):
            add(row)
    for path in args.file:
        add(row_of_file(path, args.flops))
    if not args.names and not args.file:
        for name, config in CONFIGS.items():
            print(f"{name:<16}{config.what}; buckets {', '.join(map(str, config.buckets))}")
        print(f"fingerprint {zlib.crc32(repr(CONFIGS).encode()):08x}")


if __name__ == "__main__":
    main()
