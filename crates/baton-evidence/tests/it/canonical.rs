//! RFC 8785: its own examples, and agreement between the two ways into the writer.

use baton_evidence::canonical::{self, Strictness, TextError, Violation, Writer};
use proptest::prelude::*;
use serde::Serialize;
use serde_json::{Value, json};

const STRICTNESS: Strictness = Strictness { depth: 64, names: 10_000, characters: 1_048_576 };

fn transcoded(text: &str) -> Result<String, TextError> {
    let mut writer = Writer::new();
    let transcoded = canonical::transcode(&mut writer, text, &STRICTNESS);
    // A check alone refuses the same, in the same words.
    let told = |outcome: &Result<(), TextError>| outcome.as_ref().map_err(ToString::to_string).copied();
    assert_eq!(told(&canonical::check(text, &STRICTNESS)), told(&transcoded), "{text}");
    transcoded?;
    Ok(String::from_utf8(writer.bytes().to_vec()).unwrap())
}

fn typed(value: &impl Serialize) -> String {
    String::from_utf8(canonical::to_vec(value).unwrap()).unwrap()
}

#[test]
fn the_rfc_s_example_comes_out_as_the_rfc_prints_it() {
    let input = r#"{
        "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
        "literals": [null, true, false]
    }"#;
    let expected = r#"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}"#;
    assert_eq!(transcoded(input).unwrap(), expected);
    assert_eq!(typed(&serde_json::from_str::<Value>(input).unwrap()), expected);
}

#[test]
fn names_are_sorted_by_utf16_code_units() {
    let input = r#"{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh",
        "1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}"#;
    let expected = "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u{80}\":\"Control\",\"ö\":\"Latin Small Letter O With Diaeresis\",\
        \"€\":\"Euro Sign\",\"😀\":\"Emoji: Grinning Face\",\"\u{fb33}\":\"Hebrew Letter Dalet With Dagesh\"}";
    assert_eq!(transcoded(input).unwrap(), expected);
}

#[test]
fn numbers_print_as_ecmascript_prints_doubles() {
    for (input, expected) in [
        ("0", "0"),
        ("-0", "0"),
        ("-0.0", "0"),
        ("1.0", "1"),
        ("9007199254740992", "9007199254740992"),
        ("9007199254740993", "9007199254740992"),
        ("18446744073709551615", "18446744073709552000"),
        ("-9223372036854775808", "-9223372036854776000"),
        ("1e21", "1e+21"),
        ("1e-7", "1e-7"),
        ("5e-324", "5e-324"),
        ("1.7976931348623157e308", "1.7976931348623157e+308"),
        ("0.1", "0.1"),
        ("295147905179352825856", "295147905179352830000"),
        ("9.999999999999997e22", "9.999999999999997e+22"),
        ("333333333.33333329", "333333333.3333333"),
    ] {
        assert_eq!(transcoded(input).unwrap(), expected, "{input}");
        assert_eq!(typed(&serde_json::from_str::<Value>(input).unwrap()), expected, "{input}");
    }
}

#[test]
fn what_has_no_canonical_form_is_an_error() {
    assert!(canonical::to_vec(&f64::NAN).is_err());
    assert!(canonical::to_vec(&f64::INFINITY).is_err());
    assert!(canonical::to_vec(&std::collections::BTreeMap::from([(1, 2)])).is_err());
}

#[test]
fn a_repeated_name_is_refused_wherever_it_stands() {
    for text in [
        r#"{"a":1,"a":1}"#,
        r#"{"b":1,"a":1,"b":2}"#,
        r#"[{"x":{"a":1,"\u0061":2}}]"#,
        r#"{"a":1,"b":{"c":1,"d":2,"c":3}}"#,
        r#"{"\n":1,"b":2,"\u000a":3}"#,
        r#"{"\u0062":1,"a":2,"b":3}"#,
    ] {
        let refused = transcoded(text);
        assert!(matches!(refused, Err(TextError::Violation(Violation::RepeatedName))), "{text}: {refused:?}");
    }
}

#[test]
fn bounds_allow_their_number_and_refuse_one_more() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(transcoded(&nested(64)).is_ok());
    assert!(matches!(transcoded(&nested(65)), Err(TextError::Violation(Violation::Depth(64)))));

    let object = |names: usize| {
        let members: Vec<String> = (0..names).map(|name| format!("\"{name}\":0")).collect();
        format!("{{{}}}", members.join(","))
    };
    assert!(transcoded(&object(10_000)).is_ok());
    assert!(matches!(transcoded(&object(10_001)), Err(TextError::Violation(Violation::Names(10_000)))));

    let string = |characters: usize| format!("\"{}\"", "é".repeat(characters));
    assert!(transcoded(&string(1_048_576)).is_ok());
    let refused = transcoded(&string(1_048_577));
    assert!(matches!(refused, Err(TextError::Violation(Violation::Characters(1_048_576)))));
}

#[test]
fn text_that_is_not_one_json_value_is_refused() {
    for text in ["", "1 2", "{", r#""\ud800""#, r#""\x""#, "1e999", "\u{feff}1", "[1,]", "{\"a\":1,}", "nul"]
    {
        assert!(matches!(transcoded(text), Err(TextError::Syntax(_))), "{text}");
    }
}

#[test]
fn a_map_is_sorted_whatever_order_it_is_serialized_in() {
    #[derive(Serialize)]
    struct Unsorted {
        zeta: u8,
        #[serde(rename = "adapter_version")]
        second: &'static str,
        adapter_id: Option<u8>,
        nested: Value,
    }
    let value =
        Unsorted { zeta: 1, second: "x\ny", adapter_id: None, nested: json!({"b":[{"d":1,"c":2}],"a":{}}) };
    let expected =
        r#"{"adapter_id":null,"adapter_version":"x\ny","nested":{"a":{},"b":[{"c":2,"d":1}]},"zeta":1}"#;
    assert_eq!(typed(&value), expected);
}

/// Any JSON value; names from a small alphabet so that prefixes, escapes and the UTF-16 order all meet.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_filter("finite", |number| number.is_finite()).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    let name = "[a\"\\\\\u{1}\u{e9}\u{e000}\u{ffff}😀]{0,12}";
    leaf.prop_recursive(5, 64, 8, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(name, inner, 0..8).prop_map(|members| members.into_iter().collect()),
        ]
    })
}

/// The members of every object in UTF-16 order, by the definition.
fn is_in_order(value: &Value, text: &str) -> bool {
    let mut json: serde_json::Deserializer<_> = serde_json::Deserializer::from_str(text);
    let names = <NamesInOrder as serde::Deserialize>::deserialize(&mut json);
    names.is_ok() && serde_json::from_str::<Value>(text).unwrap() == as_doubles(value)
}

/// Numbers as RFC 8785 sees them.
fn as_doubles(value: &Value) -> Value {
    match value {
        Value::Number(number) => {
            let text = typed(&number.as_f64().unwrap());
            serde_json::from_str(&text).unwrap()
        }
        Value::Array(items) => items.iter().map(as_doubles).collect(),
        Value::Object(members) => {
            members.iter().map(|(name, value)| (name.clone(), as_doubles(value))).collect()
        }
        other => other.clone(),
    }
}

struct NamesInOrder;

impl<'de> serde::Deserialize<'de> for NamesInOrder {
    fn deserialize<D: serde::Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> serde::de::Visitor<'de> for InOrder {
            type Value = NamesInOrder;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("objects in order")
            }
            fn visit_unit<E>(self) -> Result<NamesInOrder, E> {
                Ok(NamesInOrder)
            }
            fn visit_bool<E>(self, _: bool) -> Result<NamesInOrder, E> {
                Ok(NamesInOrder)
            }
            fn visit_u64<E>(self, _: u64) -> Result<NamesInOrder, E> {
                Ok(NamesInOrder)
            }
            fn visit_i64<E>(self, _: i64) -> Result<NamesInOrder, E> {
                Ok(NamesInOrder)
            }
            fn visit_f64<E>(self, _: f64) -> Result<NamesInOrder, E> {
                Ok(NamesInOrder)
            }
            fn visit_str<E>(self, _: &str) -> Result<NamesInOrder, E> {
                Ok(NamesInOrder)
            }
            fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut items: A) -> Result<NamesInOrder, A::Error> {
                while items.next_element::<NamesInOrder>()?.is_some() {}
                Ok(NamesInOrder)
            }
            fn visit_map<A: serde::de::MapAccess<'de>>(
                self,
                mut members: A,
            ) -> Result<NamesInOrder, A::Error> {
                let mut before: Option<Vec<u16>> = None;
                while let Some((name, _)) = members.next_entry::<String, NamesInOrder>()? {
                    let name: Vec<u16> = name.encode_utf16().collect();
                    if before.is_some_and(|before| before >= name) {
                        return Err(serde::de::Error::custom("out of order"));
                    }
                    before = Some(name);
                }
                Ok(NamesInOrder)
            }
        }
        json.deserialize_any(InOrder)
    }
}

proptest! {
    #[test]
    fn typed_values_and_text_give_the_same_canonical_bytes(value in any_json()) {
        let canonical = typed(&value);
        prop_assert_eq!(&transcoded(&serde_json::to_string(&value).unwrap()).unwrap(), &canonical);
        prop_assert_eq!(&transcoded(&serde_json::to_string_pretty(&value).unwrap()).unwrap(), &canonical);
        prop_assert_eq!(&transcoded(&canonical).unwrap(), &canonical);
        prop_assert!(is_in_order(&value, &canonical), "{}", canonical);
    }

    #[test]
    fn we_agree_with_serde_jcs(value in any_json()) {
        prop_assert_eq!(typed(&value), serde_jcs::to_string(&value).unwrap());
    }

    #[test]
    fn repeated_names_are_found_whichever_way_they_are_written(
        names in prop::collection::vec(prop::sample::select(&["a", "\\u0061", "b", "\\u0062", "\\n", "\\u000A", "ab"][..]), 0..5)
    ) {
        let members: Vec<String> = names.iter().map(|name| format!("\"{name}\":0")).collect();
        let text = format!("{{{}}}", members.join(","));
        let distinct = serde_json::from_str::<Value>(&text).unwrap().as_object().unwrap().len();
        prop_assert_eq!(transcoded(&text).is_ok(), distinct == names.len(), "{}", text);
    }

    #[test]
    fn any_text_is_transcoded_or_refused(text in ".{0,64}") {
        let _ = transcoded(&text);
    }
}
