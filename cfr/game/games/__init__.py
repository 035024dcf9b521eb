"""The bundled games, in ACPC `.game` format."""
