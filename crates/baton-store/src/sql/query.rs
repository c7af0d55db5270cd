//! Statements on a connection: prepared once, kept, and read row by row into types. Inside a write each sees what the batch
//! has changed, because that is written first; but for `look_up` and `look_up_all`, which are for rows that no batch holds
//! back. The text of a statement is the same for both engines; what they spell differently is in `postgres/dialect.rs`.

use baton_core::{NetworkId, TokenId, UnixMillis};
use rusqlite::{ToSql, params};
use std::ops::ControlFlow;

use super::columns::Row;
use super::merge::Merge;
use super::rows::{Database, Rows};
use crate::error::Error;
use crate::postgres::{Extent, Guard};
use crate::rows::{Page, PageBounds, PageInProgress, Weight};
use crate::sqlite::plans;

/// The parameters of a statement, in order.
pub(crate) trait Parameters {
    /// Hands them over as they are bound.
    fn bind<T>(self, run: impl FnOnce(&[&dyn ToSql]) -> T) -> T;
}

impl Parameters for &[&dyn ToSql] {
    fn bind<T>(self, run: impl FnOnce(&[&dyn ToSql]) -> T) -> T {
        run(self)
    }
}

impl<P: ToSql, const N: usize> Parameters for [P; N] {
    fn bind<T>(self, run: impl FnOnce(&[&dyn ToSql]) -> T) -> T {
        run(&self.each_ref().map(|parameter| parameter as &dyn ToSql))
    }
}

impl Rows<'_> {
    /// One row of a query, read by `read`.
    pub(crate) fn one<T>(
        &self,
        sql: &str,
        parameters: impl Parameters,
        read: impl Fn(&Row<'_>) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        self.settle()?;
        self.look_up(sql, parameters, read)
    }

    /// The same for a row that cannot be among those that wait to be written.
    pub(crate) fn look_up<T>(
        &self,
        sql: &str,
        parameters: impl Parameters,
        read: impl Fn(&Row<'_>) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        let mut found = None;
        self.each_row(sql, parameters, |row| {
            found = Some(read(row)?);
            Ok(ControlFlow::Break(()))
        })?;
        Ok(found)
    }

    /// All rows of a query, read by `read`.
    pub(crate) fn all<T>(
        &self,
        sql: &str,
        parameters: impl Parameters,
        read: impl Fn(&Row<'_>) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        self.settle()?;
        self.look_up_all(sql, parameters, read)
    }

    /// The same for rows that cannot be among those that wait to be written.
    pub(crate) fn look_up_all<T>(
        &self,
        sql: &str,
        parameters: impl Parameters,
        read: impl Fn(&Row<'_>) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let mut all = Vec::new();
        self.each_row(sql, parameters, |row| {
            all.push(read(row)?);
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(all)
    }

    /// Walks the rows of a query until `step` breaks off.
    pub(crate) fn each_row(
        &self,
        sql: &str,
        parameters: impl Parameters,
        mut step: impl FnMut(&Row<'_>) -> Result<ControlFlow<()>, Error>,
    ) -> Result<(), Error> {
        match self.database {
            Database::Sqlite(connection) => {
                plans::check(connection, sql);
                let mut statement = connection.prepare_cached(sql)?;
                parameters.bind(|parameters| {
                    let mut rows = statement.query(parameters)?;
                    while let Some(row) = rows.next()? {
                        if step(&Row::Sqlite(row))?.is_break() {
                            break;
                        }
                    }
                    Ok::<_, Error>(())
                })?;
                plans::check_kept(&statement);
            }
            Database::Postgres(session) => {
                let rows = parameters.bind(|parameters| session.query(sql, parameters))?;
                for row in rows.iter() {
                    if step(&Row::Postgres(row))?.is_break() {
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    /// The same for a query with very many rows: only a few of them are in memory at a time.
    pub(crate) fn walk(
        &self,
        sql: &str,
        parameters: impl Parameters,
        mut step: impl FnMut(&Row<'_>) -> Result<ControlFlow<()>, Error>,
    ) -> Result<(), Error> {
        match self.database {
            Database::Sqlite(_) => self.each_row(sql, parameters, step),
            Database::Postgres(session) => parameters
                .bind(|parameters| session.walk(sql, parameters, &mut |row| step(&Row::Postgres(row)))),
        }
    }

    /// A page of a query's rows, read by `read` until the page is full; the next one begins after `place` of its last.
    /// The query is to give `PageBounds::looked_at` rows.
    pub(crate) fn page<T: Weight, K>(
        &self,
        sql: &str,
        parameters: impl Parameters,
        bounds: PageBounds,
        read: impl Fn(&Row<'_>) -> Result<T, Error>,
        place: impl Fn(&T) -> K,
    ) -> Result<Page<T, K>, Error> {
        self.settle()?;
        let mut page = PageInProgress::new(bounds);
        let mut has_more = false;
        self.each_row(sql, parameters, |row| {
            if page.has_all_rows() || !page.add(read(row)?) {
                has_more = true;
                return Ok(ControlFlow::Break(()));
            }
            Ok(ControlFlow::Continue(()))
        })?;
        let next = page.rows.last().filter(|_| has_more).map(place);
        Ok(Page { rows: page.rows, next })
    }

    /// A page of what a walk finds, each row read by its place until the page is full.
    pub(crate) fn page_of<T: Weight, K: Ord + Copy>(
        &self,
        merge: &mut Merge<'_, K>,
        bounds: PageBounds,
        read: impl Fn(K) -> Result<Option<T>, Error>,
    ) -> Result<Page<T, K>, Error> {
        let (mut page, mut last) = (PageInProgress::new(bounds), None);
        while let Some(place) = merge.next()? {
            let Some(row) = read(place)? else { continue };
            if !page.add(row) {
                return Ok(Page { rows: page.rows, next: last });
            }
            last = Some(place);
        }
        Ok(Page { rows: page.rows, next: merge.stopped_at() })
    }

    /// Writes rows of one network at once, and reads what the statement returns: on PostgreSQL its lock is enough.
    pub(crate) fn execute_returning_in<T>(
        &self,
        network: &NetworkId,
        sql: &str,
        parameters: impl Parameters,
        read: impl Fn(&Row<'_>) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        self.write_directly(Extent::Network(network))?;
        self.look_up(sql, parameters, read)
    }

    /// The same for rows that are never kept in memory: see `execute_beside`.
    pub(crate) fn execute_returning_beside<T>(
        &self,
        network: &NetworkId,
        sql: &str,
        parameters: impl Parameters,
        read: impl Fn(&Row<'_>) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        self.write_directly(Extent::Beside(network))?;
        self.look_up(sql, parameters, read)
    }

    /// Writes at once. On PostgreSQL this locks the whole database: for what is seldom written, like accounts.
    pub(crate) fn execute(&self, sql: &str, parameters: impl Parameters) -> Result<usize, Error> {
        self.write_directly(Extent::Everything)?;
        self.execute_now(sql, parameters)
    }

    /// The same for rows of one network: on PostgreSQL its lock is enough.
    pub(crate) fn execute_in(
        &self,
        network: &NetworkId,
        sql: &str,
        parameters: impl Parameters,
    ) -> Result<usize, Error> {
        self.write_directly(Extent::Network(network))?;
        self.execute_now(sql, parameters)
    }

    /// The same for rows that are never kept in memory: what is known of the network holds on, also on other hubs.
    pub(crate) fn execute_beside(
        &self,
        network: &NetworkId,
        sql: &str,
        parameters: impl Parameters,
    ) -> Result<usize, Error> {
        self.write_directly(Extent::Beside(network))?;
        self.execute_now(sql, parameters)
    }

    /// The same for rows that belong to no network and are never kept in memory: on PostgreSQL their own lock is enough.
    pub(crate) fn execute_guarded(
        &self,
        guard: Guard,
        sql: &str,
        parameters: impl Parameters,
    ) -> Result<usize, Error> {
        self.write_directly(Extent::Guarded(guard))?;
        self.execute_now(sql, parameters)
    }

    /// The same for a row that only whoever made it knows of.
    pub(crate) fn execute_own(&self, sql: &str, parameters: impl Parameters) -> Result<usize, Error> {
        self.write_directly(Extent::Own)?;
        self.execute_now(sql, parameters)
    }

    /// Writes a time for each of these tokens: by `one` row after the other, or on PostgreSQL by a statement for all of them, in
    /// which `{given}` stands for the list of tokens (`token_id`) and times (`at`). Nothing is decided by such times, so
    /// no network is locked.
    pub(crate) fn write_times(
        &self,
        one: &str,
        all: &str,
        times: &[(TokenId, UnixMillis)],
    ) -> Result<(), Error> {
        if times.is_empty() {
            return Ok(());
        }
        self.write_directly(Extent::Own)?;
        match self.database {
            Database::Sqlite(_) => times.iter().try_for_each(|(token, at)| {
                self.execute_now(one, params![token.as_str(), at.get()]).map(drop)
            }),
            Database::Postgres(session) => session.write_times(all, times),
        }
    }

    fn execute_now(&self, sql: &str, parameters: impl Parameters) -> Result<usize, Error> {
        match self.database {
            Database::Sqlite(connection) => {
                plans::check(connection, sql);
                let mut statement = connection.prepare_cached(sql)?;
                let changed = parameters.bind(|parameters| statement.execute(parameters))?;
                plans::check_kept(&statement);
                Ok(changed)
            }
            Database::Postgres(session) => parameters.bind(|parameters| session.execute(sql, parameters)),
        }
    }
}
