//! Sessions and completions in SQL.

use baton_core::access::TaskReach;
use baton_core::{Alias, NetworkId, PrincipalKind, TaskId, TokenId, UnixMillis, limits};
use rusqlite::params;
use std::sync::LazyLock;

use super::columns::{Row, get, parsed, time};
use super::merge::{Fetch, Merge};
use super::rows::Rows;
use super::task_row::listed;
use crate::error::Error;
use crate::rows::{
    CompletionFilter, CompletionPosition, CompletionRow, NewCompletion, Page, SessionReads, SessionRow,
    SessionSummaryRow, SessionWrites,
};

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

/// A completion as a list shows it.
fn completion() -> &'static str {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        let task = listed("task", limits::LISTED_TEXT_MAX_CHARS);
        let result = listed("result", limits::LISTED_RESULT_MAX_CHARS);
        format!(
            "SELECT id, number, network_id, session_name, {task} AS task, {result} AS result, artifacts, score,
                duration_minutes, completed_at
             FROM completions WHERE id = ?1"
        )
    });
    &SQL
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

/// What every overview of sessions reads; one index has all of it, so that texts are not read.
const GLANCE: &str = "
    SELECT s.alias, s.status, s.server, s.last_seen_at,
           COALESCE((SELECT c.leases FROM inbox_counts c WHERE c.network_id = s.network_id AND c.to_kind = 'node'
                     AND c.to_name = s.alias), 0) > 0 AS holds_lease
    FROM sessions s INDEXED BY sessions_at_a_glance";

fn glance_row(row: &Row<'_>) -> Result<SessionSummaryRow, Error> {
    Ok(SessionSummaryRow {
        alias: parsed(row, "alias", |text| Alias::parse(text).ok())?,
        status: get(row, "status")?,
        server: get(row, "server")?,
        last_seen_at: time(row, "last_seen_at")?,
        holds_lease: get(row, "holds_lease")?,
    })
}

impl Rows<'_> {
    /// The completions of a network, newest first. A node sees its own and those of tasks it sent.
    fn completions_of<'a>(
        &'a self,
        network: &'a NetworkId,
        reach: &'a TaskReach,
        filter: &'a CompletionFilter,
    ) -> Fetch<'a, CompletionPosition> {
        let (own, name) = match reach {
            TaskReach::Network => ("TRUE", ""),
            TaskReach::Own(alias) => (
                "c.session_name = ?7 OR EXISTS (SELECT 1 FROM tasks t WHERE t.task_id = c.task_id
                     AND t.from_name = ?7 AND t.from_kind = 'node')",
                alias.as_str(),
            ),
        };
        let sql = format!(
            "SELECT c.completed_at, c.id, (CAST(?6 AS TEXT) IS NULL OR c.session_name = ?6) AND ({own}) AS is_meant
             FROM completions c
             WHERE c.network_id = ?1 AND c.completed_at >= ?2 AND (c.completed_at, c.id) < (?3, ?4) AND ?7 = ?7
             ORDER BY c.completed_at DESC, c.id DESC LIMIT ?5"
        );
        let (since, session) = (filter.since.get(), filter.session.as_deref());
        Box::new(move |(completed_at, id), most| {
            let parameters = params![network.as_str(), since, completed_at, id, most as i64, session, name];
            self.all(&sql, parameters, |row| {
                Ok(((get(row, "completed_at")?, get(row, "id")?), get(row, "is_meant")?))
            })
        })
    }
}

impl SessionReads for Rows<'_> {
    fn session(&self, network: &NetworkId, alias: &Alias) -> Result<Option<SessionRow>, Error> {
        let sql = "SELECT * FROM sessions WHERE network_id = ?1 AND alias = ?2";
        self.one(sql, params![network.as_str(), alias.as_str()], session_row)
    }

    fn session_glance(&self, network: &NetworkId, alias: &Alias) -> Result<Option<SessionSummaryRow>, Error> {
        self.reach(network)?;
        let look = || {
            let sql = format!("{GLANCE} WHERE s.network_id = ?1 AND s.alias = ?2");
            self.look_up(&sql, params![network.as_str(), alias.as_str()], glance_row)
        };
        let session = self.recall(
            |known| known.networks.get(network)?.accounts.sessions.get(alias).cloned(),
            look,
            |known, session| {
                known.network(network).accounts.sessions.insert(alias.clone(), session);
            },
        )?;
        // Its leases may have changed since.
        let holds_lease = self.recipient(network, PrincipalKind::Node, alias.as_str())?.leases > 0;
        Ok(session.map(|session| SessionSummaryRow { holds_lease, ..session }))
    }

    fn session_glances(
        &self,
        network: &NetworkId,
        after: Option<&Alias>,
        limit: usize,
    ) -> Result<Vec<SessionSummaryRow>, Error> {
        let sql = format!("{GLANCE} WHERE s.network_id = ?1 AND s.alias > ?2 ORDER BY s.alias LIMIT ?3");
        let after = after.map_or("", Alias::as_str);
        self.all(&sql, params![network.as_str(), after, limit as i64], glance_row)
    }

    fn completions(
        &self,
        filter: &CompletionFilter,
    ) -> Result<Page<CompletionRow, CompletionPosition>, Error> {
        let lists =
            filter.networks.iter().map(|(network, reach)| self.completions_of(network, reach, filter));
        let before = filter.before.unwrap_or((i64::MAX, i64::MAX));
        let mut merge = Merge::new(lists.collect(), before, filter.page.rows, limits::LIST_EXAMINED_COUNT)?;
        self.page_of(&mut merge, filter.page, |(_, id)| self.one(completion(), [id], completion_row))
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
        self.execute_in(
            &session.network_id,
            "INSERT INTO sessions (network_id, alias, token_id, resume_id, status, server, hostname, agent,
                project_dir, version, task, output, progress, score, node_id, session_id, model, registered_at,
                updated_at, last_seen_at, description, skills)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22)
             ON CONFLICT (network_id, alias) DO UPDATE SET token_id = excluded.token_id,
                resume_id = excluded.resume_id, status = excluded.status, server = excluded.server,
                hostname = excluded.hostname, agent = excluded.agent, project_dir = excluded.project_dir,
                version = excluded.version, task = excluded.task, output = excluded.output,
                progress = excluded.progress, score = excluded.score, node_id = excluded.node_id,
                session_id = excluded.session_id, model = excluded.model,
                registered_at = excluded.registered_at, updated_at = excluded.updated_at,
                last_seen_at = excluded.last_seen_at, description = excluded.description,
                skills = excluded.skills",
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
        let one = "UPDATE sessions SET last_seen_at = MAX(last_seen_at, ?2) WHERE token_id = ?1";
        let all = "UPDATE sessions SET last_seen_at = GREATEST(sessions.last_seen_at, given.at) FROM {given}
                   WHERE sessions.token_id = given.token_id";
        self.write_times(one, all, seen)
    }

    fn insert_completion(&mut self, completion: NewCompletion<'_>) -> Result<i64, Error> {
        let sql = "UPDATE networks SET completions_numbered = completions_numbered + 1 WHERE network_id = ?1
                   RETURNING completions_numbered AS number";
        let number =
            self.execute_returning_in(completion.network_id, sql, [completion.network_id.as_str()], |row| {
                get::<i64>(row, "number")
            })?;
        let number = number.ok_or_else(|| Error::Corrupt("a completion without a network".into()))?;
        self.execute_in(
            completion.network_id,
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
