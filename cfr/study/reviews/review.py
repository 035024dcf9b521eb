"""Reviews: what a strategy would have done at each decision of a log, and what another action cost."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cfr.formats.collection import Collection
from cfr.formats.skipped import Omissions
from cfr.strategy.strategy import BaseStrategy
from cfr.study.reviews.hand_database import Choice
from cfr.study.reviews.losses import Announce, with_losses
from cfr.study.reviews.luck import without_luck
from cfr.study.reviews.reviewed import Review, Reviewed
from cfr.system.errors import BadInputError, Interrupted
from cfr.system.text import counted


class ReviewStopped(Interrupted):
    """Ctrl-C during a review; ``review`` has the hands that were done by then."""

    def __init__(self, review: Review, hands: int) -> None:
        super().__init__(f"stopped after {review.hands:,} of {counted(hands, 'hand')}")
        self.review = review


def review(
    log: str | Path | Sequence[str | Path],
    strategy: BaseStrategy,
    *,
    player: str | None = None,
    ev: bool = True,
    threads: int = 1,
    announce: Announce | None = None,
    progress: bool = False,
    choice: Choice | None = None,
) -> Review:
    """Compare the decisions of a log with a strategy's.

    Args:
        log: a file, a folder with all its files, ``-`` for standard input, or several of these; a hand in several files
            counts once.
        strategy: a file or a built-in.
        player: whose decisions, and hands; default, everybody's.
        ev: compute the loss of EV of each decision, where there are EVs, and results without the luck of the cards; a
            flop's EVs take a second.
        threads: how many spots are computed at a time; the result does not depend on it.
        announce: hears how much there is to compute, and after the first spots how long that takes.
        progress: show a bar on stderr meanwhile.
        choice: which hands and decisions; default, all. What it leaves out by day, round and line is not computed.

    Raises:
        CfrError: as :meth:`cfr.formats.collection.Collection.read`, or as the strategy; BadInputError as
            :meth:`cfr.study.reviews.reviewed.Reviewed.of`.
        ReviewStopped: Ctrl-C while EVs are computed.
    """
    omissions = Omissions()
    logs = Collection([log] if isinstance(log, str | Path) else log)
    logged = logs.hands(strategy.betting, omissions, progress=progress)
    name = str(logs.files[0]) if len(logs.files) == 1 else f"{len(logs.files):,} files"
    reviewed = Reviewed.of(logged, strategy, player, name, omissions, choice)
    if not reviewed.logged and omissions.skipped:
        raise BadInputError(f"{name}: no hand is read: {omissions.summary()}")
    if ev:
        strategy.hold_tables()  # a flop reads all of the later rounds
        found = with_losses(reviewed.decisions, strategy, threads, announce, progress)
        done, hands = reviewed.summed_up(found), len(reviewed.logged)
        if done.hands < hands:
            raise ReviewStopped(done, hands)
        try:
            return reviewed.summed_up(found, without_luck(reviewed.logged, strategy))
        except KeyboardInterrupt:
            raise ReviewStopped(done, hands) from None
    return reviewed.summed_up(reviewed.decisions)
