"""The traversal kernel for Python: gives arrays to ``kernel.h``, which defines a traversal.

Built once per x86-64 feature level and type of numbers; each build has ``LANES`` betting lines to a vector of ``real``.
"""

from cpython.buffer cimport (
    PyBUF_C_CONTIGUOUS, PyBUF_FORMAT, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer,
)
from libc.stdint cimport int16_t, int32_t, uint32_t
from libc.string cimport memcpy, memset, strcmp
from kernel cimport *

import numpy as np

LANES = CFR_LANES
MODES = {"update": UPDATE, "meet": MEET, "respond": RESPOND, "average": AVERAGE, "best": BEST, "measure": MEASURE}

cdef str REAL = "f" if sizeof(real) == 4 else "d"
cdef bytes REAL_FORMAT = REAL.encode()
cdef dict NUMBERS = {"H": BFLOAT16, "b": INT8, "B": UINT8} if sizeof(real) == 4 else {}
cdef dict FORMATS = {PLAIN: REAL_FORMAT, BFLOAT16: b"H", INT8: b"b", UINT8: b"B"}


cdef list names_of(const array_field *fields):
    """Names of a deal's arrays, for attribute look-ups."""
    cdef list names = []
    while fields[len(names)].name != NULL:
        names.append((<bytes>fields[len(names)].name).decode())
    return names


cdef list BOARD_NAMES = names_of(BOARD_FIELDS)
cdef list CLASS_NAMES = names_of(CLASS_FIELDS)
cdef list SHOWDOWN_NAMES = names_of(SHOWDOWN_FIELDS)


cdef void *data_of(array, const char *format, bint writable=False) except NULL:
    """The address of an array's numbers. The array must be C-contiguous and of this type, and outlive the pointer."""
    cdef Py_buffer view
    PyObject_GetBuffer(array, &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (PyBUF_WRITABLE if writable else 0))
    try:
        if strcmp(view.format, format) != 0:
            raise ValueError(f"an array of {format.decode()!r}, not {view.format.decode()!r}, is wanted")
        return view.buf
    finally:
        PyBuffer_Release(&view)


cdef void read_fields(boards *target, source, const array_field *fields, list names) except *:
    """Point a structure's members at the arrays in the attributes of ``source``."""
    cdef int i
    for i in range(len(names)):
        (<void **>(<char *>target + fields[i].offset))[0] = data_of(getattr(source, names[i]), fields[i].format)


cdef void read_boards(boards *target, source) except *:
    memset(target, 0, sizeof(boards))
    read_fields(target, source, BOARD_FIELDS, BOARD_NAMES)
    if source.classes is not None:
        read_fields(target, source, CLASS_FIELDS, CLASS_NAMES)
    if source.showdowns is not None:
        read_fields(target, source.showdowns, SHOWDOWN_FIELDS, SHOWDOWN_NAMES)


cdef bint is_sampled(deal, int first) except -1:
    """Whether one board follows each, up to the last round, whose boards may be several."""
    cdef int last = len(deal.rounds) - 1
    return first == 0 and deal.rounds[last].classes is None and len({len(deal.rounds[r].live) for r in range(last)}) < 2


cdef class Prepared:
    """A traversal with all its input, made by ``Traversal.prepare``.

    Attributes:
        values: ``(blocks, hands, LANES)`` counterfactual values of the last run; in mode ``measure`` ``(blocks,
            2 * hands, LANES)``, first values of the best response, then values of the own plan. The next run overwrites
            these values.
    """

    cdef traversal t
    cdef readonly object values
    cdef list owners  # of the memory behind the pointers
    cdef batch_board *boards  # of a batch; NULL where there can be none

    def __cinit__(self):
        self.owners = []
        self.boards = NULL

    cdef void *_table(self, table, number_type numbers) except NULL:
        self.owners.append(table)
        return data_of(table, FORMATS[numbers], True)

    def run(self, int root=0, double weight=1, double keep_positive=1, double keep_negative=0, double step=1,
            uint32_t seed=0):
        """Traverse from board ``root`` of the first round.

        Args:
            root: the board.
            weight: weight of this iteration in the average strategy.
            keep_positive, keep_negative: factors on regrets of this sign after a row's update.
            step: factor on all values and on the regrets that are added; not on the average.
            seed: seed of the rounding of tables of bfloat16 or int8.
        """
        self._set(weight, keep_positive, keep_negative, step, seed)
        with nogil:
            traverse(&self.t, root, step)

    def run_batch(self, visits, bint traced=False):
        """Traverse from several boards of the first round, side by side: see ``batch.h``. ``values`` are the last board's.

        Args:
            visits: of each board, in order, the arguments of ``run``. Factors on regrets are 1 or 0, since a row of
                several boards is multiplied once for each of them.
            traced: measure the tasks' processor time.

        Returns:
            With ``traced``, ``(all tasks,)`` float64 seconds, step by step, and ``(steps,)`` int32 tasks of each; else
            None.
        """
        cdef batch all
        cdef int i, root
        cdef double step
        cdef double[::1] seconds
        cdef int32_t[::1] tasks
        all.boards, all.count = self.boards, len(visits)
        if self.boards == NULL or not 0 < all.count <= self.t.w.batch:
            raise ValueError(f"a batch of {all.count} boards: there is room for {self.t.w.batch if self.boards else 0}")
        for i, (root, weight, keep_positive, keep_negative, step, seed) in enumerate(visits):
            if not {keep_positive, keep_negative} <= {0.0, 1.0}:
                raise ValueError(f"a batch keeps regrets or drops them: factors {keep_positive}, {keep_negative}")
            self._set(weight, keep_positive, keep_negative, step, seed)
            begin_board(&all.boards[i], &self.t, root, step)
        all.trace.seconds, all.trace.steps = NULL, 0
        if traced:
            seconds = np.zeros(tasks_of_batch(&self.t.w))
            tasks = np.zeros(3 * self.t.w.rounds, np.int32)
            all.trace.seconds, all.trace.tasks = &seconds[0], &tasks[0]
        with nogil:
            traverse_batch(&all)
        memcpy(self.t.value, all.boards[all.count - 1].value, self.values.nbytes)
        if traced:
            return np.asarray(seconds), np.asarray(tasks)[: all.trace.steps]

    cdef void _set(self, double weight, double keep_positive, double keep_negative, double step, uint32_t seed) except *:
        self.t.weight = <real>(weight / step)  # values and the average share the scale
        self.t.seed = seed
        self.t.keep_positive = <real>keep_positive
        self.t.keep_negative = <real>keep_negative


cdef class Traversal:
    """The kernel for one game: its tree, and scratch memory for ``threads`` threads.

    Args:
        tree: a ``cfr.kernel.tree.Tree`` laid out for ``LANES`` lanes; only its arrays are read.
        cards: ``(hands, hole)`` int16 card codes of every hand.
        threads: number of threads of a traversal.
        ends: the most last-round boards of a root on which a traversal in mode ``respond`` can remember choices.
        batch: the most boards of a batch.
    """

    cdef workspace w
    cdef arena memory
    cdef batch_board *boards

    def __cinit__(self, tree, cards, int threads, int ends=1, int batch=1):
        cdef int r, s
        cdef betting *round_
        self.w.rounds = len(tree.rounds)
        self.w.hands, self.w.hole = cards.shape
        self.w.threads = threads
        self.w.ends = ends
        self.w.batch = batch
        self.boards = NULL
        if self.w.rounds > MAX_ROUNDS or self.w.hands > MAX_HANDS or threads < 1 or batch < 1:
            raise ValueError(f"cannot traverse {self.w.rounds} rounds of {self.w.hands} hands with {threads} threads")
        self.w.first_card = cards.min()
        self.w.cards = <const int16_t *>self._copy(cards, "h")
        self.w.tree = <betting *>self._take(self.w.rounds, sizeof(betting))
        for r in range(self.w.rounds):
            source = tree.rounds[r]
            round_ = &self.w.tree[r]
            round_.blocks = source.stride // CFR_LANES
            round_.leaves = source.leaves
            round_.width = source.width
            round_.ids = <const lane_words *>self._copy(source.lane_ids, "I" if sizeof(real) == 4 else "L")
            round_.lines = self._ints(source.block_lines)
            round_.child = self._ints(source.child)
            round_.children = self._ints(source.children)
            for s in range(2):
                self._read_seat(&round_.seats[s], source.seats[s])
        if not make_frames(&self.w, &self.memory):
            raise MemoryError("the traversal's scratch")

    def __dealloc__(self):
        release(&self.memory)

    cdef void _read_seat(self, seat_view *seat, source) except *:
        seat.nodes = len(source.node_first)
        seat.sequences = source.sequences
        seat.shows = len(source.show_traverser)
        seat.fold_count = len(source.folds)
        seat.skipped = 0 if 0 in source.show_traverser or 0 in source.folds else 1
        if seat.sequences > MAX_SEQUENCES:
            raise ValueError(f"a round with {seat.sequences} sequences is too large for the kernel")
        seat.node_parent = self._ints(source.node_parent)
        seat.node_first = self._ints(source.node_first)
        seat.node_count = self._ints(source.node_count)
        seat.node_call = self._ints(source.node_call)
        seat.show_traverser = self._ints(source.show_traverser)
        seat.show_opponent = self._ints(source.show_opponent)
        seat.show_chips = <const vec *>self._copy(source.show_chips, REAL)
        seat.folds = self._ints(source.folds)
        seat.fold_opponent = self._ints(source.fold_opponent)
        seat.fold_chips = <const vec *>self._copy(source.fold_chips, REAL)
        seat.leaf_traverser = self._ints(source.leaf_traverser)
        seat.leaf_opponent = self._ints(source.leaf_opponent)
        seat.order = order_of(seat)
        seat.shape = shape_of(seat) if self.w.hole == 2 else ANY_SHAPE

    cdef void *_take(self, size_t count, size_t size) except NULL:
        """Zeroed scratch memory, never empty."""
        cdef void *memory = take(&self.memory, count, size)
        if memory == NULL:
            raise MemoryError(f"{count * size} bytes for the traversal's scratch")
        return memory

    cdef void *_copy(self, values, str dtype) except NULL:
        """The numbers of any array, in scratch memory."""
        array = np.ascontiguousarray(values, dtype)
        cdef size_t size = array.nbytes
        return memcpy(self._take(size, 1), data_of(array, dtype.encode()), size)

    cdef const int32_t *_ints(self, values) except NULL:
        return <const int32_t *>self._copy(values, "i")

    def prepare(self, deal, tables, reach, int seat, str mode, int first=0):
        """A traversal of these boards and tables; see ``cfr.kernel.traversal`` for the checked, typed entrance.

        Args:
            deal: per round, ``rounds`` are ``cfr.kernel.chance.Boards``. ``root_scale`` is the factor on values; it
                includes the probability of the root's boards. ``disjoint`` is whether no two boards of a round share a
                row: threads can then update boards side by side.
            tables: per round, ``sources`` are the two seats' tables ``(rows, blocks, node-actions, LANES)`` of
                ``real``, or all of them bfloat16 (uint16) or int8; modes that update need the traverser's regrets and
                change them in place. ``averages`` and ``accumulated`` are the traverser's average strategy and separate
                accumulated regrets, or None. ``planned`` is whether the tables hold realisation plans
                (``cfr.kernel.tree.Tree.plan``). ``piece`` is None, or which of the second round's boards these are:
                see ``cfr.kernel.traversal.Piece``.
            reach: ``(2, blocks, hands, LANES)`` reach of each seat at the root, in the blocks of round ``first``.
            seat: the traverser.
            mode: one of ``MODES``.
            first: the round to start from; earlier rounds are not read.
        """
        cdef Prepared prepared = Prepared.__new__(Prepared)
        cdef traversal *t = &prepared.t
        cdef int r, s
        cdef number_type sums
        t.mode = MODES[mode]
        t.seat = seat
        t.first_round = first
        t.width = 2 * self.w.hands if t.mode == MEASURE else self.w.hands
        t.disjoint = deal.disjoint
        t.planned = tables.planned
        t.scale = deal.root_scale
        if t.mode == MEET or t.mode == RESPOND:
            self._remember(t, deal)
        t.w = self.w
        for r in range(first, self.w.rounds):
            read_boards(&t.deal[r], deal.rounds[r])
            t.numbers[r] = NUMBERS.get(tables.sources[r][0].dtype.char, PLAIN)
            for s in range(2):
                t.source[r][s] = prepared._table(tables.sources[r][s], t.numbers[r])
            sums = UINT8 if t.numbers[r] == INT8 else t.numbers[r]
            if tables.averages is not None and tables.averages[r] is not None:
                t.average[r] = prepared._table(tables.averages[r], sums)
            if tables.accumulated is not None:
                t.accumulated[r] = prepared._table(tables.accumulated[r], sums)
        if tables.piece is not None:
            self._read_piece(prepared, tables.piece)
        self._read_reach(prepared, reach)
        learns = t.mode in (UPDATE, MEET, RESPOND)
        if learns and is_sampled(deal, first) and tables.piece is None and tables.accumulated is None:
            prepared.boards = self._batch_boards()
        prepared.owners += (self, reach, *deal.rounds)
        return prepared

    cdef void _remember(self, traversal *t, deal) except *:
        t.ends = deal.rounds[self.w.rounds - 1].live.shape[0] // deal.rounds[t.first_round].live.shape[0]
        if t.ends > self.w.ends:
            raise ValueError(f"choices on {self.w.ends} last boards are remembered, of {t.ends}")
        t.ends *= self.w.batch
        if not make_choices(&self.w, &self.memory):
            raise MemoryError("the choices of a last round")

    cdef batch_board *_batch_boards(self) except? NULL:
        """Scratch for a batch, taken on first use; NULL if batches have one board."""
        if self.w.batch > 1 and self.boards == NULL:
            self.boards = make_batch(&self.w, &self.memory)
            if self.boards == NULL:
                raise MemoryError(f"the scratch for a batch of {self.w.batch} boards")
        return self.boards

    cdef void _read_piece(self, Prepared prepared, piece) except *:
        cdef traversal *t = &prepared.t
        cdef int r
        if piece.carried.shape != (self.w.tree[t.first_round + 1].blocks, t.width, CFR_LANES):
            raise ValueError(f"carried values of shape {piece.carried.shape}")
        prepared.owners.append(piece.carried)
        t.carried = <vec *>data_of(piece.carried, REAL_FORMAT, True)
        t.goes_on = not piece.is_last
        for r in range(self.w.rounds):
            t.first_row[r] = piece.first_rows[r]

    cdef void _read_reach(self, Prepared prepared, reach) except *:
        cdef traversal *t = &prepared.t
        cdef int blocks = self.w.tree[t.first_round].blocks
        cdef const vec *vectors = <const vec *>data_of(reach, REAL_FORMAT)
        if reach.shape != (2, blocks, self.w.hands, CFR_LANES):
            raise ValueError(f"reach of shape {reach.shape}")
        prepared.values = np.zeros((blocks, t.width, CFR_LANES), REAL)
        t.traverser_reach = vectors + t.seat * blocks * self.w.hands
        t.opponent_reach = vectors + (1 - t.seat) * blocks * self.w.hands
        t.value = <vec *>data_of(prepared.values, REAL_FORMAT, True)
