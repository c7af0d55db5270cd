"""The synchronous client, by hand.

Made by generate.py from `_async/`; do not edit.
"""
