"""k-means in two levels: placing a point among n clusters looks at about 2 * sqrt(n) centroids.

The coarse level splits the points into groups, the fine level splits each group. A point belongs to the
nearest fine centroid inside the group of the nearest coarse centroid. Features and centroids are integers of
at most ``FEATURE_SCALE``, so distances are exact: one point and a million points on any number of threads
get the same labels.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cfr._native import features as _features
from cfr.system.errors import CfrError

FEATURE_SCALE = 1023
MISSING_EXTRA = "building a card abstraction needs scikit-learn, which is missing: pip install scikit-learn"
MAX_DIMENSIONS = 16
WIDEST = 2
_LANES = 16
_LAYOUT: list[tuple[Any, int]] = [(np.int16, 2), (np.int16, 2), (np.int32, 1), (np.int32, 1)]
# Half of a squared norm is below 2**23, so a filler with this value is never the nearest.
_NEVER = np.float32(2.0**26)
_COARSE_POINTS_PER_CLUSTER = 500


@dataclass(frozen=True)
class CentroidTree:
    """Centroids of both levels and the label of each fine one.

    ``coarse`` is (G, D) int16; ``fine`` (B, D) int16, group after group; ``offsets`` (G + 1,) int32: group
    ``g`` owns ``fine[offsets[g]:offsets[g + 1]]``, never empty; ``labels`` (B,) int32: a permutation of
    0..B-1.
    """

    coarse: NDArray[np.int16]
    fine: NDArray[np.int16]
    offsets: NDArray[np.int32]
    labels: NDArray[np.int32]

    FIELDS: ClassVar[tuple[str, ...]] = ("coarse", "fine", "offsets", "labels")

    def __post_init__(self) -> None:
        """Raise ValueError for arrays that do not fit together."""
        coarse, fine, offsets, labels = self.coarse, self.fine, self.offsets, self.labels
        arrays = (coarse, fine, offsets, labels)
        fit = (
            [(array.dtype, array.ndim) for array in arrays] == _LAYOUT
            and coarse.shape[1] == fine.shape[1] <= MAX_DIMENSIONS
            and len(offsets) == len(coarse) + 1 > 1
            and (np.diff(offsets) > 0).all()
            and offsets[0] == 0
            and offsets[-1] == len(fine)
            and np.array_equal(np.sort(labels), np.arange(len(fine)))
            and min(coarse.min(), fine.min()) >= 0
            and max(coarse.max(), fine.max()) <= FEATURE_SCALE
        )
        if not fit:
            raise ValueError("centroids that do not fit together")

    @property
    def size(self) -> int:
        """The number of clusters B."""
        return len(self.fine)

    @cached_property
    def _packed(
        self,
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.int32], NDArray[np.int32]]:
        """Coarse blocks, fine blocks, first fine block of each group (G + 1,), label of each fine lane."""
        sizes = np.diff(self.offsets)
        num_blocks = -(-sizes // _LANES)
        first_block = np.concatenate([[0], np.cumsum(num_blocks)]).astype(np.int32)
        group = np.repeat(np.arange(len(sizes)), sizes)
        lane = first_block[group] * _LANES + np.arange(len(self.fine)) - self.offsets[group]
        labels = np.zeros(first_block[-1] * _LANES, np.int32)
        labels[lane] = self.labels
        coarse = _blocks(self.coarse, np.arange(len(self.coarse)), -(-len(self.coarse) // _LANES))
        return coarse, _blocks(self.fine, lane, int(first_block[-1])), first_block, labels

    def assign(self, features: NDArray[np.uint16]) -> NDArray[np.int32]:
        """The labels (n,) of the clusters of ``features`` (n, D); the lowest position wins a tie."""
        labels = np.empty(len(features), np.int32)
        _features.nearest(np.ascontiguousarray(features), *self._packed, WIDEST, labels)
        return labels

    def assign_boards(
        self,
        features: NDArray[np.uint16],
        boards: NDArray[np.uint8],
        hands: NDArray[np.uint8],
        threads: int,
        labels: NDArray[np.int32],
    ) -> None:
        """Write the ``labels`` (n, H) of the ``features`` (n, H, D) of ``hands`` (H, 2) on ``boards`` (n, b).

        A hand that collides with its board gets -1.
        """
        _features.place(features, boards, hands, *self._packed, WIDEST, threads, labels)


def _blocks(centroids: NDArray[np.int16], lane: NDArray[np.integer], num_blocks: int) -> NDArray[np.float32]:
    """Blocks (num_blocks, 1 + D, 16): half the squared norms, then the coordinates, as in ``nearest.h``."""
    dims = centroids.shape[1]
    flat = np.zeros((num_blocks * _LANES, 1 + dims), np.float32)
    flat[:, 0] = _NEVER
    flat[lane, 1:] = centroids
    flat[lane, 0] = (centroids.astype(np.int64) ** 2).sum(axis=1) / 2
    return np.ascontiguousarray(flat.reshape(num_blocks, _LANES, 1 + dims).transpose(0, 2, 1))


def cluster(points: NDArray[np.uint16], num_clusters: int, seed: int) -> CentroidTree:
    """Cluster ``points`` (n, D), integers of at most 1023 with D <= 16, into ``num_clusters`` clusters or fewer.

    There are fewer clusters only if there are fewer distinct points. Labels ascend with the sum of a centroid's
    coordinates. One thread computes the sums in one order, so the tree is the same every time. Raises
    :class:`CfrError` if scikit-learn is missing.
    """
    estimator, threadpool_limits = _scikit_learn()
    rng = np.random.default_rng(seed)

    def k_means(data: NDArray[np.float32], count: int, state: int) -> NDArray[np.int16]:
        fit: Any = estimator(count, n_init=1, max_iter=30, tol=1e-3, random_state=state, copy_x=False).fit(data)
        centroids: NDArray[np.int16] = np.rint(fit.cluster_centers_).astype(np.int16)
        return centroids

    data = points.astype(np.float32)
    num_groups = min(max(1, round(num_clusters**0.5)), len(np.unique(points, axis=0)))
    chosen = rng.permutation(len(data))[: _COARSE_POINTS_PER_CLUSTER * num_groups]
    with threadpool_limits(1):
        coarse = np.unique(k_means(data[chosen], num_groups, int(rng.integers(2**31))), axis=0)
        used, group = np.unique(_single_level(coarse).assign(points), return_inverse=True)
        coarse = coarse[used]  # drops centroids that are nearest to no point
        members = [data[group == g] for g in range(len(coarse))]
        counts = _share_out(num_clusters, members)
        states = rng.integers(2**31, size=len(coarse)).tolist()
        fine = [k_means(*arguments) for arguments in zip(members, counts, states, strict=True)]
    offsets = np.concatenate([[0], np.cumsum([len(part) for part in fine])]).astype(np.int32)
    centroids = np.concatenate(fine)
    labels = np.empty(len(centroids), np.int32)
    labels[np.argsort(centroids.sum(axis=1, dtype=np.int64), kind="stable")] = np.arange(len(centroids))
    return CentroidTree(coarse, centroids, offsets, labels)


def classes_of(tree: CentroidTree, count: int, seed: int) -> NDArray[np.uint16]:
    """The class (B,) of each cluster of a tree: one of ``count`` classes of similar centroids, in ascending strength.

    There are fewer classes only if there are fewer clusters. Raises :class:`CfrError` if scikit-learn is missing.
    """
    centroids = np.empty(tree.fine.shape, np.float32)
    centroids[tree.labels] = tree.fine
    return ranked_clusters(centroids, min(count, len(np.unique(tree.fine, axis=0))), seed)


def ranked_clusters(
    points: NDArray[Any], count: int, seed: int, weights: NDArray[Any] | None = None
) -> NDArray[np.uint16]:
    """The cluster (n,) of each of a few ``points`` (n, D), by plain k-means; clusters ascend in the sum of their mean.

    Points weigh alike, or by ``weights`` (n,). Raises :class:`CfrError` if scikit-learn is missing.
    """
    estimator, threadpool_limits = _scikit_learn()
    with threadpool_limits(1):
        fit: Any = estimator(min(count, len(points)), n_init=4, random_state=seed).fit(points, sample_weight=weights)
    rank = np.argsort(np.argsort(fit.cluster_centers_.sum(axis=1, dtype=np.float64), kind="stable"))
    clusters: NDArray[np.uint16] = rank[fit.labels_].astype(np.uint16)
    return clusters


def library_versions() -> tuple[str, str]:
    """What clusters depend on besides the points; raises :class:`CfrError` if scikit-learn is missing."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return np.__version__, version("scikit-learn")
    except PackageNotFoundError:
        raise CfrError(MISSING_EXTRA) from None


def _scikit_learn() -> tuple[Any, Any]:
    """scikit-learn's k-means and its limit of threads; raises :class:`CfrError` if the library is missing."""
    try:
        from sklearn.cluster import KMeans
        from threadpoolctl import threadpool_limits
    except ImportError:
        raise CfrError(MISSING_EXTRA) from None
    return KMeans, threadpool_limits


def _single_level(centroids: NDArray[np.int16]) -> CentroidTree:
    """A tree of one group whose labels are the positions in ``centroids``."""
    count = len(centroids)
    offsets = np.array([0, count], np.int32)
    return CentroidTree(centroids[:1], centroids, offsets, np.arange(count, dtype=np.int32))


def _share_out(num_clusters: int, members: list[NDArray[np.float32]]) -> list[int]:
    """How many of ``num_clusters`` each group gets: at least one, at most its number of distinct points.

    Shares are proportional to the square root of mass times scatter, near the optimum of high-resolution
    quantisation (Gersho and Gray 1992, chapter 10: the power is D / (D + 2), where D counts the few dimensions
    that the points fill).
    """
    scatter = np.array([((part - part.mean(axis=0)) ** 2).sum(dtype=np.float64) for part in members])
    limits = np.array([len(np.unique(part, axis=0)) for part in members])
    shares = np.sqrt(scatter)
    counts = np.ones(len(members), np.int64)
    for _ in range(min(num_clusters, int(limits.sum())) - len(members)):
        counts[np.argmax(np.where(counts < limits, (shares + 1e-9) / counts, -1.0))] += 1
    return [int(count) for count in counts]
