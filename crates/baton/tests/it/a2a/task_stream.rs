//! A task's stream by any binding, frame by frame.

use super::grpc_call::Updates;
use crate::it::http::{Frame, Stream};

pub(super) enum TaskStream {
    OverHttp(Stream),
    Grpc(Box<Updates>),
}

impl From<Stream> for TaskStream {
    fn from(stream: Stream) -> Self {
        Self::OverHttp(stream)
    }
}

/// Each frame until the hub ends the stream. Those of gRPC have no id.
impl Iterator for TaskStream {
    type Item = Frame;

    fn next(&mut self) -> Option<Frame> {
        match self {
            Self::OverHttp(stream) => stream.next_frame(),
            Self::Grpc(updates) => {
                let data = updates.next().unwrap_or_else(|status| panic!("{status}"))?;
                Some(Frame { id: None, data })
            }
        }
    }
}
