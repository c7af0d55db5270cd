//! Counters by the minute and by the edge. Their durations are added up here, so what a row has so far has to be known: from
//! what the lane wrote last, which holds as long as the network's version does, or else by one read of all rows.

use baton_core::{Latencies, NetworkId, Status, limits};
use foldhash::HashMap;

use super::session::Session;
use super::set::{Array, Writes, given};
use crate::error::Error;
use crate::rows::{EdgeCounts, MinuteCounts};
use crate::sql::columns::{Row, get};
use crate::sql::counts::Counts;
use crate::sql::edges::{self, Edge, EdgeChange};
use crate::sql::figures;
use crate::sql::known::Known;

/// What the counters of a batch come to.
#[derive(Default)]
pub(crate) struct Tallies {
    /// Each with what it has from now on.
    minutes: Vec<(NetworkId, i64, MinuteCounts)>,
    /// Each with what it gains, and the durations it has from now on.
    edges: Vec<(NetworkId, Edge, EdgeCounts, Latencies)>,
}

/// An edge as the database has it.
struct Written {
    durations: Option<Latencies>,
    /// How many edges its hour has, if it is not there.
    others: i64,
}

impl Tallies {
    /// Adds what was counted to what there is, which is read if it is not known.
    pub(crate) fn load(session: &Session, known: &Known, counts: &Counts) -> Result<Self, Error> {
        let changed: Vec<_> =
            counts.edges.0.iter().filter(|(_, change)| **change != EdgeChange::default()).collect();
        if counts.minutes.is_empty() && changed.is_empty() {
            return Ok(Self::default());
        }
        if let Some(tallies) = Self::of_known(known, counts, &changed) {
            return Ok(tallies);
        }
        let wanted = vec![
            ("network_id", Array::texts(counts.minutes.keys().map(|(network, _)| network.as_str()))),
            ("minute", Array::integers(counts.minutes.keys().map(|(_, minute)| *minute))),
        ];
        let minutes =
            format!("SELECT minutes.* FROM {} JOIN minutes USING (network_id, minute)", given(&wanted));
        let keys: Vec<_> = changed.iter().map(|((network, edge), _)| (network, edge)).collect();
        let edges = edge_columns(&keys);
        let sql = format!(
            "SELECT e.durations, (SELECT edges_since FROM counting WHERE one = 1) AS since,
                 CASE WHEN e.network_id IS NULL THEN (SELECT COUNT(*) FROM edges c
                     WHERE c.network_id = given.network_id AND c.hour = given.hour AND c.from_kind <> '') END AS others
             FROM (SELECT *, row_number() OVER () AS at FROM {}) given LEFT JOIN edges e ON e.network_id = given.network_id AND e.hour = given.hour
                 AND e.from_kind = given.from_kind AND e.from_name = given.from_name AND e.to_name = given.to_name
             ORDER BY given.at",
            given(&edges)
        );
        let mut reads = Writes::default();
        reads.push(minutes.into(), wanted);
        reads.push(sql.into(), edges);
        let [minutes, found]: [_; 2] = session
            .read(&reads)?
            .try_into()
            .map_err(|_| Error::Corrupt("counters without an answer".into()))?;
        let mut tallies = Self::default();
        tallies.add_minutes(counts, &minutes)?;
        tallies.add_edges(&changed, &found)?;
        Ok(tallies)
    }

    /// What is known with what was counted; none if any of it is not known.
    fn of_known(
        known: &Known,
        counts: &Counts,
        changed: &[(&(NetworkId, Edge), &EdgeChange)],
    ) -> Option<Self> {
        let tallies = |network| known.networks.get(network).map(|network| &network.tallies);
        let mut all = Self::default();
        for ((network, minute), more) in &counts.minutes {
            let (_, written) = tallies(network)?.minute.as_ref().filter(|(at, _)| at == minute)?;
            let mut counts = written.clone();
            counts.add(more);
            all.minutes.push((network.clone(), *minute, counts));
        }
        for ((network, edge), more) in changed {
            let mut durations = tallies(network)?.edges.get(edge)?.clone();
            durations.add(&more.durations);
            all.edges.push((network.clone(), edge.clone(), more.counts, durations));
        }
        Some(all)
    }

    /// They are written: the lane need not read them the next time.
    pub(crate) fn remember(self, known: &mut Known) {
        for (network, minute, counts) in self.minutes {
            let Some(network) = known.networks.get_mut(&network) else { continue };
            if network.tallies.minute.as_ref().is_none_or(|(newest, _)| *newest <= minute) {
                network.tallies.minute = Some((minute, counts));
            }
        }
        let mut added = 0;
        for (network, edge, _, durations) in self.edges.into_iter().filter(|(_, edge, ..)| edge.is_named()) {
            let Some(network) = known.networks.get_mut(&network) else { continue };
            added += usize::from(network.tallies.edges.insert(edge, durations).is_none());
        }
        known.note_rows(added);
    }

    fn add_minutes(&mut self, counts: &Counts, found: &[tokio_postgres::Row]) -> Result<(), Error> {
        let mut written = HashMap::default();
        for row in found {
            let row = Row::Postgres(row);
            let key = (get::<String>(&row, "network_id")?, get::<i64>(&row, "minute")?);
            written.insert(key, figures::counts(&row)?);
        }
        for ((network, minute), more) in &counts.minutes {
            let mut all = written.remove(&(network.as_str().to_owned(), *minute)).unwrap_or_default();
            all.add(more);
            self.minutes.push((network.clone(), *minute, all));
        }
        Ok(())
    }

    fn add_edges(
        &mut self,
        changed: &[(&(NetworkId, Edge), &EdgeChange)],
        found: &[tokio_postgres::Row],
    ) -> Result<(), Error> {
        let mut begun: HashMap<(&NetworkId, i64), i64> = HashMap::default();
        let mut further: HashMap<(&NetworkId, i64), EdgeCounts> = HashMap::default();
        for (((network, edge), more), row) in changed.iter().zip(found) {
            let row = Row::Postgres(row);
            let written = Written {
                durations: match get::<Option<Vec<u8>>>(&row, "durations")? {
                    Some(_) => Some(edges::durations(&row)?),
                    None => None,
                },
                others: get::<Option<i64>>(&row, "others")?.unwrap_or_default(),
            };
            if let Some(mut durations) = written.durations {
                durations.add(&more.durations);
                self.edges.push((network.clone(), edge.clone(), more.counts, durations));
                continue;
            }
            // Hours that are forgotten stay so.
            if edge.hour < get::<i64>(&row, "since")? {
                continue;
            }
            let begun = begun.entry((network, edge.hour)).or_default();
            let has_room = written.others + *begun < limits::EDGES_PER_HOUR_MAX_COUNT as i64;
            // Tasks that were only changed were counted before, and so with the further ones.
            if more.counts.total() > 0 && has_room {
                *begun += 1;
                self.edges.push((network.clone(), edge.clone(), more.counts, more.durations.clone()));
            } else {
                further.entry((network, edge.hour)).or_default().add(&more.counts);
            }
        }
        for ((network, hour), counts) in further {
            self.edges.push((network.clone(), Edge::further(hour), counts, Latencies::default()));
        }
        Ok(())
    }

    /// Adds the writes of it.
    pub(crate) fn write<'a>(&'a self, writes: &mut Writes<'a>) {
        if !self.minutes.is_empty() {
            let all = || self.minutes.iter();
            let mut columns = vec![
                ("network_id", Array::texts(all().map(|(network, ..)| network.as_str()))),
                ("minute", Array::integers(all().map(|(_, minute, _)| *minute))),
                ("sent", Array::integers(all().map(|(.., counts)| counts.sent))),
                ("handoffs", Array::integers(all().map(|(.., counts)| counts.handoffs))),
                ("latencies", Array::blobs(all().map(|_| &[][..]))),
                ("durations", Array::owned_blobs(all().map(|(.., counts)| counts.latencies.to_bytes()))),
            ];
            columns.extend(Status::terminal().map(|status| {
                (status.as_str(), Array::integers(all().map(|(.., counts)| counts.ends.get(status))))
            }));
            let sets: Vec<_> =
                columns[2..].iter().map(|(name, _)| format!("{name} = excluded.{name}")).collect();
            let then = format!("ON CONFLICT (network_id, minute) DO UPDATE SET {}", sets.join(", "));
            writes.insert("minutes", columns, &then);
        }
        if !self.edges.is_empty() {
            let all = || self.edges.iter();
            let keys: Vec<_> = all().map(|(network, edge, ..)| (network, edge)).collect();
            let mut columns = edge_columns(&keys);
            columns.push(("open", Array::integers(all().map(|(_, _, counts, _)| counts.open))));
            columns.extend(Status::terminal().map(|status| {
                (status.as_str(), Array::integers(all().map(|(_, _, counts, _)| counts.ends.get(status))))
            }));
            let mut sets: Vec<_> = columns[5..]
                .iter()
                .map(|(name, _)| format!("{name} = edges.{name} + excluded.{name}"))
                .collect();
            sets.push("durations = excluded.durations".into());
            columns
                .push(("durations", Array::owned_blobs(all().map(|(.., durations)| durations.to_bytes()))));
            let then = format!(
                "ON CONFLICT (network_id, hour, from_kind, from_name, to_name) DO UPDATE SET {}",
                sets.join(", ")
            );
            writes.insert("edges", columns, &then);
        }
    }
}

fn edge_columns<'a>(edges: &[(&'a NetworkId, &'a Edge)]) -> Vec<(&'static str, Array<'a>)> {
    let all = || edges.iter().copied();
    vec![
        ("network_id", Array::texts(all().map(|(network, _)| network.as_str()))),
        ("hour", Array::integers(all().map(|(_, edge)| edge.hour))),
        ("from_kind", Array::texts(all().map(|(_, edge)| edge.from_kind))),
        ("from_name", Array::texts(all().map(|(_, edge)| &*edge.from_name))),
        ("to_name", Array::texts(all().map(|(_, edge)| &*edge.to_name))),
    ]
}
