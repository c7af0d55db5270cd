//! How messages are read and written: as prost does it, but a message that would take many times its bytes in memory is
//! refused before it is decoded.

use baton_core::limits;
use prost::Message;
use prost::bytes::Buf;
use std::marker::PhantomData;
use tonic::Status;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic_prost::ProstCodec;

use super::elements::{self, Refused, Shaped};
use super::{A2aError, Kind};

/// The codec of the generated service: it answers `T` and is asked `U`.
pub(super) struct MessageCodec<T, U>(PhantomData<(T, U)>);

impl<T, U> Default for MessageCodec<T, U> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<T, U> Codec for MessageCodec<T, U>
where
    T: Message + Send + 'static,
    U: Message + Default + Shaped + Send + 'static,
{
    type Encode = T;
    type Decode = U;
    type Encoder = MessageEncoder<T>;
    type Decoder = MessageDecoder<U>;

    fn encoder(&mut self) -> Self::Encoder {
        MessageEncoder(ProstCodec::<T, U>::default().encoder())
    }

    fn decoder(&mut self) -> Self::Decoder {
        MessageDecoder(PhantomData)
    }
}

/// What writes messages: prost's.
pub(super) struct MessageEncoder<T>(tonic_prost::ProstEncoder<T>);

impl<T: Message> Encoder for MessageEncoder<T> {
    type Item = T;
    type Error = Status;

    fn encode(&mut self, item: T, into: &mut EncodeBuf<'_>) -> Result<(), Status> {
        self.0.encode(item, into)
    }
}

/// What reads messages.
pub(super) struct MessageDecoder<U>(PhantomData<U>);

impl<U: Message + Default + Shaped> Decoder for MessageDecoder<U> {
    type Item = U;
    type Error = Status;

    fn decode(&mut self, source: &mut DecodeBuf<'_>) -> Result<Option<U>, Status> {
        // Exactly one message, and no copy of it.
        let bytes = source.copy_to_bytes(source.remaining());
        elements::check(&bytes, U::SHAPE).map_err(A2aError::from)?;
        let decoded = U::decode(bytes);
        decoded.map(Some).map_err(|error| A2aError::new(Kind::ParseError, error.to_string()).into())
    }
}

impl From<Refused> for A2aError {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::TooMany => Self::new(
                Kind::ResourceExhausted,
                format!(
                    "a message may have at most {} fields, parts and elements of lists in all; send less at a time, \
                     or a long list as text or a file",
                    limits::GRPC_ELEMENTS_MAX_COUNT
                ),
            ),
            Refused::TooDeep => Self::new(
                Kind::ParseError,
                format!("a message may be nested at most {} deep", limits::GRPC_DEPTH_MAX),
            ),
            Refused::Broken => {
                Self::new(Kind::ParseError, "the bytes are not a protobuf message; send one of lf.a2a.v1")
            }
        }
    }
}
