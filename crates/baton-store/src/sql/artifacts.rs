//! Artifacts in SQL. All of their rows are written by statements at once; how many references a task has stands in its own
//! row, which goes through the writer's memory as always.

use baton_core::{
    Alias, ArtifactHash, ArtifactName, ArtifactSource, MediaType, NetworkId, Principal, TaskId, UnixMillis,
};
use rusqlite::params;
use std::collections::BTreeSet;

use super::columns::{Row, get, parsed, time};
use super::rows::Rows;
use super::task_row::Task;
use crate::error::Error;
use crate::rows::{
    ArtifactReads, ArtifactRefRow, ArtifactRow, ArtifactStorage, ArtifactWrites, NewArtifact, NewArtifactRef,
    Page, PageBounds,
};

fn hash(row: &Row<'_>) -> Result<ArtifactHash, Error> {
    Ok(ArtifactHash::new(get(row, "sha256")?))
}

fn size(row: &Row<'_>) -> Result<u64, Error> {
    Ok(get::<i64>(row, "size")?.unsigned_abs())
}

fn name(row: &Row<'_>) -> Result<ArtifactName, Error> {
    parsed(row, "name", |text| ArtifactName::parse("name", text).ok())
}

fn media_type(row: &Row<'_>) -> Result<MediaType, Error> {
    parsed(row, "media_type", |text| MediaType::parse("media_type", text).ok())
}

fn artifact_row(row: &Row<'_>) -> Result<ArtifactRow, Error> {
    Ok(ArtifactRow {
        seq: get(row, "seq")?,
        hash: hash(row)?,
        size: size(row)?,
        object: get(row, "object")?,
        name: name(row)?,
        media_type: media_type(row)?,
        created_at: time(row, "created_at")?,
    })
}

fn ref_row(row: &Row<'_>) -> Result<ArtifactRefRow, Error> {
    let reference = NewArtifactRef {
        source: parsed(row, "source", ArtifactSource::parse)?,
        message: get(row, "message")?,
        event: get(row, "event")?,
        hash: hash(row)?,
        size: size(row)?,
        name: name(row)?,
        media_type: media_type(row)?,
        description: get(row, "description")?,
        artifact_id: get(row, "artifact_id")?,
        metadata: get(row, "metadata")?,
        part: get(row, "part")?,
        chunk: get(row, "chunk")?,
    };
    Ok(ArtifactRefRow { n: get(row, "n")?, reference })
}

/// Artifacts by their hashes, which are a JSON array of hex digits. The array is walked, and each is looked up.
const BY_HASH: &str = "SELECT a.* FROM json_each(?2) CROSS JOIN artifacts a
     WHERE a.network = ?1 AND a.sha256 = unhex(json_each.value)";

/// The same, of those that an agent may read.
const BY_HASH_FOR_AGENT: &str = "SELECT a.* FROM json_each(?2) CROSS JOIN artifacts a
     WHERE a.network = ?1 AND a.sha256 = unhex(json_each.value)
       AND (EXISTS (SELECT 1 FROM artifact_uploaders u
                    WHERE u.network = ?1 AND u.uploader_kind = 'node' AND u.uploader = ?3 AND u.artifact = a.seq)
         OR EXISTS (SELECT 1 FROM (SELECT DISTINCT task FROM artifact_refs
                                   WHERE network = ?1 AND sha256 = a.sha256 AND part IS NULL
                                   ORDER BY task DESC LIMIT ?4) refs_subquery
                        CROSS JOIN tasks t ON t.seq = task
                    WHERE t.to_name = ?3 OR (t.from_kind = 'node' AND t.from_name = ?3)))";

/// Sizes and numbers fit: a disk has fewer bytes.
fn stored(size: u64) -> i64 {
    i64::try_from(size).unwrap_or(i64::MAX)
}

impl ArtifactReads for Rows<'_> {
    fn artifact(&self, network: &NetworkId, hash: &ArtifactHash) -> Result<Option<ArtifactRow>, Error> {
        let sql = "SELECT * FROM artifacts WHERE network = ?1 AND sha256 = ?2";
        self.look_up(sql, params![self.key(network)?, hash.bytes()], artifact_row)
    }

    fn artifacts(
        &self,
        network: &NetworkId,
        uploader: Option<&Principal>,
        before: Option<i64>,
        bounds: PageBounds,
    ) -> Result<Page<ArtifactRow>, Error> {
        let (key, before) = (self.key(network)?, before.unwrap_or(i64::MAX));
        match uploader {
            None => {
                let sql =
                    "SELECT * FROM artifacts WHERE network = ?1 AND seq < ?2 ORDER BY seq DESC LIMIT ?3";
                let parameters = params![key, before, bounds.looked_at()];
                self.page(sql, parameters, bounds, artifact_row, |row| row.seq)
            }
            Some(uploader) => {
                let sql = "SELECT a.* FROM artifact_uploaders u JOIN artifacts a ON a.seq = u.artifact
                           WHERE u.network = ?1 AND u.uploader_kind = ?2 AND u.uploader = ?3 AND u.artifact < ?4
                           ORDER BY u.artifact DESC LIMIT ?5";
                let (kind, name) = (uploader.kind().as_str(), uploader.name());
                let parameters = params![key, kind, name, before, bounds.looked_at()];
                self.page(sql, parameters, bounds, artifact_row, |row| row.seq)
            }
        }
    }

    fn artifacts_by_hash(
        &self,
        network: &NetworkId,
        hashes: &[ArtifactHash],
        agent: Option<&Alias>,
        examined: usize,
    ) -> Result<Vec<ArtifactRow>, Error> {
        let wanted: BTreeSet<String> = hashes.iter().map(|hash| format!("\"{hash}\"")).collect();
        let wanted = format!("[{}]", wanted.into_iter().collect::<Vec<_>>().join(","));
        let key = self.key(network)?;
        match agent {
            None => self.look_up_all(BY_HASH, params![key, wanted], artifact_row),
            Some(alias) => {
                let parameters = params![key, wanted, alias.as_str(), examined as i64];
                self.all(BY_HASH_FOR_AGENT, parameters, artifact_row)
            }
        }
    }

    fn artifact_refs(&self, task: i64) -> Result<Vec<ArtifactRefRow>, Error> {
        self.all("SELECT * FROM artifact_refs WHERE task = ?1 ORDER BY n", [task], ref_row)
    }

    fn artifact_refs_bytes(&self, task: i64) -> Result<usize, Error> {
        let sql = "SELECT COALESCE(SUM(COALESCE(octet_length(part), 0) + COALESCE(octet_length(chunk), 0)
                       + COALESCE(octet_length(metadata), 0)), 0) AS bytes FROM artifact_refs WHERE task = ?1";
        let bytes = self.one(sql, [task], |row| get::<i64>(row, "bytes"))?.unwrap_or_default();
        Ok(usize::try_from(bytes).unwrap_or(usize::MAX))
    }

    fn newest_artifact_refs(
        &self,
        task: i64,
        before: Option<i64>,
        bounds: PageBounds,
    ) -> Result<Page<ArtifactRefRow>, Error> {
        let sql = "SELECT * FROM artifact_refs WHERE task = ?1 AND n < ?2 ORDER BY n DESC LIMIT ?3";
        let parameters = params![task, before.unwrap_or(i64::MAX), bounds.looked_at()];
        self.page(sql, parameters, bounds, ref_row, |row| row.n)
    }

    fn unused_objects(&self, now: UnixMillis, limit: usize) -> Result<Vec<String>, Error> {
        let sql = "SELECT object FROM unused_objects WHERE delete_after <= ?1 ORDER BY delete_after LIMIT ?2";
        self.all(sql, params![now.get(), limit as i64], |row| get(row, "object"))
    }

    fn has_unreferenced_artifacts(&self, before: UnixMillis) -> Result<bool, Error> {
        let sql = "SELECT 1 FROM artifacts WHERE refs = 0 AND touched_at < ?1 LIMIT 1";
        Ok(self.one(sql, [before.get()], |_| Ok(()))?.is_some())
    }

    fn artifact_place(&self) -> Result<Option<ArtifactStorage>, Error> {
        self.look_up("SELECT bucket FROM artifact_place WHERE one = 1", params![], |row| {
            Ok(get::<Option<String>>(row, "bucket")?.map_or(ArtifactStorage::Folder, ArtifactStorage::Bucket))
        })
    }
}

impl ArtifactWrites for Rows<'_> {
    fn begin_object(&mut self, object: &str, delete_after: UnixMillis) -> Result<(), Error> {
        let sql = "INSERT INTO unused_objects (object, delete_after) VALUES (?1, ?2)";
        self.execute_own(sql, params![object, delete_after.get()])?;
        Ok(())
    }

    fn put_artifact(&mut self, artifact: NewArtifact<'_>) -> Result<bool, Error> {
        let NewArtifact { network, hash, size, object, name, media_type, uploader, at } = artifact;
        let key = self.key_to_write(network)?;
        let known = self.artifact(network, &hash)?;
        let (seq, is_new) = match known {
            Some(known) => {
                let sql = "UPDATE artifacts SET name = ?1, media_type = ?2, touched_at = ?3 WHERE seq = ?4";
                self.execute_beside(
                    network,
                    sql,
                    params![name.as_str(), media_type.as_str(), at.get(), known.seq],
                )?;
                self.execute_beside(
                    network,
                    "UPDATE unused_objects SET delete_after = 0 WHERE object = ?1",
                    [object],
                )?;
                (known.seq, false)
            }
            None => {
                let sql = "DELETE FROM unused_objects WHERE object = ?1";
                if self.execute_beside(network, sql, [object])? != 1 {
                    return Err(Error::Corrupt(format!("the object {object} was not noted")));
                }
                let sql = "INSERT INTO artifacts (network, sha256, size, object, name, media_type, created_at, touched_at)
                           VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7) RETURNING seq";
                let (name, media_type) = (name.as_str(), media_type.as_str());
                let parameters = params![key, hash.bytes(), stored(size), object, name, media_type, at.get()];
                let seq =
                    self.execute_returning_beside(network, sql, parameters, |row| get::<i64>(row, "seq"))?;
                (seq.ok_or_else(|| Error::Corrupt("an artifact without a place".into()))?, true)
            }
        };
        let sql = "INSERT INTO artifact_uploaders (network, uploader_kind, uploader, artifact)
                   VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING";
        self.execute_beside(network, sql, params![key, uploader.kind().as_str(), uploader.name(), seq])?;
        Ok(is_new)
    }

    fn replace_object(&mut self, artifact: i64, object: &str) -> Result<(), Error> {
        let sql = "INSERT INTO unused_objects (object, delete_after) SELECT object, 0 FROM artifacts WHERE seq = ?1";
        self.execute(sql, [artifact])?;
        self.execute("DELETE FROM unused_objects WHERE object = ?1", [object])?;
        self.execute("UPDATE artifacts SET object = ?2 WHERE seq = ?1", params![artifact, object])?;
        Ok(())
    }

    fn add_artifact_refs(&mut self, task: &TaskId, refs: &[NewArtifactRef]) -> Result<i64, Error> {
        let before = self.known_task(task)?;
        if refs.is_empty() {
            return Ok(before.row.artifacts);
        }
        let sql = "INSERT INTO artifact_refs (task, n, network, source, message, event, sha256, size, name, media_type,
                       description, artifact_id, metadata, part, chunk)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)";
        let mut n = before.row.artifacts;
        for new in refs {
            n += 1;
            self.execute_in(
                &before.row.snapshot.network_id,
                sql,
                params![
                    before.row.seq,
                    n,
                    before.network,
                    new.source.as_str(),
                    new.message,
                    new.event,
                    new.hash.bytes(),
                    stored(new.size),
                    new.name.as_str(),
                    new.media_type.as_str(),
                    new.description,
                    new.artifact_id,
                    new.metadata,
                    new.part,
                    new.chunk,
                ],
            )?;
        }
        let mut after = Task::clone(&before);
        after.row.artifacts = n;
        self.change(|work| work.put_task(Some(before), after));
        Ok(n)
    }

    fn remove_unreferenced_artifacts(&mut self, before: UnixMillis, limit: usize) -> Result<usize, Error> {
        let sql = "DELETE FROM artifacts WHERE seq IN
                   (SELECT seq FROM artifacts WHERE refs = 0 AND touched_at < ?1 ORDER BY touched_at LIMIT ?2)";
        self.execute(sql, params![before.get(), limit as i64])
    }

    fn forget_object(&mut self, object: &str) -> Result<(), Error> {
        self.execute_own("DELETE FROM unused_objects WHERE object = ?1", [object])?;
        Ok(())
    }

    fn put_artifact_place(&mut self, place: &ArtifactStorage) -> Result<(), Error> {
        let bucket = match place {
            ArtifactStorage::Folder => None,
            ArtifactStorage::Bucket(bucket) => Some(bucket),
        };
        let sql = "INSERT INTO artifact_place (one, bucket) VALUES (1, ?1)
                   ON CONFLICT (one) DO UPDATE SET bucket = excluded.bucket";
        self.execute(sql, [bucket])?;
        Ok(())
    }
}
