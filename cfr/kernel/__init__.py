"""The traversal of the public tree: its layout, its boards, the front of the native kernel, and a slow plain reference.

The kernel knows no file, no settings and no schedule by name.
"""
