//! JSON inside messages: protobuf's `Struct` and `Value`, and times.

use chrono::{DateTime, SecondsFormat, Utc};
use prost_types::value::Kind;
use prost_types::{ListValue, Struct, Timestamp};
use serde_json::{Map, Number, Value};

use super::A2aError;

/// Up to here every whole number is a double.
const EXACT_MAX: f64 = 9_007_199_254_740_992.0;

pub(super) fn object(given: Struct) -> Result<Map<String, Value>, A2aError> {
    given.fields.into_iter().map(|(name, given)| Ok((name, value(given)?))).collect()
}

pub(super) fn value(given: prost_types::Value) -> Result<Value, A2aError> {
    Ok(match given.kind {
        None | Some(Kind::NullValue(_)) => Value::Null,
        Some(Kind::BoolValue(flag)) => flag.into(),
        Some(Kind::StringValue(text)) => text.into(),
        Some(Kind::NumberValue(number)) => self::number(number)?,
        Some(Kind::StructValue(members)) => object(members)?.into(),
        Some(Kind::ListValue(list)) => {
            list.values.into_iter().map(value).collect::<Result<Vec<_>, _>>()?.into()
        }
    })
}

/// Protobuf has doubles only; a whole one is printed as JSON prints it.
fn number(given: f64) -> Result<Value, A2aError> {
    if given.fract() == 0.0 && given.abs() <= EXACT_MAX {
        return Ok((given as i64).into());
    }
    let number = Number::from_f64(given).map(Value::Number);
    number.ok_or_else(|| A2aError::params(format!("{given} is no JSON number")))
}

pub(super) fn of_object(members: impl IntoIterator<Item = (String, Value)>) -> Struct {
    Struct { fields: members.into_iter().map(|(name, value)| (name, of_value(value))).collect() }
}

pub(super) fn of_value(value: Value) -> prost_types::Value {
    let kind = match value {
        Value::Null => Kind::NullValue(0),
        Value::Bool(flag) => Kind::BoolValue(flag),
        Value::String(text) => Kind::StringValue(text),
        Value::Number(number) => Kind::NumberValue(number.as_f64().unwrap_or_default()),
        Value::Object(members) => Kind::StructValue(of_object(members)),
        Value::Array(values) => {
            Kind::ListValue(ListValue { values: values.into_iter().map(of_value).collect() })
        }
    };
    prost_types::Value { kind: Some(kind) }
}

/// As ProtoJSON has it.
pub(super) fn time(given: Timestamp) -> Result<String, A2aError> {
    let nanos = u32::try_from(given.nanos).ok();
    let time = nanos.and_then(|nanos| DateTime::<Utc>::from_timestamp(given.seconds, nanos));
    let time = time.ok_or_else(|| A2aError::params("statusTimestampAfter must be a time"))?;
    Ok(time.to_rfc3339_opts(SecondsFormat::AutoSi, true))
}

pub(super) fn of_time(time: DateTime<Utc>) -> Timestamp {
    let nanos = i32::try_from(time.timestamp_subsec_nanos().min(999_999_999)).unwrap_or_default();
    Timestamp { seconds: time.timestamp(), nanos }
}
