"""Clustering: the nearest centroid exactly, order and seed of the clusters, and their classes."""

import sys
from importlib.metadata import PackageNotFoundError

import numpy as np
import pytest
from sklearn.cluster import KMeans

from cfr._native import features as _features
from cfr.abstraction.abstraction import Abstraction
from cfr.abstraction.deck import Deck
from cfr.abstraction.kmeans import CentroidTree, classes_of, cluster
from cfr.abstraction.opponents import standard_features
from cfr.game.rules import Game
from cfr.system.errors import CfrError
from tests.abstraction.random_boards import deal

FULL = Deck()
FEATURES = standard_features(FULL)
HULHE = Game.bundled("hulhe")


def points(rng, count, dims):
    return rng.integers(0, 1024, size=(count, dims)).astype(np.uint16)


def nearest(centroids, point):
    return ((centroids.astype(int) - point.astype(int)) ** 2).sum(axis=1).argmin()


@pytest.mark.parametrize("dims", [1, 8, 11, 16])
def test_assignment_is_the_nearest_centroid_of_the_nearest_group(dims):
    rng = np.random.default_rng(dims)
    tree = cluster(points(rng, 3000, dims), 200, seed=1)
    asked = points(rng, 500, dims)
    labels = tree.assign(asked)
    for point, label in zip(asked, labels, strict=True):
        group = nearest(tree.coarse, point)
        inside = slice(tree.offsets[group], tree.offsets[group + 1])
        assert tree.labels[inside][nearest(tree.fine[inside], point)] == label
    for level in range(3):  # every instruction set
        again = np.empty(500, np.int32)
        _features.nearest(asked, *tree._packed, level, again)
        np.testing.assert_array_equal(again, labels)


def test_ties_and_extremes_are_exact():
    fine = np.array([[0] * 16, [1023] * 16, [1023] * 16, [0] * 15 + [1]], np.int16)
    tree = CentroidTree(fine[:1], fine, np.array([0, 4], np.int32), np.arange(4, dtype=np.int32))
    asked = np.array([[0] * 16, [1023] * 16, [0] * 15 + [1], [1023] * 15 + [1022]], np.uint16)
    for level in range(3):
        labels = np.empty(4, np.int32)
        _features.nearest(asked, *tree._packed, level, labels)
        assert labels.tolist() == [0, 1, 3, 1]


def test_clusters_are_ordered_complete_and_determined_by_the_seed():
    rng = np.random.default_rng(5)
    data = points(rng, 4000, 8)
    tree = cluster(data, 100, seed=7)
    assert tree.size == 100
    sums = tree.fine.sum(axis=1)
    assert (np.diff(sums[np.argsort(tree.labels)]) >= 0).all()
    assert len(np.unique(tree.assign(data))) == 100
    same, other = cluster(data, 100, seed=7), cluster(data, 100, seed=8)
    for field in CentroidTree.FIELDS:
        np.testing.assert_array_equal(getattr(tree, field), getattr(same, field))
    assert not np.array_equal(tree.fine, other.fine)


def test_two_levels_lose_little_to_one():
    rng = np.random.default_rng(2)
    features = FEATURES.shares(deal(rng, 30, 5))
    data = features[features.any(axis=2)]
    tree = cluster(data, 144, seed=0)
    centroids = tree.fine[np.argsort(tree.labels)][tree.assign(data)]
    loss = ((centroids.astype(float) - data) ** 2).sum()
    flat = KMeans(144, n_init=1, random_state=0).fit(data.astype(np.float32))
    assert loss < 1.2 * flat.inertia_


def test_fewer_distinct_points_than_clusters():
    data = np.repeat(np.array([[1, 2], [500, 3], [1000, 1000]], np.uint16), 20, axis=0)
    tree = cluster(data, 50, seed=0)
    assert tree.size == 3
    assert sorted(np.unique(tree.assign(data))) == [0, 1, 2]


def test_classes_are_of_similar_clusters_by_strength():
    tree = cluster(points(np.random.default_rng(2), 3000, 4), 200, seed=1)
    classes = classes_of(tree, 6, seed=1)
    assert classes.dtype == np.uint16
    assert classes.shape == (200,)
    centroids = np.empty(tree.fine.shape)
    centroids[tree.labels] = tree.fine
    means = np.array([centroids[classes == each].mean(axis=0) for each in range(6)])
    assert (np.diff(means.sum(axis=1)) > 0).all()
    distance = ((centroids[:, None] - means) ** 2).sum(axis=2)
    assert (distance.argmin(axis=1) == classes).mean() > 0.99  # k-means stops just before all are
    np.testing.assert_array_equal(classes, classes_of(tree, 6, seed=1))
    assert len(set(classes_of(tree, 1000, seed=1).tolist())) == 200


def test_missing_scikit_learn_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "sklearn.cluster", None)
    with pytest.raises(CfrError, match="scikit-learn, which is missing: pip install scikit-learn"):
        cluster(np.zeros((5, 2), np.uint16), 2, seed=0)

    def missing(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr("importlib.metadata.version", missing)
    with pytest.raises(CfrError, match="scikit-learn, which is missing: pip install scikit-learn"):
        Abstraction.build(HULHE, (5, 5, 5), cache_dir=tmp_path)


def test_centroids_that_do_not_fit_are_refused():
    fine = np.zeros((2, 8), np.int16)
    offsets, labels = np.array([0, 2], np.int32), np.array([0, 1], np.int32)
    CentroidTree(fine[:1], fine, offsets, labels)
    for wrong in (
        (fine[:1, :4], fine, offsets, labels),
        (fine[:1], fine.astype(np.int32), offsets, labels),
        (fine[:1], fine - 1, offsets, labels),
        (fine[:1], fine + 1024, offsets, labels),
        (fine[:1], fine, offsets + 1, labels),
        (fine[:1], fine, offsets, labels[::-1] * 2),
        (fine, fine, np.array([0, 0, 2], np.int32), labels),
        (fine[0], fine, offsets, labels),
    ):
        with pytest.raises(ValueError, match="fit together"):
            CentroidTree(*wrong)
