"""Draws of a model: as the fit's covariance says, kept in its file, and what strategies win from them."""

import json

import numpy as np
import pytest

from benchmarks.opponents.models import hands_of
from cfr.exploit.head_to_head import value_against
from cfr.opponents import draws
from cfr.opponents.draws import MOST, drawn, draws_of
from cfr.opponents.fit import Fit, Prior
from cfr.opponents.model import model_of
from cfr.opponents.tilt import Tilt
from cfr.opponents.tilted import Tilted
from cfr.opponents.trade import Point, measured
from cfr.strategy.files.stored import Strategy
from cfr.system.errors import BadInputError


@pytest.mark.thorough
def test_they_scatter_as_the_fit_is_unsure(monkeypatch):
    rng = np.random.default_rng(1)
    parameters = rng.normal(0, 1, (3, 2, 4))
    roots = rng.normal(0, 0.3, (24, 24))
    covariance = roots @ roots.T
    errors = np.sqrt(np.diag(covariance)).reshape(parameters.shape)
    monkeypatch.setattr(draws, "MOST", 20_000)
    fit = Fit(Tilt(parameters, 0.1), errors, covariance, Prior(0.3, 1.0), 1.0, 1.0)
    found = np.array(json.loads(drawn(fit)))
    assert found.mean(axis=0) == pytest.approx(parameters, abs=0.05)
    assert np.cov(found.reshape(len(found), -1).T) == pytest.approx(covariance, abs=0.15)
    assert drawn(fit) == drawn(fit)


@pytest.fixture(scope="module")
def model(leduc, tmp_path_factory):
    path, tilt = tmp_path_factory.mktemp("model") / "ann.h5", Tilt(Tilt.none(leduc.game).parameters, 0.02)
    tilt.parameters[:, 0, 0] = -1.5
    model_of(hands_of(Tilted(leduc, tilt), leduc, 400, 1), "ann", leduc, "leduc").save(path)
    with Strategy.open(path) as strategy:
        yield strategy


def test_wins_have_an_interval(model, leduc):
    kept = draws_of(model, leduc, None, None)
    assert len(kept) == MOST  # Leduc is measured at once
    point = measured(0.0, leduc, model, None, draws=kept)
    wins = np.sort([value_against(leduc, each).mbb_per_game for each in kept])
    assert wins[1] <= point.win_10_mbb <= wins[2] < wins[-3] <= point.win_90_mbb <= wins[-2]
    assert wins[0] < point.win_mbb < wins[-1]
    assert "in 80 % of its draws)" in str(point)
    plain = measured(0.0, leduc, model, None)
    assert (plain.win_10_mbb, plain.win_mbb, plain.exploitability_mbb) == (
        None,
        point.win_mbb,
        point.exploitability_mbb,
    )
    assert Point.both_in({"counter_confidence": 0.0} | point.attributes(point)) == (plain, point)
    assert Point.both_in({"counter_confidence": 0.0} | plain.attributes(plain)) == (plain, plain)


def test_the_first_draws_are_the_same(model, leduc, monkeypatch):
    some = draws_of(model, leduc, 3, None)
    every = draws_of(model, leduc, MOST, None)
    assert [each.identity for each in some] == [each.identity for each in every[:3]]
    assert len({each.identity["tilt"] for each in every}) == MOST
    monkeypatch.setattr(draws, "_QUICK_SECONDS", 0.0)
    assert draws_of(model, leduc, None, None) == []
    with pytest.raises(BadInputError, match="the model has 20 draws, not 21"):
        draws_of(model, leduc, MOST + 1, None)


def test_a_model_that_is_the_blueprint_has_none(leduc, tmp_path):
    model_of(hands_of(leduc, leduc, 60, 1), "ann", leduc, "leduc").save(tmp_path / "x.h5")
    with Strategy.open(tmp_path / "x.h5") as model:
        assert draws_of(model, leduc, None, None) == []
        with pytest.raises(BadInputError, match="the model has 0 draws, not 1"):
            draws_of(model, leduc, 1, None)
