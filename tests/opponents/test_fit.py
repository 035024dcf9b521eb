"""Fits: known tilts are found again, the blueprint has no leak, and what the data cannot say is the prior's."""

import numpy as np
import pytest

from benchmarks.opponents.models import hands_of
from cfr.exploit.exploitability import exploitability
from cfr.opponents import situation
from cfr.opponents.evidence import gather
from cfr.opponents.fit import Prior, fit, laplace, most_likely, shared_variance
from cfr.opponents.leak import find
from cfr.opponents.model import FEWEST, model_of, with_worth
from cfr.opponents.tilt import Tilt
from cfr.opponents.tilted import Tilted
from tests.thorough import thorough


def leaning(leduc, **changes):
    """A player with intercepts of fold and raise everywhere."""
    tilt = Tilt(np.zeros((situation.count(leduc.game), 2, 4)), 0.02)
    for place, value in changes.items():
        tilt.parameters[:, {"fold": 0, "raise_": 1}[place], 0] = value
    return Tilted(leduc, tilt)


@pytest.mark.parametrize(
    "changes",
    [
        *thorough({"fold": -1.5}),
        {"raise_": 1.2},
        *(pytest.param(each, marks=pytest.mark.slow) for each in ({"fold": 1.5}, {"raise_": -1.5})),
    ],
    ids=str,
)
def test_known_tilts_are_found_again(leduc, changes):
    player = leaning(leduc, **changes)
    hands = hands_of(player, leduc, 3000, 7)
    found = model_of(hands, "ann", leduc, "leduc").fit
    assert found is not None
    assert found.beats_blueprint
    [(name, value)] = changes.items()
    column = {"fold": 0, "raise_": 1}[name]
    facing = [k for k in range(situation.count(leduc.game)) if situation.parts(k)[2] == 1]
    got = found.tilt.parameters[facing, column, 0].mean()
    assert np.sign(got) == np.sign(value)
    assert abs(got) > 0.4 * abs(value)


def test_errors_cover_the_truth(leduc):
    """Parameters drawn by the prior: the fitted ones come within their errors of them."""
    rng, situations = np.random.default_rng(3), situation.count(leduc.game)
    half = np.linalg.cholesky(shared_variance(leduc.game.num_rounds))
    prior = Prior(0.8, 0.1)
    true = (half @ rng.normal(size=(situations, 8)) * prior.of_parameters).reshape(situations, 2, 4)
    player = Tilted(leduc, Tilt(true, 0.02))
    evidence = gather(hands_of(player, leduc, 4000, 11), "ann", player)
    fitted = most_likely(evidence, 0.02, prior, np.zeros_like(true))
    errors = np.sqrt(np.diag(laplace(evidence, Tilt(fitted, 0.02), prior)))
    off = (fitted - true).ravel() / errors
    assert np.mean(off**2) < 2
    assert np.mean(off**2) > 0.3
    assert errors.min() < 0.2 < errors.max() <= 0.8 * 1.01  # some directions are the data's, others the prior's


@pytest.mark.parametrize(("logs", "clean_at_least"), [(2, 2), pytest.param(20, 19, marks=pytest.mark.slow)])
def test_the_blueprint_has_no_leak(leduc, logs, clean_at_least):
    """Of 20 logs at most one says so; the first of them do not."""
    clean = 0
    for seed in range(logs):
        found = model_of(hands_of(leduc, leduc, 300, seed), "ann", leduc, "leduc")
        clean += found.strategy.tilt.is_none
        assert bool(found.leaks) == (not found.strategy.tilt.is_none)
    assert clean >= clean_at_least


def test_few_hands_are_the_prior(leduc, tmp_path):
    found = model_of(hands_of(leaning(leduc, fold=2.0), leduc, FEWEST - 5, 1), "ann", leduc, "leduc")
    assert found.fit is None
    assert found.strategy.tilt.is_none
    assert "the model is the prior, leduc itself" in str(found)


def test_the_share_of_the_work_is_told(leduc, tmp_path):
    hands, learnt, written = hands_of(leaning(leduc, fold=-3.0), leduc, 200, 7), [], []
    model_of(hands, "ann", leduc, "leduc", hears=learnt.append).save(tmp_path / "x.h5", written.append)
    for shares in (learnt, written):
        assert shares == sorted(shares)
        assert shares[-1] == 1
    assert len(learnt) > 20

    def leaves(share):
        raise InterruptedError

    with pytest.raises(InterruptedError):
        model_of(hands, "ann", leduc, "leduc", hears=leaves)


@pytest.mark.thorough
def test_leaks_are_told_with_frequency_and_interval(leduc):
    player = leaning(leduc, fold=-3.0)
    hands = hands_of(player, leduc, 3000, 7)
    found = model_of(hands, "ann", leduc, "leduc")
    assert found.leaks
    folds = [each for each in found.leaks if each.action == "fold" and not each.part]
    assert folds
    for each in folds:
        assert each.frequency < each.blueprint
        assert each.interval_95 < abs(each.frequency - each.blueprint)
        assert each.does == "folds"
    text = str(found)
    assert "no leak found" not in text
    assert str(found.leaks[0]) in text
    facing = [each for each in found.leaks if each.action == "call"]
    assert {each.does for each in facing} <= {"calls", "checks"}
    told = gather(hands, "ann", Tilted(leduc, Tilt.none(leduc.game)), unseen=True)
    every, half = (find(told, found.fit, leduc.game, played) for played in (1.0, 0.5))
    assert [each.per_100_hands for each in half] == pytest.approx([each.per_100_hands / 2 for each in every])


@pytest.mark.thorough
def test_a_leak_is_worth_what_a_best_response_wins_more(leduc):
    hands = hands_of(leaning(leduc, fold=-3.0), leduc, 1500, 7)
    plain = model_of(hands, "ann", leduc, "leduc")
    found = with_worth(plain, 1, None)
    first, tilt = found.leaks[0], plain.strategy.tilt
    alone, nowhere = (
        exploitability(Tilted(leduc, each)).exploitability_mbb
        for each in (tilt.only(first.situation), Tilt(np.zeros_like(tilt.parameters), tilt.floor))
    )
    assert first.worth_mbb == pytest.approx(alone - nowhere)
    assert first.worth_mbb > 0
    assert f"worth +{first.worth_mbb:.1f} mbb/g" in str(found)
    assert all((each.worth_mbb is None) == (each.situation != first.situation) for each in found.leaks)


@pytest.mark.thorough
def test_leaks_need_evidence(leduc):
    """Frequencies of the blueprint's own play differ from the blueprint's by less than their intervals."""
    evidence = gather(hands_of(leduc, leduc, 800, 2), "ann", Tilted(leduc, Tilt.none(leduc.game)))
    found = fit(evidence, situation.count(leduc.game))
    told = gather(hands_of(leduc, leduc, 300, 2), "ann", Tilted(leduc, Tilt.none(leduc.game)), unseen=True)
    assert len(find(told, found, leduc.game)) <= 3
