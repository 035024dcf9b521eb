"""The command ``cfr solve``: solve a game, forecast what that takes, go on from a checkpoint."""

from __future__ import annotations

import argparse
import sys
from contextlib import nullcontext
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

from cfr.cli import flags
from cfr.kernel.schedules import CFR_BR, SCHEDULED, SCHEDULES, schedule_named
from cfr.system.cores import usable_cores
from cfr.system.errors import BadInputError, Interrupted

if TYPE_CHECKING:
    from cfr.game.rules import Game
    from cfr.solver.settings import Buckets, Settings
    from cfr.solver.solve import SolveResult
    from cfr.solver.trunk.trunk import Trunk

_OF_TRUNK = ("flops", "control_variate")  # flags that say more of --blueprint
_KEYS = ("file", "game", "iterations", "seconds", "seed", "threads", "strategy")
_MEASURES = (  # where it is measured
    *("exploitability_mbb", "stored_exploitability_mbb", "self_play_button_mbb"),
    *("target_mbb", "standard_error_mbb", "flops", "game_flops"),
)


def add_commands(command: flags.AddCommand) -> None:
    """Add this module's command to the command line."""
    what = "solve a game and write a strategy file"
    solve = command("solve", _solve, what, "cfr solve hulhe --preset quick")
    solve.add_argument("game", nargs="?", metavar="GAME", help="bundled game or .game file (default: hulhe)")
    what = "buckets, where a hold'em-like game needs them, and minutes"
    solve.add_argument("--preset", choices=("quick", "laptop", "workstation"), help=what)
    what = (
        "rows of flop, turn and river: numbers, lossless, or 10x330 in the last, 330 for each of 10 classes of the turn"
    )
    solve.add_argument("--buckets", type=_buckets, metavar="F,T,R", help=what)
    what = f"how regrets and the average accumulate (default: {SCHEDULED.name}, the preset's with buckets)"
    solve.add_argument("--schedule", choices=list(SCHEDULES), help=what)
    what = (
        "share of the iterations, or of the minutes after the preparation, that cfr-br begins with by cfr+ "
        "(default: the preset's)"
    )
    solve.add_argument("--warm-up", type=flags.share, metavar="SHARE", help=what)
    what = "calls and raises before the flop that cfr-br leaves to opponents, as c,rrr, or none (default: the preset's)"
    solve.add_argument("--never", type=_lines, metavar="LINES", help=what)
    what = "how many rivers are sampled for a turn, with buckets (default: the preset's)"
    solve.add_argument("--rivers", type=flags.count, metavar="K", help=what)
    what = "how many iterations come before the average strategy begins, without buckets (default: 0)"
    solve.add_argument("--averaging-delay", type=flags.count_from_0, metavar="N", help=what)
    what = "with buckets, iterations that learn side by side: 8 for 8 to 32 cores; more learn slower (default: 1)"
    solve.add_argument("--batch", type=flags.count, metavar="B", help=what)
    what = "number type of tables; bfloat16 halves what buckets take (default: preset's; --lossless: int8 or float32)"
    solve.add_argument("--tables", choices=("float32", "bfloat16", "int8"), help=what)
    what = "be done after so many minutes, all included; of a resumed solve, those before, too"
    solve.add_argument("--minutes", type=flags.amount, metavar="M", help=what)
    what = "stop after so many iterations; of a resumed solve, those before, too"
    solve.add_argument("--iterations", type=flags.count, metavar="N", help=what)
    what = "stop at an exploitability in mbb/g; with buckets it is measured on flops, and the best strategy is kept"
    solve.add_argument("--target", dest="target_mbb", type=flags.amount, metavar="MBB", help=what)
    what = "how many flops of a sample say whether buckets are at their target (default: 100)"
    solve.add_argument("--target-flops", type=flags.count, metavar="N", help=what)
    what = f"default: all cores ({usable_cores()})"
    solve.add_argument("--threads", type=flags.threads, metavar="T", help=what)
    _add_stored(solve)
    solve.add_argument("--seed", type=flags.seed, metavar="S", help="of clusters and boards (default: 0)")
    solve.add_argument("--out", type=Path, metavar="FILE", help="strategy file to write (default: GAME.h5)")
    what = "continue a checkpoint as it was begun; what is said again about the end, threads or the file replaces that"
    solve.add_argument("--resume", type=Path, metavar="FILE", help=what)
    what = "replace an earlier file and its checkpoint, which else stay"
    solve.add_argument("--overwrite", action="store_true", help=what)
    _add_history(solve)
    _add_lossless(solve)
    _add_trunk(solve)
    solve.add_argument(
        "--dry-run", action="store_true", help="only forecast memory, disk and time, and whether it could begin"
    )
    flags.add_ray(solve, "with --lossless, ")
    flags.add_progress(solve)
    flags.add_json(solve)


def _add_stored(solve: argparse.ArgumentParser) -> None:
    """Add the flags that say how the file stores probabilities."""
    what = "store probabilities under P as 0 (default: the preset's with buckets, else 0)"
    solve.add_argument("--purge", type=flags.share, metavar="P", help=what)
    what = "the same under Q for what the last iteration does not play (default: the preset's, or P); alone, P is 0"
    solve.add_argument("--purge-unplayed", type=flags.share, metavar="Q", help=what)
    what = "store codebooks: rows that play alike on a line share it; with buckets a smaller file, hardly weaker"
    solve.add_argument("--compact", action=argparse.BooleanOptionalAction, help=what)
    what = "without buckets, number type of the file: bytes, or the probabilities as solved (default: bytes)"
    solve.add_argument("--store", choices=("bytes", "float32", "float64"), help=what)


def _add_history(solve: argparse.ArgumentParser) -> None:
    what = "without buckets, write exploitability after 1, 2, 4, 8, ... iterations; says if average or current strategy"
    solve.add_argument("--history", type=Path, metavar="x.csv", help=what)


def _add_lossless(solve: argparse.ArgumentParser) -> None:
    """Add the flags of solves beyond memory."""
    what = "solve without buckets, whatever the size: what memory does not hold lies on disk, with the same bits"
    solve.add_argument("--lossless", action="store_true", default=None, help=what)
    what = "with --lossless, the most memory in GB (default: four fifths of what is free)"
    solve.add_argument("--memory", dest="memory_gb", type=flags.amount, metavar="GB", help=what)
    what = "with --lossless, the folder for the tables that memory does not hold (default: that of the file)"
    solve.add_argument("--disk", type=Path, metavar="PATH", help=what)
    what = "with --lossless, a row of the last round is a hand, or a strength: small tables, not exact (default: hands)"
    solve.add_argument("--river-rows", choices=("strength", "hands"), help=what)
    what = "with --lossless, leave the last round out of the file (default: where it would be large)"
    solve.add_argument("--without-rivers", action=argparse.BooleanOptionalAction, help=what)
    what = "with --lossless --dry-run, forecast a cluster of N nodes with C cores each, as 20x64"
    solve.add_argument("--nodes", type=_nodes, metavar="NxC", help=what)
    what = "with --lossless --dry-run, what a node's disk reads and writes in a second (default: measured here)"
    solve.add_argument("--disk-gbs", type=flags.amount, metavar="GB", help=what)


def _add_trunk(solve: argparse.ArgumentParser) -> None:
    """Add the flags of a trunk: play before the flop, solved anew for a strategy."""
    trunk = solve.add_argument_group("a trunk, with --lossless: play before the flop solved anew for a strategy")
    what = "the strategy; the file has its play behind the trunk, and --never is its own unless said"
    trunk.add_argument("--blueprint", metavar="FILE", help=what)
    what = "solve on a stratified sample of flops; all others count by the control variate (default: all flops)"
    trunk.add_argument("--flops", type=flags.flops, metavar="N|all", help=what)
    what = "what its hands win on all flops, from cfr exploit --flop-values (default: those supplied with it)"
    trunk.add_argument("--control-variate", metavar="VALUES", help=what)


def _solve(options: argparse.Namespace) -> None:
    try:
        _solve_asked(options)
    except KeyboardInterrupt as stop:
        if str(stop) or options.dry_run:
            raise
        left = "nothing was kept" if options.resume is None else f"continue with: cfr solve --resume {options.resume}"
        raise Interrupted(f"stopped; {left}") from None


def _solve_asked(options: argparse.Namespace) -> None:
    from cfr.solver.forecast import make_forecast
    from cfr.solver.solve import check_start, solve
    from cfr.system.disk.files import check_writable

    settings, progress = _settings(options), flags.wants_progress(options)
    _check_has_effect(options, settings)
    if settings.lossless:
        _solve_lossless(options, settings, progress)
        return
    if options.nodes is not None or options.disk_gbs is not None:
        raise BadInputError("nodes: only --lossless --dry-run forecasts a cluster")
    if options.ray is not None:
        raise BadInputError("--ray: only solves with --lossless are spread over a cluster")
    if options.dry_run:
        expected = make_forecast(settings, progress)
        flags.show(options, asdict(expected), str(expected))
        with flags.says_refusals():
            check_start(settings)
        return
    check_writable(settings.out)
    result = solve(settings, progress, announce=lambda: print(make_forecast(settings, progress), file=sys.stderr))
    _show_result(options, settings, result)


def _solve_lossless(options: argparse.Namespace, settings: Settings, progress: bool) -> None:
    from cfr.solver.out_of_core.lossless_forecast import forecast_lossless
    from cfr.solver.solve import check_start, solve
    from cfr.system.cluster.cluster import Cluster
    from cfr.system.disk.files import check_writable

    if not options.dry_run:
        if options.nodes is not None or options.disk_gbs is not None:
            raise BadInputError("nodes: a forecast; say --dry-run, too")
        check_writable(settings.out)
    if options.ray is not None and options.nodes is not None:
        raise BadInputError("--nodes: --ray forecasts the cluster that it joins; leave one of them out")
    with nullcontext() if options.ray is None else Cluster(options.ray or None) as cluster:
        nodes = options.nodes or (1, settings.threads)
        if cluster is not None:
            cores = [int(cores) for _, cores in cluster.alive().values()]
            if not cores:
                raise BadInputError("--ray: no node of the cluster has cores yet; begin when some have joined")
            nodes = len(cores), min(cores)
        if options.dry_run:
            expected = forecast_lossless(settings, nodes, options.disk_gbs)
            flags.show(options, expected.facts(), str(expected))
            if options.nodes is None:  # which are other machines than this one
                with flags.says_refusals():
                    check_start(settings, cluster)
            return
        announce = lambda: print(forecast_lossless(settings, nodes), file=sys.stderr)  # noqa: E731
        _show_result(options, settings, solve(settings, progress, announce, cluster))


def _show_result(options: argparse.Namespace, settings: Settings, result: SolveResult) -> None:
    from cfr.game.hand_classes import NUM_HANDS

    text = str(result)
    if not options.json and settings.game.num_hands == NUM_HANDS:
        from cfr.strategy.files.stored import Strategy
        from cfr.study.text_chart import terminal

        with Strategy.open(settings.out) as strategy:
            text += f"\n\n{terminal(strategy, colour=flags.wants_colour())}"
    found = {key: getattr(result, key) for key in _KEYS}
    found |= {key: value for key in _MEASURES if (value := getattr(result, key)) is not None}
    flags.show(options, found, text)


def _settings(options: argparse.Namespace) -> Settings:
    from cfr.game.rules import Game
    from cfr.solver.checkpoint import resumed
    from cfr.solver.presets import PRESETS, PUBLISHED, TYPICAL, is_full_holdem, lossless_tables, needs_buckets
    from cfr.solver.settings import CHANGEABLE, IDENTITY, Settings, changed

    given = {name: getattr(options, name) for name in (*CHANGEABLE, "out") if getattr(options, name) is not None}
    if options.resume is not None:
        fixed = (*IDENTITY, "preset", "blueprint", *_OF_TRUNK)
        if again := [_flag(name) for name in fixed if getattr(options, name, None) is not None]:
            raise BadInputError(f"--resume takes what is solved and how from its file; leave out {', '.join(again)}")
        return replace(resumed(options.resume, **given), overwrite=options.overwrite, history=options.history)
    preset, game = PRESETS[options.preset or "quick"], Game.find(options.game or "hulhe")
    trunk = _trunk(options, game)
    if options.lossless and options.preset is not None:
        raise BadInputError("lossless: a solve without buckets; leave out --preset")
    wants_buckets = (options.preset is not None or needs_buckets(game)) and not options.lossless
    sized = preset.buckets_for(game) if wants_buckets else None
    buckets: Buckets = sized if options.buckets is None else None if options.buckets == "lossless" else options.buckets
    how = preset.fixed(game, buckets)
    if options.lossless:
        how["tables"] = lossless_tables(game)
    if options.schedule not in (None, CFR_BR.name) or trunk is not None:
        how["never"] = () if trunk is None else trunk.never
    how |= {name: value for name in IDENTITY if (value := getattr(options, name, None)) is not None}
    how |= {"game": game, "buckets": buckets, "trunk": trunk}
    usual = preset.usual(game, buckets, options.preset is not None or options.lossless)
    if options.lossless:
        usual_end = PUBLISHED if is_full_holdem(game) and trunk is None else TYPICAL
        usual = usual | {"iterations": usual_end[0], "minutes": None}
    asked = {"out": Path(f"{game.name}.h5"), **usual}
    how |= changed(asked, given, buckets)
    return Settings(**how, overwrite=options.overwrite, history=options.history)


def _trunk(options: argparse.Namespace, game: Game) -> Trunk | None:
    from cfr.solver.trunk.trunk import Trunk

    if options.blueprint is not None:
        for name in ("ray", "nodes"):
            if getattr(options, name) is not None:
                raise BadInputError(f"--{name}: a trunk is solved on one machine; leave it out")
        return Trunk.of(options.blueprint, options.flops, options.control_variate, game)
    for name in _OF_TRUNK:
        if getattr(options, name, None) is not None:
            raise BadInputError(f"{_flag(name)}: a trunk has it; say whose: --blueprint FILE")
    return None


def _flag(name: str) -> str:
    return "GAME" if name == "game" else f"--{name.replace('_', '-')}"


def _check_has_effect(options: argparse.Namespace, settings: Settings) -> None:
    """Refuse flags that this solve would ignore."""
    if options.warm_up is not None and not schedule_named(settings.schedule).responds:
        raise BadInputError(f"--warm-up: only schedule {CFR_BR.name} has a warm-up; leave it out")
    if options.target_flops is not None and (settings.buckets is None or settings.target_mbb is None):
        what = "with buckets a --target is measured on so many flops"
        raise BadInputError(f"--target-flops: {what}; {'add --target, or ' if settings.buckets else ''}leave it out")


def _lines(text: str) -> tuple[str, ...]:
    """Betting lines, or none of them."""
    return () if text == "none" else tuple(text.split(","))


def _nodes(text: str) -> tuple[int, int]:
    """Nodes and cores of each."""
    nodes, _, cores = text.partition("x")
    if not (nodes.isdecimal() and cores.isdecimal() and int(nodes) and int(cores)):
        raise argparse.ArgumentTypeError(f"{text!r}: expected nodes x cores of each, such as 20x64")
    return int(nodes), int(cores)


def _buckets(text: str) -> tuple[int | str, ...] | str:
    from cfr.solver.presets import parse_buckets

    try:
        return parse_buckets(text)
    except BadInputError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
