"""The steps of the schema in their order."""
