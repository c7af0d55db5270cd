"""The version of this library; pyproject.toml reads it here."""

VERSION = "0.1.0"
