//! How many fields an encoded message has, its nested messages' among them, counted without decoding it. The count goes by
//! the fields that are messages; texts and bytes are passed over.

use baton_core::limits;
use prost::bytes::Buf;

use super::generated as pb;

/// Which fields of a message are messages themselves.
pub(super) struct Shape {
    messages: &'static [(usize, &'static Shape)],
}

/// A message whose elements can be counted.
pub(super) trait Shaped {
    const SHAPE: &'static Shape;
}

/// Why a message is not decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refused {
    TooMany,
    TooDeep,
    Broken,
}

static FLAT: Shape = Shape { messages: &[] };
// google.protobuf.Struct, an entry of its map, Value and ListValue.
static STRUCT: Shape = Shape { messages: &[(1, &ENTRY)] };
static ENTRY: Shape = Shape { messages: &[(2, &VALUE)] };
static VALUE: Shape = Shape { messages: &[(5, &STRUCT), (6, &LIST)] };
static LIST: Shape = Shape { messages: &[(1, &VALUE)] };
static PART: Shape = Shape { messages: &[(4, &VALUE), (5, &STRUCT)] };
static MESSAGE: Shape = Shape { messages: &[(5, &PART), (6, &STRUCT)] };
static RECEIVER: Shape = Shape { messages: &[(6, &FLAT)] };
static CONFIGURATION: Shape = Shape { messages: &[(2, &RECEIVER)] };
static SEND: Shape = Shape { messages: &[(2, &MESSAGE), (3, &CONFIGURATION), (4, &STRUCT)] };
static CANCEL: Shape = Shape { messages: &[(3, &STRUCT)] };
static LIST_TASKS: Shape = Shape { messages: &[(7, &FLAT)] };

macro_rules! shaped {
    ($($message:ident: $shape:ident,)+) => {$(
        impl Shaped for pb::$message {
            const SHAPE: &'static Shape = &$shape;
        }
    )+};
}

shaped! {
    SendMessageRequest: SEND,
    GetTaskRequest: FLAT,
    ListTasksRequest: LIST_TASKS,
    CancelTaskRequest: CANCEL,
    SubscribeToTaskRequest: FLAT,
    TaskPushNotificationConfig: RECEIVER,
    GetTaskPushNotificationConfigRequest: FLAT,
    ListTaskPushNotificationConfigsRequest: FLAT,
    DeleteTaskPushNotificationConfigRequest: FLAT,
    GetExtendedAgentCardRequest: FLAT,
}

/// Refuses a message that has too many.
pub(super) fn check(message: &[u8], shape: &Shape) -> Result<(), Refused> {
    let mut left = limits::GRPC_ELEMENTS_MAX_COUNT;
    walk(message, shape, &mut left, limits::GRPC_DEPTH_MAX)
}

fn walk(mut message: &[u8], shape: &Shape, left: &mut usize, depth: usize) -> Result<(), Refused> {
    while !message.is_empty() {
        *left = left.checked_sub(1).ok_or(Refused::TooMany)?;
        let key = number(&mut message)?;
        match key & 7 {
            0 => drop(number(&mut message)?),
            1 => drop(take(&mut message, 8)?),
            2 => {
                let length = number(&mut message)?;
                let inner = take(&mut message, length)?;
                if let Some((_, shape)) = shape.messages.iter().find(|(field, _)| *field == key >> 3) {
                    walk(inner, shape, left, depth.checked_sub(1).ok_or(Refused::TooDeep)?)?;
                }
            }
            // The ends of a group: what is in it counts like the fields around it.
            3 | 4 => {}
            5 => drop(take(&mut message, 4)?),
            _ => return Err(Refused::Broken),
        }
    }
    Ok(())
}

fn number(message: &mut &[u8]) -> Result<usize, Refused> {
    prost::decode_length_delimiter(message).map_err(|_| Refused::Broken)
}

fn take<'m>(message: &mut &'m [u8], length: usize) -> Result<&'m [u8], Refused> {
    let taken = message.get(..length).ok_or(Refused::Broken)?;
    message.advance(length);
    Ok(taken)
}

#[cfg(test)]
mod tests {
    use prost::Message as _;

    use super::*;

    /// A field that is a message or a text.
    fn field(number: u8, inner: &[u8]) -> Vec<u8> {
        let mut bytes = vec![(number << 3) | 2];
        prost::encode_length_delimiter(inner.len(), &mut bytes).unwrap();
        bytes.extend(inner);
        bytes
    }

    #[test]
    fn every_field_of_a_message_counts_and_a_text_counts_once() {
        let most = limits::GRPC_ELEMENTS_MAX_COUNT;
        let nested = |path: &[u8], element: &[u8], count: usize| {
            path.iter().rev().fold(element.repeat(count), |inner, number| field(*number, &inner))
        };
        // How deep each is, and what is repeated there.
        let repeated: [(&[u8], Vec<u8>, &str); 6] = [
            (&[2], field(5, &[]), "parts"),
            (&[2], field(7, &[]), "extensions"),
            (&[2, 5, 4, 6], field(1, &[]), "values of a list in a part"),
            (&[4], field(1, &[]), "entries of metadata"),
            (&[3], field(1, &[]), "accepted modes"),
            (&[3, 2, 6], field(9, &[]), "fields that nobody knows"),
        ];
        for (path, element, what) in repeated {
            let fits = nested(path, &element, most - path.len());
            assert_eq!(check(&fits, &SEND), Ok(()), "{what}");
            assert_eq!(check(&nested(path, &element, most), &SEND), Err(Refused::TooMany), "{what}");
            assert!(pb::SendMessageRequest::decode(&*fits).is_ok(), "{what}: it is such a message");
        }
        // The same bytes as a text are one field.
        assert_eq!(check(&nested(&[2, 1], &field(5, &[]), 2 * most), &SEND), Ok(()));
    }

    #[test]
    fn what_prost_cannot_read_is_refused() {
        let broken: [&[u8]; 6] = [
            b"\x0a",
            b"\x0a\x05x",
            b"\x09\x00",
            b"\x0d\x00",
            b"\x0f",
            b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
        ];
        for bytes in broken {
            assert_eq!(check(bytes, &SEND), Err(Refused::Broken), "{bytes:?}");
            assert!(pb::SendMessageRequest::decode(bytes).is_err(), "{bytes:?}");
        }
        let deep = (0..200).fold(Vec::new(), |inner, _| field(6, &field(1, &inner)));
        assert_eq!(check(&deep, &VALUE), Err(Refused::TooDeep));
        assert!(prost_types::Value::decode(&*deep).is_err());
    }
}
