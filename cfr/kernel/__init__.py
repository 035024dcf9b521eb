"""The traversal of the public tree: its program, its boards, the front of the native kernel, and the slow plain twin.

The kernel knows no file, no settings and no schedule by name.
"""
