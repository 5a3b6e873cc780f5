"""Puts the ingest pipeline together and registers its job."""

from __future__ import annotations

from collections.abc import Mapping

from bot.bootstrap import Core
from ingest.adapters.paths import PathSource
from ingest.indexing import Indexer
from ingest.pipeline import Pipeline
from ingest.ports import Progress, Source
from ingest.publish import Publisher
from ingest.register import INGEST_JOB

COMMAND_SOURCE = "command"
"""The source of documents that the command line adds."""

LOCAL_TEAM = "local"
"""The workspace of a data folder that has never been connected to Slack; the first one that is adopts its documents."""


def add_pipeline(core: Core, *, sources: Mapping[str, Source], progress: Progress) -> Pipeline:
    """Let the jobs of ``core`` read files from ``sources`` and from paths, and show how far they are."""
    pipeline = Pipeline(
        pool=core.pool,
        catalog=core.catalog,
        sources={COMMAND_SOURCE: PathSource(), **sources},
        objects=core.objects,
        parser=core.parser,
        indexer=Indexer(encoder=core.encoder, rows=core.vectors, full_text=core.full_text, grants=core.grants),
        publisher=Publisher(pool=core.pool, full_text=core.full_text, encoder=core.encoder.name),
        progress=progress,
        scratch=core.database.folder.scratch,
        limits=core.limits,
    )
    core.jobs.add(INGEST_JOB, pipeline.run, queue="ingest", retries=5, gave_up=pipeline.gave_up)
    return pipeline
