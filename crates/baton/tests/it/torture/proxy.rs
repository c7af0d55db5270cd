//! Stands between the hubs and their PostgreSQL server, passes bytes on, and cuts connections at a byte that chance draws.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::it::random::Random;

/// The most bytes that a connection still carries before it is cut: a few statements and answers.
const CUT_WITHIN_BYTES: u64 = 6_000;
const NEVER: i64 = i64::MAX;

pub(super) struct Proxy {
    address: SocketAddr,
    links: Links,
}

type Links = Arc<Mutex<Vec<Weak<Link>>>>;

/// A connection, with how many bytes each way are left to it.
struct Link {
    /// The hub's end and the server's.
    ends: [TcpStream; 2],
    left: [AtomicI64; 2],
}

impl Proxy {
    pub(super) fn start(server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let links = Links::default();
        let all = links.clone();
        std::thread::spawn(move || {
            for hub in listener.incoming().map_while(Result::ok) {
                // While there is no server the hub finds its connection closed.
                let Ok(server) = TcpStream::connect(server) else { continue };
                let left = [AtomicI64::new(NEVER), AtomicI64::new(NEVER)];
                let link = Arc::new(Link { ends: [hub, server], left });
                let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
                all.retain(|link| link.strong_count() > 0);
                all.push(Arc::downgrade(&link));
                for from in 0..2 {
                    let link = link.clone();
                    std::thread::spawn(move || link.pass_from(from));
                }
            }
        });
        Self { address, links }
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Cuts about half of the connections, each after so many more bytes one way or the other, which may be in the middle
    /// of a message.
    pub(super) fn cut(&self, random: &mut Random) {
        let links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        for link in links.iter().filter_map(Weak::upgrade) {
            if random.percent(50) {
                let bytes = i64::try_from(random.below(CUT_WITHIN_BYTES)).unwrap();
                link.left[random.below(2) as usize].store(bytes, Ordering::SeqCst);
            }
        }
    }
}

impl Link {
    fn pass_from(&self, from: usize) {
        let (mut reader, mut writer) = (&self.ends[from], &self.ends[1 - from]);
        let mut bytes = vec![0; 1 << 16];
        while let Ok(count @ 1..) = reader.read(&mut bytes) {
            let left = self.left[from].load(Ordering::SeqCst);
            let passed = usize::try_from(left).unwrap_or(usize::MAX).min(count);
            if writer.write_all(&bytes[..passed]).is_err() || passed < count {
                break;
            }
            if left != NEVER {
                self.left[from].fetch_sub(passed as i64, Ordering::SeqCst);
            }
        }
        for end in &self.ends {
            let _ = end.shutdown(Shutdown::Both);
        }
    }
}
