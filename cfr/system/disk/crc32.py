"""CRC-32 of bytes, by the fastest of what is installed."""

try:
    from isal.isal_zlib import crc32  # the extra [disk]: the same numbers, six times as fast
except ImportError:
    from zlib import crc32

__all__ = ["crc32"]
