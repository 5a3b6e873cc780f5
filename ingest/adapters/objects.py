"""Original files in an object store by obstore: a local folder today, S3 by another constructor argument."""

from __future__ import annotations

from pathlib import Path

import obstore
from obstore.store import LocalStore, ObjectStore


class StoredObjects:
    """``ingest.ports.Objects`` over an obstore store. Writes are atomic: a killed one leaves no partial object."""

    def __init__(self, *, store: ObjectStore) -> None:
        self._store = store

    @classmethod
    def in_folder(cls, folder: Path) -> StoredObjects:
        """Keep objects as files below an existing folder."""
        return cls(store=LocalStore(prefix=folder))

    async def put(self, key: str, path: Path) -> None:
        """Store the file's bytes under ``key``."""
        await obstore.put_async(self._store, key, path)

    async def fetch(self, key: str, to: Path) -> None:
        """Write the object to the new file ``to``; raises FileNotFoundError."""
        found = await obstore.get_async(self._store, key)
        with to.open("xb") as target:
            async for block in found.stream(min_chunk_size=1024 * 1024):
                target.write(block)

    async def delete(self, key: str) -> None:
        """Remove the object; one that is not there is fine."""
        try:
            await obstore.delete_async(self._store, key)
        except FileNotFoundError:
            return
