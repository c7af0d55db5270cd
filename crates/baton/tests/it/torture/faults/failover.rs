//! Faults of hubs on three PostgreSQL servers under Patroni. After each of them a task is sent, and how long that takes is kept;
//! then the cluster is waited for, so that the next fault meets two standbys again.

use rustix::process::Signal;
use std::time::{Duration, Instant};

use super::{Fault, Faults};
use crate::it::torture::database::Database;
use crate::it::torture::ledger::Sent;
use crate::it::torture::patroni::Patroni;
use crate::it::torture::senders::order;

/// What an outage may take beside the time after which Patroni promotes a standby.
const OUTAGE_BESIDE_TTL: Duration = Duration::from_secs(10);
/// How long writes are made that only the primary has.
const ALONE: Duration = Duration::from_secs(4);

/// What goes wrong in a cluster.
pub(super) const IN_A_CLUSTER: &[Fault] = &[
    (10, |faults| faults.kill()),
    (8, |faults| faults.kill_worker()),
    (8, |faults| faults.jump(3_600)),
    (12, |faults| faults.kill_primary_server()),
    (18, |faults| faults.kill_primary()),
    (14, |faults| faults.stop_primary()),
    (10, |faults| faults.kill_standby()),
    (10, |faults| faults.kill_etcd_leader()),
    (10, |faults| faults.cancel_commits()),
];

impl Faults<'_> {
    fn cluster(&mut self) -> &mut Patroni {
        match &mut self.grounds.database {
            Database::Patroni(cluster) => cluster,
            Database::Sqlite(_) | Database::Postgres { .. } => unreachable!("there is a cluster"),
        }
    }

    /// PostgreSQL alone: Patroni starts it again.
    fn kill_primary_server(&mut self) {
        let leader = self.cluster().wait_ready();
        self.cluster().kill_postgres(leader);
        self.time_outage("kill -9 of the primary's PostgreSQL", Instant::now());
    }

    /// PostgreSQL and its Patroni: a standby is promoted.
    fn kill_primary(&mut self) {
        let leader = self.cluster().wait_ready();
        self.cluster().kill_node(leader);
        self.time_outage("kill -9 of the primary and its Patroni", Instant::now());
        self.cluster().start_node(leader);
        self.cluster().wait_ready();
    }

    /// Every process of the primary stands still until long after a standby was promoted, and then goes on.
    fn stop_primary(&mut self) {
        let leader = self.cluster().wait_ready();
        let past_ttl = self.cluster().ttl() + OUTAGE_BESIDE_TTL;
        let began = Instant::now();
        self.cluster().signal_node(leader, Signal::STOP);
        self.time_outage("SIGSTOP of the primary past its TTL", began);
        std::thread::sleep(past_ttl.saturating_sub(began.elapsed()));
        self.cluster().signal_node(leader, Signal::CONT);
        self.cluster().wait_ready();
    }

    fn kill_standby(&mut self) {
        let leader = self.cluster().wait_ready();
        let others = self.cluster().others(leader);
        let standby = *self.random.pick(&others);
        self.cluster().kill_node(standby);
        self.time_outage("kill -9 of a synchronous standby", Instant::now());
        self.wait(1_000, 8_000);
        self.cluster().start_node(standby);
        self.cluster().wait_ready();
    }

    fn kill_etcd_leader(&mut self) {
        self.cluster().wait_ready();
        let Some(leader) = self.cluster().etcd_leader() else { return };
        self.cluster().kill_etcd(leader);
        self.time_outage("kill -9 of the etcd leader", Instant::now());
        self.wait(1_000, 5_000);
        self.cluster().start_etcd(leader);
        self.cluster().wait_ready();
    }

    /// Commits that only the primary has are cancelled while they wait for a standby, then the primary is killed: whatever
    /// was acknowledged of them is lost.
    fn cancel_commits(&mut self) {
        let cancel =
            "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
        self.lose_what_only_the_primary_has(
            "pg_cancel_backend during COMMIT, then kill -9 of the primary",
            Some(cancel),
        );
    }

    /// The standbys receive nothing any more, the primary writes for a while and is killed, and a standby is promoted. What
    /// `meanwhile` does is done again and again while the primary is alone.
    pub(in crate::it::torture) fn lose_what_only_the_primary_has(
        &mut self,
        kind: &'static str,
        meanwhile: Option<&str>,
    ) {
        let leader = self.cluster().wait_ready();
        let others = self.cluster().others(leader);
        // Patroni on the primary must not notice: it would note that no standby may be promoted, and none would be.
        self.cluster().signal_patroni(leader, Signal::STOP);
        others.iter().for_each(|n| self.cluster().signal_postgres(*n, Signal::STOP));
        // Bytes that wait in a socket would still arrive.
        self.cluster().query(
            leader,
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'walsender'",
        );
        let before = self.stage.ledger.acknowledged();
        let until = Instant::now() + ALONE;
        let mut cancelled = 0;
        while Instant::now() < until {
            let answer = meanwhile.and_then(|sql| self.cluster().query(leader, sql));
            cancelled += answer.and_then(|count| count.parse::<u64>().ok()).unwrap_or_default();
            std::thread::sleep(Duration::from_millis(50));
        }
        let alone = self.stage.ledger.acknowledged() - before;
        if meanwhile.is_some() && cancelled == 0 {
            self.stage.ledger.finding("no commit was cancelled while it waited for a standby".into());
        }
        println!(
            "while the primary was alone {alone} tasks were acknowledged, {cancelled} commits were cancelled"
        );
        let began = Instant::now();
        self.cluster().kill_node(leader);
        others.iter().for_each(|n| self.cluster().signal_postgres(*n, Signal::CONT));
        self.time_outage(kind, began);
        self.cluster().start_node(leader);
        self.cluster().wait_ready();
    }

    /// How long it takes from a fault until a task is acknowledged again.
    fn time_outage(&mut self, kind: &'static str, since: Instant) {
        self.count(kind);
        let longest = self.cluster().ttl() + OUTAGE_BESIDE_TTL;
        loop {
            let network = self.random.pick(&self.stage.networks);
            let number = order(self.stage, network, None, &mut self.random);
            let is_answered = matches!(self.stage.ledger.book().sends[number].state, Sent::Acknowledged(_));
            if is_answered || since.elapsed() > longest * 2 {
                break;
            }
        }
        let took = since.elapsed();
        println!(
            "{kind}: answered again after {:.1} s (at most {} s)",
            took.as_secs_f64(),
            longest.as_secs()
        );
        let mut book = self.stage.ledger.book();
        book.longest_outage = book.longest_outage.max(Some(took));
        drop(book);
        if took > longest {
            self.stage.ledger.finding(format!("{kind}: no answer for {:.1} s", took.as_secs_f64()));
        }
    }
}
