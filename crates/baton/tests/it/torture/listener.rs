//! Those who listen: they follow a network or an agent, leave or are cut off, and come back to any hub with the last number
//! they have. What a stream sends goes on where the one before it ended, without a gap.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use super::stage::{ALIASES, Network, Stage};
use crate::it::http::Client;
use crate::it::random::Random;

const PATIENCE: Duration = Duration::from_secs(2);

/// One numbered frame.
pub(super) type Frame = (i64, String);

/// Follows whole networks.
pub(super) fn follow_networks(stage: &Stage, mut random: Random) {
    while !stage.is_over() {
        let network = random.pick(&stage.networks);
        follow(stage, network, None, &mut random);
    }
}

/// Follows agents. Nobody else does: what one stream has left out, no other fills in.
pub(super) fn follow_agents(stage: &Stage, mut random: Random) {
    while !stage.is_over() {
        let network = random.pick(&stage.networks);
        let alias = *random.pick(&ALIASES);
        follow(stage, network, Some(alias), &mut random);
    }
}

/// Follows somebody for a while, from where the last stream of them ended.
fn follow(stage: &Stage, network: &Network, alias: Option<&'static str>, random: &mut Random) {
    let until = Instant::now() + Duration::from_millis(500 + random.below(4_000));
    let key = (network.number, alias);
    let mut last = {
        let book = stage.ledger.book();
        book.streams.get(&key).and_then(|frames| frames.last_key_value()).map_or(0, |(n, _)| *n)
    };
    let mut found = Vec::new();
    let (client, path) = channel(network, alias);
    let read = read(client, stage.any_hub(), &path, last, |(n, body)| {
        if body.contains(r#""type":"reset""#) {
            found.push(format!("{key:?}: the stream after {last} was reset to {n}"));
            return false;
        }
        if n <= last || alias.is_none() && n != last + 1 {
            found.push(format!("{key:?}: frame {n} came after {last}"));
        }
        last = n;
        stage.ledger.book().streams.entry(key).or_default().insert(n, body);
        Instant::now() < until && !stage.is_over()
    });
    let is_well = read.is_some() && found.is_empty();
    stage.ledger.fault(if is_well { "a stream, left" } else { "a stream, cut off or not opened" });
    found.into_iter().for_each(|what| stage.ledger.finding(what));
}

/// Whose token is sent, and the path of a stream.
pub(super) fn channel<'a>(network: &'a Network, alias: Option<&'static str>) -> (&'a Client, String) {
    match alias {
        None => (&network.tenant.user, format!("/events/network/{}", network.tenant.network_id)),
        Some(alias) => {
            let place = ALIASES.iter().position(|other| *other == alias).unwrap();
            (&network.agents[place], format!("/events/{alias}"))
        }
    }
}

/// Reads a stream after this number until `go_on` has enough, or nothing comes for a while. None if it was cut off or not
/// opened. Over HTTP/1.0, whose streams are not chunked.
pub(super) fn read(
    client: &Client,
    at: SocketAddr,
    path: &str,
    after: i64,
    mut go_on: impl FnMut(Frame) -> bool,
) -> Option<()> {
    let mut socket = TcpStream::connect_timeout(&at, PATIENCE).ok()?;
    socket.set_read_timeout(Some(PATIENCE)).ok()?;
    let token = client.token.as_deref().unwrap();
    let request = format!(
        "GET {path} HTTP/1.0\r\nhost: {at}\r\nauthorization: Bearer {token}\r\naccept: text/event-stream\r\n\
         last-event-id: {after}\r\n\r\n"
    );
    socket.write_all(request.as_bytes()).ok()?;
    let mut lines = BufReader::new(socket).lines();
    if !lines.next()?.ok()?.contains(" 200 ") {
        return None;
    }
    let mut number = None;
    for line in lines {
        let line = match line {
            Ok(line) => line,
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => return Some(()),
            Err(_) => return None,
        };
        if let Some(n) = line.strip_prefix("id: ") {
            number = n.parse().ok();
        } else if let (Some(body), Some(n)) = (line.strip_prefix("data: "), number) {
            number = None;
            if !go_on((n, body.to_owned())) {
                return Some(());
            }
        }
    }
    None
}
