"""Realisation plans that codebooks share, laid out in the blocks of a table."""

from libc.stdint cimport int64_t
from libc.string cimport memset

ctypedef fused Number:
    float
    double


def lay_out(const Number[:, ::1] entries, const int64_t[:, :] codes, const int64_t[::1] blocks,
            const int64_t[::1] lanes, Number[:, :, :, ::1] table):
    """Write each row's entry on each line where the line lies; padding becomes 0.

    Args:
        entries: ``(entries, columns)`` plans, each at one line.
        codes: ``(rows, lines)`` number of each row's entry, checked.
        blocks, lanes: ``(lines,)`` place of each line.
        table: out, ``(rows, blocks, columns, width)``.
    """
    cdef Py_ssize_t row, line, column, columns = table.shape[2], width = table.shape[3]
    cdef Py_ssize_t size = table.shape[1] * columns * width * sizeof(Number)
    cdef const Number *entry
    cdef Number *out
    with nogil:
        for row in range(table.shape[0]):
            memset(&table[row, 0, 0, 0], 0, size)
            for line in range(codes.shape[1]):
                entry = &entries[codes[row, line], 0]
                out = &table[row, blocks[line], 0, lanes[line]]
                for column in range(columns):
                    out[column * width] = entry[column]
