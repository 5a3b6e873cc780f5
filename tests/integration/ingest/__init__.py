"""Ingestion on real stores."""
