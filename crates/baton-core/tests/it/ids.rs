//! The forms of ids and secrets.

use baton_core::{
    BearerToken, InviteCode, LeaseId, MessageId, NetworkId, NodeToken, TaskId, TokenId, UnixMillis, UserId,
    UserToken,
};

#[test]
fn ids_are_a_prefix_and_lower_case_hex() {
    let bytes = [0x0a, 0xff, 0, 1, 2, 3];
    assert_eq!(UserId::from_random(bytes).as_str(), "u_0aff00010203");
    assert_eq!(NetworkId::from_random(bytes).as_str(), "net_0aff00010203");
    assert_eq!(TokenId::from_random(bytes).to_string(), "tok_0aff00010203");
    assert_eq!(LeaseId::from_random([7; 16]).as_str().len(), "lease_".len() + 32);
}

#[test]
fn an_id_that_is_not_in_the_hubs_own_form_names_nothing() {
    assert_eq!(UserId::parse("u_0aff00010203"), Some(UserId::from_random([0x0a, 0xff, 0, 1, 2, 3])));
    for text in
        ["", "u_", "u_0aff0001020", "u_0aff000102030", "u_0AFF00010203", "net_0aff00010203", "u_0aff0001020g"]
    {
        assert_eq!(UserId::parse(text), None, "{text:?}");
    }
}

#[test]
fn a_task_id_is_a_version_7_uuid_of_the_given_time_and_bytes() {
    // The example of RFC 9562, appendix A.6.
    let random = [0x0c, 0xc3, 0x18, 0xc4, 0xdc, 0x0c, 0x0c, 0x07, 0x39, 0x8f];
    let id = TaskId::new(UnixMillis::new(0x017f_22e2_79b0), random);
    assert_eq!(id.as_str(), "017f22e2-79b0-7cc3-98c4-dc0c0c07398f");
    assert_eq!(
        TaskId::parse("017F22E2-79B0-7CC3-98C4-DC0C0C07398F"),
        Some(id.clone()),
        "read in either case"
    );
    assert_eq!(MessageId::from(&id).as_str(), id.as_str(), "a task's first delivery has its id");
    assert!(TaskId::new(UnixMillis::new(-1), [0; 10]).as_str().starts_with("00000000-0000-7"));
}

#[test]
fn a_text_that_is_no_uuid_is_no_task_id() {
    let too_long = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f0";
    for text in
        ["", "1", "017f22e279b07cc398c4dc0c0c07398f", "017f22e2-79b0-7cc3-98c4-dc0c0c07398g", too_long]
    {
        assert_eq!(TaskId::parse(text), None, "{text:?}");
    }
    assert_eq!(TaskId::parse("017f22e2_79b0-7cc3-98c4-dc0c0c07398f"), None);
    assert_eq!(TaskId::parse("{017f22e2-79b0-7cc3-98c4-dc0c0c07398f}"), None);
    assert_eq!(TaskId::parse("urn:uuid:017f22e2-79b0-7cc3-98c4-dc0c0c07398f"), None);
    assert_eq!(TaskId::parse(" 017f22e2-79b0-7cc3-98c4-dc0c0c07398f"), None);
    assert_eq!(TaskId::parse("017f22e2-79b0-7cc3-98c4-dc0c0c0739龍"), None);
}

#[test]
fn secrets_are_a_prefix_and_at_least_128_bits_of_lower_case_hex() {
    let token = UserToken::from_random([0xab; 32]);
    assert_eq!(token.expose(), format!("utok_{}", "ab".repeat(32)));
    assert!(NodeToken::from_random([1; 32]).expose().starts_with("ntok_"));
    assert!(InviteCode::from_random([1; 32]).expose().starts_with("inv_"));
    assert!(UserToken::parse(&format!("utok_{}", "0".repeat(32))).is_some());
    for text in ["utok_", &format!("utok_{}", "0".repeat(31)), &format!("utok_{}", "A".repeat(32))] {
        assert!(UserToken::parse(text).is_none(), "{text:?}");
    }
    assert!(UserToken::parse(&format!("utok_{}", "0".repeat(10_000))).is_none());
}

#[test]
fn a_bearer_token_says_what_kind_it_is() {
    let digits = "0".repeat(32);
    assert!(matches!(BearerToken::parse(&format!("utok_{digits}")), Some(BearerToken::User(_))));
    assert!(matches!(BearerToken::parse(&format!("ntok_{digits}")), Some(BearerToken::Node(_))));
    assert!(BearerToken::parse(&format!("inv_{digits}")).is_none());
}

#[test]
fn a_secret_never_prints_itself() {
    let token = BearerToken::Node(NodeToken::from_random([0xcd; 32]));
    assert_eq!(format!("{token:?}"), "Node(ntok_…)");
}
