//! What the signature of an agent's card is over: RFC 8785 of the card without its signatures and without what is
//! empty, as the protocol's own clients compute it. The hub signs its own cards over it and checks others' with it.

use baton_evidence::canonical;
use serde_json::{Map, Value};

/// The canonical bytes of a card.
pub fn canonical_card(mut card: Value) -> Result<Vec<u8>, canonical::Error> {
    if let Some(members) = card.as_object_mut() {
        members.remove("signatures");
    }
    canonical::to_vec(&without_empty(card))
}

/// A value without texts, lists and objects that are empty, also once what is empty in them is gone.
fn without_empty(value: Value) -> Option<Value> {
    match value {
        Value::Object(members) => {
            let kept: Map<_, _> =
                members.into_iter().filter_map(|(name, value)| Some((name, without_empty(value)?))).collect();
            (!kept.is_empty()).then_some(Value::Object(kept))
        }
        Value::Array(items) => {
            let kept: Vec<_> = items.into_iter().filter_map(without_empty).collect();
            (!kept.is_empty()).then_some(Value::Array(kept))
        }
        Value::String(text) if text.is_empty() => None,
        Value::Null => None,
        other => Some(other),
    }
}
