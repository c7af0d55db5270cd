//! Notifies the service manager that started the hub: ready, stopping. systemd's protocol
//! (sd_notify): one datagram to the socket in `NOTIFY_SOCKET`. Without that variable nothing is sent.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};

/// The state of a service, as systemd spells it.
#[derive(Debug, Clone, Copy)]
pub(super) enum State {
    Ready,
    Stopping,
}

/// Notifies the service manager. One that cannot be notified is not a reason to stop serving.
pub(super) fn tell(state: State) {
    let Some(socket) = std::env::var_os("NOTIFY_SOCKET").filter(|socket| !socket.is_empty()) else { return };
    if let Err(error) = send(&socket, state) {
        tracing::warn!(%error, ?state, "the service manager could not be notified");
    }
}

fn send(socket: &OsStr, state: State) -> io::Result<()> {
    let datagram = UnixDatagram::unbound()?;
    // A manager that does not read must not hold up the hub.
    datagram.set_nonblocking(true)?;
    let word = match state {
        State::Ready => "READY=1",
        State::Stopping => "STOPPING=1",
    };
    datagram.send_to_addr(word.as_bytes(), &address(socket)?).map(drop)
}

/// A path, or with `@` in front a name in Linux's abstract name space.
fn address(socket: &OsStr) -> io::Result<SocketAddr> {
    #[cfg(target_os = "linux")]
    if let Some(name) = socket.as_bytes().strip_prefix(b"@") {
        return <SocketAddr as std::os::linux::net::SocketAddrExt>::from_abstract_name(name);
    }
    SocketAddr::from_pathname(socket)
}
