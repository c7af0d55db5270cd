//! Faults of hubs on a PostgreSQL server: it is killed, one of its processes is, connections are cut at any byte, and hubs die
//! together.

use super::{Fault, Faults};
use crate::it::torture::database::Database;

/// Hubs whose clocks differ by this much still agree on leases: the server's clock counts.
const CLOCK_SECONDS: u64 = 3_600;

/// What goes wrong at a server.
pub(super) const AT_A_SERVER: &[Fault] = &[
    (20, |faults| faults.kill()),
    (5, |faults| faults.stop()),
    (5, |faults| faults.kill_all()),
    (10, |faults| faults.kill_worker()),
    (15, |faults| faults.jump(CLOCK_SECONDS)),
    (20, |faults| faults.cut()),
    (10, |faults| faults.kill_server()),
    (8, |faults| faults.kill_backend()),
    (7, |faults| faults.terminate_backends()),
];

impl Faults<'_> {
    /// All hubs at once.
    fn kill_all(&mut self) {
        self.count("kill -9 of all hubs at once");
        self.grounds.hubs.iter_mut().for_each(|hub| hub.kill9());
        self.grounds.hubs.iter_mut().for_each(|hub| hub.restart());
    }

    fn cut(&mut self) {
        self.count("connections to PostgreSQL cut at random bytes");
        if let Database::Postgres { proxy, .. } = &self.grounds.database {
            proxy.cut(&mut self.random);
        }
    }

    fn kill_server(&mut self) {
        self.count("kill -9 of PostgreSQL");
        if let Database::Postgres { server, .. } = &mut self.grounds.database {
            server.kill9();
        }
    }

    /// PostgreSQL ends every connection then, and recovers. A hub that is started meanwhile waits for it.
    fn kill_backend(&mut self) {
        self.count("kill -9 of a PostgreSQL backend");
        let Database::Postgres { server, .. } = &self.grounds.database else { return };
        let sql =
            "SELECT pid FROM pg_stat_activity WHERE application_name = 'baton' ORDER BY random() LIMIT 1";
        let pid =
            server.query("baton", sql).and_then(|pid| rustix::process::Pid::from_raw(pid.parse().ok()?));
        if let Some(pid) = pid {
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        }
    }

    fn terminate_backends(&mut self) {
        self.count("connections ended by PostgreSQL");
        let Database::Postgres { server, .. } = &self.grounds.database else { return };
        let sql = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                   WHERE application_name = 'baton' AND random() < 0.5";
        server.query("baton", sql);
    }
}
