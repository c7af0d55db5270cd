//! A command's end of the control socket.

use baton_core::limits;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;

use super::{Answer, Command};

/// A conversation with a running hub.
pub struct Control {
    stream: BufReader<UnixStream>,
}

#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    #[error("cannot talk to the running hub: {0}")]
    Io(#[from] io::Error),
    #[error("the hub answered something else; is it another version of baton?")]
    Unexpected,
    #[error("the hub refused: {0}")]
    Refused(String),
}

impl Control {
    /// Connects to the hub of a folder; none if no hub runs there.
    pub fn connect(socket: &Path) -> Result<Option<Self>, ControlError> {
        let stream = match UnixStream::connect(socket) {
            Ok(stream) => stream,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::ConnectionRefused) => {
                return Ok(None);
            }
            Err(error) => return Err(error.into()),
        };
        stream.set_read_timeout(Some(limits::CONTROL_LINE_MAX))?;
        stream.set_write_timeout(Some(limits::CONTROL_LINE_MAX))?;
        Ok(Some(Self { stream: BufReader::new(stream) }))
    }

    /// Asks, and receives the answer.
    pub fn ask(&mut self, command: &Command) -> Result<Answer, ControlError> {
        let line = serde_json::to_string(command).map_err(io::Error::from)? + "\n";
        self.stream.get_mut().write_all(line.as_bytes())?;
        self.hear()
    }

    /// Reads the next answer.
    pub fn hear(&mut self) -> Result<Answer, ControlError> {
        let mut line = String::new();
        self.stream.by_ref().take(limits::CONTROL_LINE_MAX_BYTES).read_line(&mut line)?;
        if line.is_empty() {
            return Err(io::Error::new(ErrorKind::UnexpectedEof, "it has gone").into());
        }
        match serde_json::from_str(&line) {
            Ok(Answer::Refused { message }) => Err(ControlError::Refused(message)),
            Ok(answer) => Ok(answer),
            Err(_) => Err(ControlError::Unexpected),
        }
    }

    /// Waits until the hub hangs up: after `Stop` that is when it has let go of its folder.
    pub fn wait_for_end(mut self) -> Result<(), ControlError> {
        match self.stream.read_to_end(&mut Vec::new()) {
            Err(error) if error.kind() != ErrorKind::ConnectionReset => Err(error.into()),
            _ => Ok(()),
        }
    }
}
