//! The bounds on a packet's shape: depth, array length, which of the two is reported, and that only what is part of
//! the document counts.

use baton_adapter::Options;

use super::packets::{convert_with, lenient, refusal};

fn depth(bound: usize) -> Options {
    Options { max_json_depth: Some(bound), ..lenient() }
}

fn length(bound: usize) -> Options {
    Options { max_array_length: Some(bound), ..lenient() }
}

fn both(depth: usize, length: usize) -> Options {
    Options { max_json_depth: Some(depth), max_array_length: Some(length), ..lenient() }
}

fn packet(members: &str) -> String {
    format!(r#"{{"protocol":"a2a","version":"0.2",{members}}}"#)
}

#[track_caller]
fn accepts(packet: &str, options: &Options) {
    if let Err(error) = convert_with(packet.as_bytes(), options) {
        panic!("{packet}: {error}");
    }
}

#[track_caller]
fn refuses(packet: &str, options: &Options, message: &str) {
    assert_eq!(refusal(packet, options).1, format!("payload exceeds {message}"), "{packet}");
}

/// Every room a value can stand in: the packet, a part, a leaf, capabilities, attributes, a key nobody reads.
const ROOMS: [&str; 7] = [
    r#""x":VALUE"#,
    r#""attributes":VALUE"#,
    r#""task":VALUE"#,
    r#""timestamp":VALUE"#,
    r#""agent":VALUE"#,
    r#""event_type":VALUE"#,
    r#""message":VALUE"#,
];
const INNER_ROOMS: [&str; 5] = [
    r#""x":{"y":VALUE}"#,
    r#""attributes":{"y":VALUE}"#,
    r#""task":{"kind":VALUE}"#,
    r#""task":{"y":VALUE}"#,
    r#""agent":{"capabilities":VALUE}"#,
];

#[test]
fn the_root_has_depth_1_and_scalars_count() {
    refuses("{}", &depth(0), "max_json_depth (0)");
    refuses("1", &depth(0), "max_json_depth (0)");
    refuses(&packet(r#""x":1"#), &depth(1), "max_json_depth (1)");
    for room in ROOMS {
        for (value, deep) in
            [("1", 2), ("[]", 2), ("{}", 2), ("[1]", 3), (r#"{"y":1}"#, 3), (r#"{"y":[{}]}"#, 4)]
        {
            let packet = packet(&room.replace("VALUE", value));
            accepts(&packet, &depth(deep));
            refuses(&packet, &depth(deep - 1), &format!("max_json_depth ({})", deep - 1));
        }
    }
    for room in INNER_ROOMS {
        for (value, deep) in [("null", 3), ("[]", 3), (r#"[""]"#, 4), (r#"{"y":[]}"#, 4), ("[[[]]]", 5)] {
            let packet = packet(&room.replace("VALUE", value));
            accepts(&packet, &depth(deep));
            refuses(&packet, &depth(deep - 1), &format!("max_json_depth ({})", deep - 1));
        }
    }
}

#[test]
fn an_array_may_have_its_bound_and_no_more() {
    for room in ROOMS.into_iter().chain(INNER_ROOMS) {
        let packet = |value: &str| packet(&room.replace("VALUE", value));
        accepts(&packet("[]"), &length(0));
        refuses(&packet("[1]"), &length(0), "max_array_length (0)");
        accepts(&packet("[1,[],[3,4]]"), &length(3));
        refuses(&packet("[1,[],[3,4]]"), &length(2), "max_array_length (2)");
        refuses(&packet(r#"{"y":[1,2,3]}"#), &length(2), "max_array_length (2)");
        refuses(&packet("[[1,2,3]]"), &length(2), "max_array_length (2)");
        refuses(&packet(r#"["a","b","c"]"#), &length(2), "max_array_length (2)");
        accepts(&packet(r#"{"a":1,"b":2,"c":3}"#), &length(0));
    }
    refuses("[1,2]", &length(1), "max_array_length (1)");
}

#[test]
fn of_two_bounds_the_one_met_first_in_the_document_is_told() {
    let deep = r#"{"1":{"2":3}}"#;
    refuses(&packet(&format!(r#""b":{deep},"a":[1,2]"#)), &both(3, 1), "max_json_depth (3)");
    refuses(&packet(&format!(r#""b":[1,2],"a":{deep}"#)), &both(3, 1), "max_array_length (1)");
    // An array is met before what is in it, and its own depth before its length.
    refuses(&packet(r#""a":[[[1]],2]"#), &both(3, 1), "max_array_length (1)");
    refuses(&packet(r#""a":[[[1]]]"#), &both(3, 1), "max_json_depth (3)");
    refuses(&packet(r#""a":[[1,2]]"#), &both(2, 1), "max_json_depth (2)");
    refuses(&packet(r#""a":[[1,2]]"#), &both(3, 1), "max_array_length (1)");
    refuses("[1,2]", &both(1, 1), "max_array_length (1)");
    refuses("[1,2]", &both(0, 1), "max_json_depth (0)");
    refuses(&packet(r#""attributes":{"b":[1,2],"a":[[0]]}"#), &both(4, 1), "max_array_length (1)");
    refuses(&packet(r#""attributes":{"b":[[0]],"a":[1,2]}"#), &both(4, 1), "max_json_depth (4)");
}

#[test]
fn of_two_members_with_the_same_key_only_the_last_is_part_of_the_document() {
    for room in [r#"MEMBERS"#, r#""attributes":{MEMBERS}"#, r#""y":{"z":{MEMBERS}}"#, r#""task":{MEMBERS}"#] {
        let packet = |members: &str| packet(&room.replace("MEMBERS", members));
        accepts(&packet(r#""x":[[[[[1]]]]],"x":1"#), &depth(5));
        accepts(&packet(r#""x":[1,2,3],"\u0078":[]"#), &length(1));
        refuses(&packet(r#""x":1,"x":[[[[[1]]]]]"#), &depth(5), "max_json_depth (5)");
        refuses(&packet(r#""x":[],"\u0078":[1,2]"#), &length(1), "max_array_length (1)");
        accepts(&packet(r#""x":{"x":[1,2]},"x":[1],"y":[1,2],"y":{}"#), &both(5, 1));
    }
    // The duplicate's place is where the last one stands.
    refuses(&packet(r#""x":0,"y":[1,2],"x":[[1]]"#), &both(3, 1), "max_array_length (1)");
    refuses(&packet(r#""x":[1,2],"y":[[1]],"x":[1,2]"#), &both(3, 1), "max_json_depth (3)");
}

#[test]
fn a_text_may_nest_127_containers_and_no_more() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    for room in ROOMS {
        let packet = |depth: usize| packet(&room.replace("VALUE", &nested(depth - 1)));
        accepts(&packet(127), &lenient());
        let (_, message) = refusal(&packet(128), &lenient());
        assert!(message.starts_with("invalid A2A payload JSON: "), "{message}");
    }
    for endless in
        ["[".repeat(1 << 20), r#"{"":"#.repeat(1 << 18), packet(r#""attributes":"#) + &"[".repeat(1 << 20)]
    {
        let (_, message) = refusal(&endless, &lenient());
        assert!(message.starts_with("invalid A2A payload JSON: "), "{message}");
    }
    // The parse comes before the shape: a text that nests too deep is no text, whatever the bound.
    let (_, message) = refusal(&nested(128), &depth(3));
    assert!(message.starts_with("invalid A2A payload JSON: "), "{message}");
}
