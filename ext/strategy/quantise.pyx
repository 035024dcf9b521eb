"""Probabilities as bytes and remainders, node by node; the lines of a row go side by side."""

from libc.stdint cimport int8_t, int32_t, uint8_t

cdef enum:
    ACTIONS = 3
    LINES = 16  # at a time

cdef double ONE = 255  # stored probabilities of a node sum to this
cdef double PER_BYTE = 126  # parts of a 255th in a remainder
cdef double HALF_EVEN = 6755399441055744.0  # 1.5 * 2 ** 52: a sum with it is rounded to a whole number

ctypedef fused Sums:
    float
    double

cdef struct Node:  # of one row, on some lines
    int count, lines
    double[LINES] total
    double[LINES] missing
    double[ACTIONS][LINES] share  # in 255ths
    double[ACTIONS][LINES] whole  # the share, rounded
    double[ACTIONS][LINES] rest  # what rounding leaves out, in 126ths of a 255th


cdef inline void take_shares(Node *node) noexcept nogil:
    """Sums become shares in 255ths; uniform where all sums are 0."""
    cdef int a, n
    cdef double even = 1.0 / node.count
    for n in range(node.lines):
        node.total[n] = node.share[0][n] + node.share[1][n]
    if node.count == 3:
        for n in range(node.lines):
            node.total[n] += node.share[2][n]
    for a in range(node.count):
        for n in range(node.lines):
            node.share[a][n] /= node.total[n] if node.total[n] > 0 else 1
            node.share[a][n] = (node.share[a][n] if node.total[n] > 0 else even) * ONE


cdef inline void rank_two(Node *node, int first, int second) noexcept nogil:
    """The larger of two parts is rounded up first; ``rest`` counts the parts that come before, ``total`` is scratch."""
    cdef int n
    cdef double later
    for n in range(node.lines):
        later = 1 if node.share[first][n] - node.whole[first][n] < node.share[second][n] - node.whole[second][n] else 0
        node.rest[first][n] += later
        node.rest[second][n] += 1 - later


cdef inline void round_shares(Node *node) noexcept nogil:
    """Whole numbers that sum to 255, by largest remainders; ties go to the earlier action."""
    cdef int a, n
    for n in range(node.lines):
        node.missing[n] = ONE
    for a in range(node.count):
        for n in range(node.lines):
            node.whole[a][n] = <int32_t>node.share[a][n]
            node.missing[n] -= node.whole[a][n]
            node.rest[a][n] = 0
    rank_two(node, 0, 1)
    if node.count == 3:
        rank_two(node, 0, 2)
        rank_two(node, 1, 2)
    for a in range(node.count):
        for n in range(node.lines):
            node.whole[a][n] += 1 if node.rest[a][n] < node.missing[n] else 0


cdef inline void find_rests(Node *node) noexcept nogil:
    """What rounding leaves out; the likeliest action, the first of equal ones, takes what is too much."""
    cdef int a, n
    cdef double taken
    for n in range(node.lines):
        node.total[n] = node.missing[n] = 0
    for a in range(node.count):
        for n in range(node.lines):
            node.rest[a][n] = (node.share[a][n] - node.whole[a][n]) * PER_BYTE + HALF_EVEN - HALF_EVEN
            node.missing[n] += node.rest[a][n]
            node.total[n] = node.whole[a][n] if node.whole[a][n] > node.total[n] else node.total[n]
    for a in range(node.count):
        for n in range(node.lines):
            taken = node.missing[n] if node.whole[a][n] == node.total[n] else 0
            node.rest[a][n] -= taken
            node.missing[n] -= taken


def round_nodes(const Sums[:, :, :] sums, const int32_t[:, ::1] nodes, const int32_t[:, ::1] columns,
                const int32_t[::1] lines, uint8_t[:, :, ::1] stored, int8_t[:, :, ::1] left=None,
                Sums[:, :, :] exact=None):
    """Round strategies as ``cfr.strategy.files.quantise`` says.

    Args:
        sums: ``(rows, entries, lines)`` not negative.
        nodes: ``(nodes, 3)`` entry of each node's actions in ``sums``; -1 for an action without sums.
        columns: ``(nodes, 3)`` the same actions in ``stored``: one to three, then -1.
        lines: ``(lines,)`` the place of each line in ``stored``.
        stored: out, ``(rows, node_actions, all lines)`` bytes.
        left: out, remainders, shaped as ``stored``; or None.
        exact: out, bytes plus remainders in 255ths, shaped as ``sums`` and maybe the same memory; or None.
    """
    cdef Py_ssize_t row, begin, entry, column
    cdef int k, a, n
    cdef Node node
    cdef bint wants_left = left is not None, wants_exact = exact is not None
    with nogil:
        for row in range(sums.shape[0]):
            for k in range(nodes.shape[0]):
                node.count = 1 + (columns[k, 1] >= 0) + (columns[k, 2] >= 0)
                begin = 0
                while begin < sums.shape[2]:
                    node.lines = <int>min(sums.shape[2] - begin, LINES)
                    for a in range(node.count):
                        entry = nodes[k, a]
                        for n in range(node.lines):
                            node.share[a][n] = sums[row, entry, begin + n] if entry >= 0 else 0
                    if node.count == 1:
                        for n in range(node.lines):
                            node.whole[0][n], node.rest[0][n] = ONE, 0
                    else:
                        take_shares(&node)
                        round_shares(&node)
                    for a in range(node.count):
                        column = columns[k, a]
                        for n in range(node.lines):
                            stored[row, column, lines[begin + n]] = <uint8_t>node.whole[a][n]
                    if (wants_left or wants_exact) and node.count > 1:
                        find_rests(&node)
                    for a in range(node.count):
                        entry, column = nodes[k, a], columns[k, a]
                        if wants_left:
                            for n in range(node.lines):
                                left[row, column, lines[begin + n]] = <int8_t>node.rest[a][n]
                        if wants_exact and entry >= 0:
                            for n in range(node.lines):
                                exact[row, entry, begin + n] = <Sums>(node.whole[a][n] + node.rest[a][n] / PER_BYTE)
                    begin += LINES
