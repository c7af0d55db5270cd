//! Sessions and completions in SQL.

use baton_core::access::TaskReach;
use baton_core::{Alias, NetworkId, TaskId, TokenId, UnixMillis};
use rusqlite::{Row, params};

use super::columns::{get, parsed, time};
use super::rows::Rows;
use super::tasks::merge_newest;
use crate::error::Error;
use crate::rows::{CompletionRow, NewCompletion, SessionHead, SessionReads, SessionRow, SessionWrites};

fn session_row(row: &Row<'_>) -> Result<SessionRow, Error> {
    Ok(SessionRow {
        network_id: parsed(row, "network_id", NetworkId::parse)?,
        alias: parsed(row, "alias", |text| Alias::parse(text).ok())?,
        token_id: parsed(row, "token_id", TokenId::parse)?,
        resume_id: get(row, "resume_id")?,
        status: get(row, "status")?,
        server: get(row, "server")?,
        hostname: get(row, "hostname")?,
        agent: get(row, "agent")?,
        project_dir: get(row, "project_dir")?,
        version: get(row, "version")?,
        task: get(row, "task")?,
        output: get(row, "output")?,
        progress: get(row, "progress")?,
        score: get(row, "score")?,
        node_id: get(row, "node_id")?,
        session_id: get(row, "session_id")?,
        model: get(row, "model")?,
        description: get(row, "description")?,
        skills: get(row, "skills")?,
        registered_at: time(row, "registered_at")?,
        updated_at: time(row, "updated_at")?,
        last_seen_at: time(row, "last_seen_at")?,
    })
}

fn completion_row(row: &Row<'_>) -> Result<CompletionRow, Error> {
    Ok(CompletionRow {
        id: get(row, "id")?,
        number: get(row, "number")?,
        network_id: parsed(row, "network_id", NetworkId::parse)?,
        session_name: get(row, "session_name")?,
        task: get(row, "task")?,
        result: get(row, "result")?,
        artifacts: get(row, "artifacts")?,
        score: get(row, "score")?,
        duration_minutes: get(row, "duration_minutes")?,
        completed_at: time(row, "completed_at")?,
    })
}

impl SessionReads for Rows<'_> {
    fn session(&self, network: &NetworkId, alias: &Alias) -> Result<Option<SessionRow>, Error> {
        let sql = "SELECT * FROM sessions WHERE network_id = ?1 AND alias = ?2";
        self.one(sql, params![network.as_str(), alias.as_str()], session_row)
    }

    fn sessions(
        &self,
        network: &NetworkId,
        after: Option<&Alias>,
        limit: usize,
    ) -> Result<Vec<SessionRow>, Error> {
        let sql = "SELECT * FROM sessions WHERE network_id = ?1 AND alias > ?2 ORDER BY alias LIMIT ?3";
        let after = after.map_or("", Alias::as_str);
        self.all(sql, params![network.as_str(), after, limit as i64], session_row)
    }

    fn session_heads(
        &self,
        network: &NetworkId,
        after: Option<&Alias>,
        limit: usize,
    ) -> Result<Vec<SessionHead>, Error> {
        let sql = "SELECT alias, server, status, last_seen_at FROM sessions
                   WHERE network_id = ?1 AND alias > ?2 ORDER BY alias LIMIT ?3";
        let after = after.map_or("", Alias::as_str);
        self.all(sql, params![network.as_str(), after, limit as i64], |row| {
            Ok(SessionHead {
                alias: parsed(row, "alias", |text| Alias::parse(text).ok())?,
                server: get(row, "server")?,
                status: get(row, "status")?,
                last_seen_at: time(row, "last_seen_at")?,
            })
        })
    }

    fn completions(
        &self,
        networks: &[(NetworkId, TaskReach)],
        session: Option<&str>,
        since: UnixMillis,
        limit: usize,
    ) -> Result<Vec<CompletionRow>, Error> {
        let mut pages = Vec::new();
        for (network, reach) in networks {
            // A node sees its own completions and those of tasks it sent.
            let (own, name) = match reach {
                TaskReach::Network => ("", ""),
                TaskReach::Own(alias) => (
                    "AND (c.session_name = ?5 OR EXISTS (SELECT 1 FROM tasks t WHERE t.task_id = c.task_id
                          AND t.from_name = ?5 AND t.from_kind = 'node'))",
                    alias.as_str(),
                ),
            };
            let sql = format!(
                "SELECT c.* FROM completions c WHERE c.network_id = ?1 AND c.completed_at >= ?2
                   AND (?3 IS NULL OR c.session_name = ?3) AND ?5 = ?5 {own}
                 ORDER BY c.completed_at DESC, c.id DESC LIMIT ?4"
            );
            let parameters = params![network.as_str(), since.get(), session, limit as i64, name];
            pages.push(self.all(&sql, parameters, completion_row)?);
        }
        Ok(merge_newest(pages, |row| row.id, limit))
    }

    fn artifacts_of(
        &self,
        network: &NetworkId,
        task: &TaskId,
        completed_at: UnixMillis,
    ) -> Result<Option<String>, Error> {
        // A completion is written at the time it ends its task, which is what the index leads by.
        let sql =
            "SELECT artifacts FROM completions WHERE network_id = ?1 AND completed_at = ?2 AND task_id = ?3";
        let parameters = params![network.as_str(), completed_at.get(), task.as_str()];
        Ok(self.one(sql, parameters, |row| get::<Option<String>>(row, "artifacts"))?.flatten())
    }
}

impl SessionWrites for Rows<'_> {
    fn put_session(&mut self, session: &SessionRow) -> Result<(), Error> {
        self.execute(
            "INSERT OR REPLACE INTO sessions (network_id, alias, token_id, resume_id, status, server, hostname, agent,
                project_dir, version, task, output, progress, score, node_id, session_id, model, registered_at,
                updated_at, last_seen_at, description, skills)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22)",
            params![
                session.network_id.as_str(),
                session.alias.as_str(),
                session.token_id.as_str(),
                session.resume_id,
                session.status,
                session.server,
                session.hostname,
                session.agent,
                session.project_dir,
                session.version,
                session.task,
                session.output,
                session.progress,
                session.score,
                session.node_id,
                session.session_id,
                session.model,
                session.registered_at.get(),
                session.updated_at.get(),
                session.last_seen_at.get(),
                session.description,
                session.skills,
            ],
        )?;
        Ok(())
    }

    fn see_sessions(&mut self, seen: &[(TokenId, UnixMillis)]) -> Result<(), Error> {
        for (token, at) in seen {
            let sql = "UPDATE sessions SET last_seen_at = MAX(last_seen_at, ?2) WHERE token_id = ?1";
            self.execute(sql, params![token.as_str(), at.get()])?;
        }
        Ok(())
    }

    fn insert_completion(&mut self, completion: NewCompletion<'_>) -> Result<i64, Error> {
        let sql = "UPDATE networks SET completions_numbered = completions_numbered + 1 WHERE network_id = ?1
                   RETURNING completions_numbered AS number";
        let number = self.one(sql, [completion.network_id.as_str()], |row| get::<i64>(row, "number"))?;
        let number = number.ok_or_else(|| Error::Corrupt("a completion without a network".into()))?;
        self.execute(
            "INSERT INTO completions (network_id, session_name, task_id, task, result, artifacts, score,
                duration_minutes, completed_at, number)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            params![
                completion.network_id.as_str(),
                completion.session_name,
                completion.task_id.as_str(),
                completion.task,
                completion.result,
                completion.artifacts,
                completion.score,
                completion.duration_minutes,
                completion.at.get(),
                number,
            ],
        )?;
        Ok(number)
    }
}
