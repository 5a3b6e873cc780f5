"""What stands behind ingestion's ports."""
