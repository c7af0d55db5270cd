//! Statements on a connection: prepared once, kept, and read row by row into types. On the writer's connection each sees
//! what the batch has changed, because that is written first; but for `look_up` and `look_up_all`, which are for rows that
//! no batch holds back.

use rusqlite::Row;

use super::merge::Merge;
use super::plans;
use super::rows::Rows;
use crate::error::Error;
use crate::rows::{Page, PageBounds, PageInProgress, Weight};

impl Rows<'_> {
    /// One row of a query, read by `read`.
    pub(super) fn one<T>(
        &self,
        sql: &str,
        parameters: impl rusqlite::Params,
        read: impl Fn(&Row<'_>) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        self.settle()?;
        self.look_up(sql, parameters, read)
    }

    /// The same for a row that cannot be among those that wait to be written.
    pub(super) fn look_up<T>(
        &self,
        sql: &str,
        parameters: impl rusqlite::Params,
        read: impl Fn(&Row<'_>) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        plans::check(self.connection, sql);
        let mut statement = self.connection.prepare_cached(sql)?;
        let row = statement.query(parameters)?.next()?.map(read).transpose();
        plans::check_kept(&statement);
        row
    }

    /// All rows of a query, read by `read`.
    pub(super) fn all<T>(
        &self,
        sql: &str,
        parameters: impl rusqlite::Params,
        read: impl Fn(&Row<'_>) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        self.settle()?;
        self.look_up_all(sql, parameters, read)
    }

    /// The same for rows that cannot be among those that wait to be written.
    pub(super) fn look_up_all<T>(
        &self,
        sql: &str,
        parameters: impl rusqlite::Params,
        read: impl Fn(&Row<'_>) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        plans::check(self.connection, sql);
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query(parameters)?;
        let mut all = Vec::new();
        while let Some(row) = rows.next()? {
            all.push(read(row)?);
        }
        drop(rows);
        plans::check_kept(&statement);
        Ok(all)
    }

    /// A page of a query's rows, read by `read` until the page is full; the next one begins after `place` of its last.
    /// The query is to give `PageBounds::looked_at` rows.
    pub(super) fn page<T: Weight, K>(
        &self,
        sql: &str,
        parameters: impl rusqlite::Params,
        bounds: PageBounds,
        read: impl Fn(&Row<'_>) -> Result<T, Error>,
        place: impl Fn(&T) -> K,
    ) -> Result<Page<T, K>, Error> {
        self.settle()?;
        plans::check(self.connection, sql);
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query(parameters)?;
        let mut page = PageInProgress::new(bounds);
        let mut has_more = false;
        while let Some(row) = rows.next()? {
            if page.has_all_rows() || !page.add(read(row)?) {
                has_more = true;
                break;
            }
        }
        drop(rows);
        plans::check_kept(&statement);
        let next = page.rows.last().filter(|_| has_more).map(place);
        Ok(Page { rows: page.rows, next })
    }

    /// A page of what a walk finds, each row read by its place until the page is full.
    pub(super) fn page_of<T: Weight, K: Ord + Copy>(
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

    /// Writes at once, and reads what the statement returns.
    pub(super) fn execute_returning<T>(
        &self,
        sql: &str,
        parameters: impl rusqlite::Params,
        read: impl Fn(&Row<'_>) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        self.write_directly()?;
        self.look_up(sql, parameters, read)
    }

    /// Writes at once.
    pub(super) fn execute(&self, sql: &str, parameters: impl rusqlite::Params) -> Result<usize, Error> {
        self.write_directly()?;
        plans::check(self.connection, sql);
        let mut statement = self.connection.prepare_cached(sql)?;
        let changed = statement.execute(parameters)?;
        plans::check_kept(&statement);
        Ok(changed)
    }
}
