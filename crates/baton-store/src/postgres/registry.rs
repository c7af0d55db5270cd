//! The rows by which hubs know of each other: a heartbeat for each, and leases of work that only one may do at a time. Times
//! are the server's.

use baton_core::{Alias, NetworkId, Status, TokenId, UnixMillis, limits};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Error, Row};

use super::schema::READS_ZSTD_BUNDLES;
use super::{fault, schema};
use crate::meter::Tally;
use crate::peers::{HubRow, SeenRow, Work};

/// The server's clock in milliseconds.
const NOW: &str = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

/// What a hub says about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HubFacts {
    /// The URL it listens at.
    pub address: String,
    /// The version of its program.
    pub version: String,
}

/// What a heartbeat finds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Beat {
    /// The server's time.
    pub(super) now: i64,
    /// Hubs that are alive, this one included.
    pub(super) alive: u32,
    /// Whether one of them cannot read entry bundles of zstd.
    pub(super) has_older: bool,
    pub(super) access_epoch: u64,
    /// How long no hub was heard of before this heartbeat; none if this hub is the first one ever.
    pub(super) silence_millis: Option<i64>,
}

/// Says that this hub is alive, and looks who else is.
pub(super) async fn beat(client: &Client, hub: &str, facts: &HubFacts) -> Result<Beat, Error> {
    let sql = format!(
        "WITH before AS (SELECT MAX(seen_at) AS newest FROM hubs),
             beat AS (
                 INSERT INTO hubs (hub_id, address, version, started_at, seen_at, knows)
                 VALUES ($1, $2, $3, {NOW}, {NOW}, $5)
                 ON CONFLICT (hub_id) DO UPDATE SET seen_at = excluded.seen_at)
         SELECT {NOW} AS now, (SELECT epoch FROM access_epoch WHERE one = 1) AS access,
             (SELECT {NOW} - newest FROM before) AS silence,
             COUNT(*) AS others, COALESCE(BOOL_OR(knows < {READS_ZSTD_BUNDLES}), FALSE) AS has_older
         FROM hubs WHERE hub_id <> $1 AND seen_at > {NOW} - $4::bigint"
    );
    let parameters: [&(dyn ToSql + Sync); 5] =
        [&hub, &facts.address, &facts.version, &alive_millis(), &schema::newest()];
    let row = client.query_one(&sql, &parameters).await?;
    Ok(Beat {
        now: row.get("now"),
        alive: u32::try_from(row.get::<_, i64>("others")).unwrap_or(u32::MAX).saturating_add(1),
        has_older: row.get("has_older"),
        access_epoch: row.get::<_, i64>("access").unsigned_abs(),
        silence_millis: row.get("silence"),
    })
}

/// How old the heartbeat of a hub that is alive may be.
fn alive_millis() -> i64 {
    i64::try_from(limits::HUB_ALIVE_FOR.as_millis()).unwrap_or(i64::MAX)
}

/// Removes the rows of hubs and of work that have long been over.
pub(super) async fn forget(client: &Client) -> Result<(), Error> {
    let kept = i64::from(limits::HUB_ROW_KEPT_SECONDS) * 1000;
    let sql = format!("DELETE FROM hubs WHERE seen_at < {NOW} - $1::bigint");
    client.execute(&sql, &[&kept]).await?;
    client.execute(&format!("DELETE FROM work_leases WHERE until < {NOW} - $1::bigint"), &[&kept]).await?;
    Ok(())
}

/// This hub ends: its row goes, and what it did is free for others.
pub(super) async fn leave(client: &Client, hub: &str) -> Result<(), Error> {
    client.execute("DELETE FROM work_leases WHERE hub_id = $1", &[&hub]).await?;
    client.execute("DELETE FROM hubs WHERE hub_id = $1", &[&hub]).await?;
    Ok(())
}

/// The hubs that are alive and those that were killed recently, those started first first.
pub(super) async fn hubs(client: &Client) -> Result<Vec<HubRow>, Error> {
    let sql = format!(
        "SELECT hub_id, address, version, started_at, seen_at, seen_at > {NOW} - $1::bigint AS is_alive
         FROM hubs ORDER BY started_at, hub_id LIMIT $2"
    );
    let most = i64::from(limits::HUBS_LISTED_MAX_COUNT);
    let rows = client.query(&sql, &[&alive_millis(), &most]).await?;
    Ok(rows.iter().map(hub_row).collect())
}

fn hub_row(row: &Row) -> HubRow {
    HubRow {
        hub_id: row.get("hub_id"),
        address: row.get("address"),
        version: row.get("version"),
        started_at: UnixMillis::new(row.get("started_at")),
        seen_at: UnixMillis::new(row.get("seen_at")),
        is_alive: row.get("is_alive"),
    }
}

/// Takes work that nobody has, whose hub is gone or let its time pass, or that this hub has already. Of two hubs one gets it: the row is
/// locked by whoever is first, and the other then sees what that wrote.
pub(super) async fn take_work(
    client: &Client,
    hub: &str,
    work: Work,
    keys: &[String],
) -> Result<Vec<String>, Error> {
    let lease = i64::from(limits::WORK_LEASE_SECONDS) * 1000;
    let mut sorted = keys.to_vec();
    sorted.sort();
    sorted.dedup();
    let sql = format!(
        "INSERT INTO work_leases (kind, key, hub_id, until)
         SELECT $1::text, key, $2::text, {NOW} + $4::bigint FROM unnest($3::text[]) AS key
         ON CONFLICT (kind, key) DO UPDATE SET hub_id = excluded.hub_id, until = excluded.until
             WHERE work_leases.hub_id = excluded.hub_id OR work_leases.until < {NOW}
                 OR NOT EXISTS (SELECT 1 FROM hubs h
                                WHERE h.hub_id = work_leases.hub_id AND h.seen_at > {NOW} - $5::bigint)
         RETURNING key"
    );
    let rows = client.query(&sql, &[&work.as_str(), &hub, &sorted, &lease, &alive_millis()]).await?;
    Ok(rows.iter().map(|row| row.get("key")).collect())
}

/// Leaves work to others.
pub(super) async fn leave_work(client: &Client, hub: &str, work: Work, keys: &[String]) -> Result<(), Error> {
    let sql = "DELETE FROM work_leases WHERE kind = $1 AND hub_id = $2 AND key = ANY ($3::text[])";
    client.execute(sql, &[&work.as_str(), &hub, &keys]).await.map(drop)
}

/// Tokens of agents that were used or connected at this time or later.
pub(super) async fn seen_since(client: &Client, since: UnixMillis) -> Result<Vec<SeenRow>, Error> {
    let sql = "SELECT network_id, alias, token_id, last_used_at, connected_until FROM tokens
               WHERE alias IS NOT NULL AND revoked_at IS NULL AND (last_used_at >= $1 OR connected_until >= $1)
               LIMIT $2";
    let most = i64::from(limits::SEEN_TOKENS_MAX_COUNT);
    let rows = client.query(sql, &[&since.get(), &most]).await?;
    Ok(rows.iter().filter_map(seen_row).collect())
}

fn seen_row(row: &Row) -> Option<SeenRow> {
    let time = |column: &str| row.get::<_, Option<i64>>(column).map(UnixMillis::new);
    Some(SeenRow {
        network_id: NetworkId::parse(row.get("network_id"))?,
        alias: Alias::parse(row.get("alias")).ok()?,
        token_id: TokenId::parse(row.get("token_id"))?,
        last_used_at: time("last_used_at"),
        connected_until: time("connected_until"),
    })
}

/// Networks that changed at this time or later, with the versions of their heads.
pub(super) async fn heads_since(client: &Client, since: i64) -> Result<Vec<(String, i64)>, Error> {
    let sql = "SELECT k.network_id, h.version FROM heads h JOIN network_keys k ON k.key = h.network
               WHERE h.newest >= $1";
    let rows = client.query(sql, &[&since]).await?;
    Ok(rows.iter().map(|row| (row.get("network_id"), row.get("version"))).collect())
}

/// How many tasks of each status there are.
pub(super) const TASKS: &str = "SELECT status, SUM(count)::bigint AS count FROM task_counts GROUP BY status";
/// How many leases there are.
pub(super) const LEASES: &str = "SELECT COUNT(*) AS count FROM tasks WHERE lease_id IS NOT NULL
    AND network NOT IN (SELECT network FROM removals WHERE network IS NOT NULL)";

/// How many tasks and leases there are.
pub(super) async fn there_is(client: &Client) -> Result<Tally, crate::error::Error> {
    let tasks = client.query(TASKS, &[]).await.map_err(|error| fault::of(&error))?;
    let leases = client.query(LEASES, &[]).await.map_err(|error| fault::of(&error))?;
    tally(&tasks, &leases)
}

/// What the two statements found.
pub(super) fn tally(tasks: &[Row], leases: &[Row]) -> Result<Tally, crate::error::Error> {
    let mut tally = Tally::default();
    for row in tasks {
        let status: String = row.get("status");
        let known = Status::parse(&status);
        let known = known.ok_or_else(|| crate::error::Error::Corrupt(format!("status {status:?}")))?;
        tally.add_tasks(known, row.get("count"));
    }
    tally.leases = leases.first().map_or(0, |row| row.get("count"));
    Ok(tally)
}
