//! Takes every connection and never says anything, and knows how many it had open at once.

use std::io::{ErrorKind, Read};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(40);

#[derive(Default)]
struct Calls {
    open: Vec<TcpStream>,
    /// The most that were open at once.
    most: usize,
    /// How many callers no longer wait.
    given_up: usize,
}

impl Calls {
    fn forget_ended(&mut self) {
        let before = self.open.len();
        self.open.retain_mut(is_open);
        self.given_up += before - self.open.len();
    }
}

/// Every address of the loopback range is a host of its own.
pub(super) struct Silent {
    port: u16,
    calls: Arc<(Mutex<Calls>, Condvar)>,
}

impl Silent {
    pub(super) fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0)).unwrap();
        let (port, calls) =
            (listener.local_addr().unwrap().port(), Arc::<(Mutex<Calls>, Condvar)>::default());
        let taken = calls.clone();
        std::thread::spawn(move || {
            for call in listener.incoming().map_while(Result::ok) {
                call.set_nonblocking(true).unwrap();
                let mut calls = taken.0.lock().unwrap();
                calls.forget_ended();
                calls.open.push(call);
                calls.most = calls.most.max(calls.open.len());
                taken.1.notify_all();
            }
        });
        Self { port, calls }
    }

    pub(super) fn url(&self, number: u32) -> String {
        let host = Ipv4Addr::from(u32::from(Ipv4Addr::new(127, 1, 0, 1)) + number);
        format!("http://{host}:{}/", self.port)
    }

    /// Waits until so many were open at once.
    pub(super) fn wait_until_open(&self, count: usize) {
        let calls = self.calls.0.lock().unwrap();
        let (calls, waited) =
            self.calls.1.wait_timeout_while(calls, PATIENCE, |calls| calls.most < count).unwrap();
        assert!(!waited.timed_out(), "never more than {} at once", calls.most);
    }

    /// How many callers have given up.
    pub(super) fn given_up(&self) -> usize {
        let mut calls = self.calls.0.lock().unwrap();
        calls.forget_ended();
        calls.given_up
    }

    pub(super) fn most_at_once(&self) -> usize {
        self.calls.0.lock().unwrap().most
    }
}

/// Whether the caller still waits; what it said is of no interest.
fn is_open(call: &mut TcpStream) -> bool {
    let mut said = [0; 4096];
    loop {
        match call.read(&mut said) {
            Ok(0) => return false,
            Ok(_) => {}
            Err(error) => return error.kind() == ErrorKind::WouldBlock,
        }
    }
}
