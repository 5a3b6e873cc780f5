"""Puts the ingest pipeline together and registers its jobs."""

from __future__ import annotations

from collections.abc import Mapping

from bot.bootstrap import Core
from ingest.adapters.paths import PathSource
from ingest.indexing import Indexer
from ingest.pipeline import LONG_JOB, Pipeline
from ingest.ports import Progress, Source
from ingest.publish import Publisher
from ingest.register import ANNOUNCE_JOB, INGEST_JOB

COMMAND_SOURCE = "command"
"""The source of documents that the command line adds."""

LOCAL_TEAM = "local"
"""The workspace of a data folder that has never been connected to Slack; the first one that is adopts its documents."""


def add_pipeline(core: Core, *, sources: Mapping[str, Source], progress: Progress) -> Pipeline:
    """Let the jobs of ``core`` read files from ``sources`` and from paths, and show how far they are."""
    pipeline = Pipeline(
        pool=core.pool,
        jobs=core.jobs,
        catalog=core.catalog,
        sources={COMMAND_SOURCE: PathSource(), **sources},
        objects=core.objects,
        parser=core.parser,
        indexer=Indexer(encoder=core.encoder, rows=core.vectors, full_text=core.full_text, grants=core.grants),
        publisher=Publisher(pool=core.pool, full_text=core.full_text, encoder=core.encoder.name, answers=core.living),
        progress=progress,
        scratch=core.database.folder.scratch,
        limits=core.limits,
    )
    core.jobs.add(INGEST_JOB, pipeline.run_short, queue="ingest", retries=5, gave_up=pipeline.gave_up)
    core.jobs.add(LONG_JOB, pipeline.run, queue="long", retries=5, gave_up=pipeline.gave_up)
    core.jobs.add(ANNOUNCE_JOB, pipeline.announce, queue="notices")
    return pipeline
