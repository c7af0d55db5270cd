//! Aliases, usernames, kinds, words and passwords: what is taken and what is refused.

use std::fmt;

use baton_core::{
    Alias, Ending, Kind, NameSkeletons, NetworkRole, Principal, PrincipalKind, Priority, Refusal, Status,
    TokenScope, Username, check_network_name, check_password,
};

use serde::de::{IntoDeserializer, value};
use serde::{Deserialize, Serialize};

use super::fixtures::*;

#[test]
fn an_alias_is_letters_digits_and_three_marks() {
    for text in ["a", "bob-2", "v1.0_x", "通信龙", "Ünal", &"a".repeat(200)] {
        assert_eq!(Alias::parse(text).unwrap().as_str(), text);
    }
    for text in ["", "a b", "a/b", "a@b", "½", "😀", "a\u{301}", &"a".repeat(201)] {
        assert_eq!(Alias::parse(text).unwrap_err().code(), "invalid input", "{text:?}");
    }
}

#[test]
fn reserved_names_are_refused_in_any_case() {
    for name in ["hub", "me", "network", "api", "Hub", "API"] {
        assert_eq!(Alias::parse(name).unwrap_err().message(), "alias is a reserved name");
        assert_eq!(Username::parse(name), Err(Refusal::UsernameTaken));
    }
}

#[test]
fn username_rules_are_checked_in_the_contracts_order() {
    let code = |text: &str| Username::parse(text).unwrap_err().code();
    assert_eq!(code(""), "username must be at least 2 characters");
    assert_eq!(code("!"), "username must be at least 2 characters");
    assert_eq!(code(&"!".repeat(51)), "username too long (max 50)");
    assert_eq!(code("a b"), "username contains invalid characters");
    assert_eq!(code("a.b"), "username contains invalid characters");
    assert_eq!(code("hub"), "username already taken");
    for text in ["ab", "a_b-9", "通信龙", "さくら", "한글", &"龙".repeat(50)] {
        assert_eq!(Username::parse(text).unwrap().as_str(), text);
    }
}

#[test]
fn new_names_may_be_of_any_single_script_and_of_latin_beside_east_asian_ones() {
    for text in [
        "bob-2",
        "v1.0_x",
        "_x",
        "9lives",
        "Ünal",
        "Zażółć", // Latin
        "通信龙",
        "龙-agent2",
        "さくら",
        "カタカナ",
        "漢字かなカナ",
        "漢字かなlatin",
        "한글",
        "한글漢字",
        "ㄅㄆ漢", // East Asian
        "Борис",
        "Ελένη",
        "محمد",
        "שלום",
        "अनु",
        "ไทย",
        "ᏣᎳᎩ", // other scripts
    ] {
        assert_eq!(Alias::parse_new(text).map(|alias| alias.to_string()), Ok(text.to_owned()), "{text}");
    }
}

#[test]
fn new_names_that_hide_mix_or_start_badly_are_refused_and_old_ones_are_still_read() {
    for (text, rule) in [
        (".", "must not start with '.' or '-'"),
        ("..", "must not start with '.' or '-'"),
        ("--help", "must not start with '.' or '-'"),
        ("bob\u{3164}", "must not contain invisible characters"),
        ("\u{115f}", "must not contain invisible characters"),
        ("bob\u{ffa0}", "must not contain invisible characters"),
        ("b\u{43e}b", "must not mix scripts, except Latin with Chinese, Japanese or Korean"),
        ("Ελένηa", "must not mix scripts, except Latin with Chinese, Japanese or Korean"),
        ("한글かな", "must not mix scripts, except Latin with Chinese, Japanese or Korean"),
        ("漢字Борис", "must not mix scripts, except Latin with Chinese, Japanese or Korean"),
        ("ａｄｍｉｎ", "must not contain full-width or other compatibility forms"),
        ("ﬁx", "must not contain full-width or other compatibility forms"),
        ("\u{430}\u{440}\u{456}", "looks like a reserved name"), // api in Cyrillic
    ] {
        assert_eq!(Alias::parse_new(text), Err(Refusal::invalid("alias", rule)), "{text}");
        assert!(Alias::parse(text).is_ok(), "{text} keeps working where it exists");
    }
}

#[test]
fn new_usernames_keep_the_same_rules() {
    let code = |text: &str| Username::parse_new(text).map(|name| name.to_string()).map_err(|no| no.code());
    for text in ["ab", "通信龙", "漢字かなab", "한글漢字"] {
        assert_eq!(code(text), Ok(text.to_owned()));
    }
    for text in ["-x", "--help", "한글かな"] {
        assert_eq!(code(text), Err("username contains invalid characters".into()), "{text}");
        assert!(Username::parse(text).is_ok(), "{text} keeps working where it exists");
    }
    for text in ["hub", "HUB", "rne"] {
        assert_eq!(code(text), Err("username already taken".into()), "{text}");
    }
    assert_eq!(code("a"), Err("username must be at least 2 characters".into()));
}

#[test]
fn network_names_are_free_text_without_what_hides_or_mixes() {
    for text in ["The Blue Team (2026)", "Équipe №1", "青い組", "Команда А", "🚀 launch"] {
        assert_eq!(check_network_name("name", text), Ok(()), "{text}");
    }
    for text in ["-x", ".hidden", "a\u{200b}b", "a\u{202e}b", "a\nb", "P\u{430}ypal"] {
        assert_eq!(check_network_name("name", text).unwrap_err().code(), "invalid input", "{text:?}");
    }
}

#[test]
fn look_alikes_resemble_each_other_and_others_do_not() {
    for (one, other) in [
        ("agent-1", "agent-l"),
        ("admin", "Admin"),
        ("Ian", "lan"),
        ("Ian", "ian"),
        ("w0rm", "wOrm"),
        ("corner", "comer"),
        ("\u{441}\u{43e}\u{440}\u{435}", "cope"), // Cyrillic
        ("bob", "bob\u{3164}"),
    ] {
        assert!(NameSkeletons::of(one).resemble(&NameSkeletons::of(other)), "{one} {other}");
        assert!(NameSkeletons::of(other).resemble(&NameSkeletons::of(one)), "{other} {one}");
    }
    for (one, other) in [("ian", "lan"), ("builder", "reviewer"), ("龙", "虎"), ("agent-1", "agent-2")] {
        assert!(!NameSkeletons::of(one).resemble(&NameSkeletons::of(other)), "{one} {other}");
    }
}

#[test]
fn a_password_is_long_enough_and_not_one_everybody_tries() {
    let code = |text: &str| check_password(text).unwrap_err().code();
    assert_eq!(code("1234567"), "password must be at least 8 characters");
    assert_eq!(code("龙龙龙龙龙龙龙"), "password must be at least 8 characters");
    for common in ["password", "PassWord", "12345678", "Qwerty123", "iloveyou"] {
        assert_eq!(code(common), "password is too common");
    }
    assert_eq!(check_password("龙龙龙龙龙龙龙龙"), Ok(()));
    assert_eq!(check_password("a password"), Ok(()), "only exact passwords are on the list");
}

#[test]
fn a_kind_is_1_to_64_of_its_characters() {
    for text in ["a", "code.review_v-2", &"k".repeat(64)] {
        assert_eq!(Kind::parse(text).unwrap().as_str(), text);
    }
    for text in ["", "A", "a b", "é", &"k".repeat(65)] {
        assert_eq!(Kind::parse(text).unwrap_err().code(), "invalid input", "{text:?}");
    }
}

#[test]
fn a_task_from_one_node_to_another_is_a_delegation_and_any_other_a_request() {
    let kind = |asked: Option<&str>, from: &Principal, to: &str| {
        let asked = asked.map(|text| Kind::parse(text).unwrap());
        Kind::of_task(asked.as_ref(), from, &alias(to))
            .map(|kind| kind.to_string())
            .map_err(|refusal| refusal.code())
    };
    assert_eq!(kind(None, &node("ada"), "bob"), Ok("delegation".into()));
    assert_eq!(kind(None, &node("ada"), "ada"), Ok("request".into()));
    assert_eq!(kind(None, &user("ada"), "bob"), Ok("request".into()));
    assert_eq!(kind(Some("review"), &user("ada"), "bob"), Ok("review".into()));
    assert_eq!(kind(Some("delegation"), &node("ada"), "bob"), Ok("delegation".into()));
    assert_eq!(kind(Some("delegation"), &user("ada"), "bob"), Err("invalid input".into()));
    assert_eq!(kind(Some("delegation"), &node("ada"), "ada"), Err("invalid input".into()));
}

#[test]
fn a_principal_survives_being_stored_as_kind_and_name() {
    for principal in [user("ada"), node("ada"), Principal::Hub] {
        let stored = (principal.kind(), principal.name().to_owned());
        assert_eq!(Principal::from_parts(stored.0, &stored.1), Ok(principal));
    }
    assert_ne!(user("ada"), node("ada"));
    assert!(Principal::from_parts(PrincipalKind::Node, "hub").is_err(), "no node passes for the hub");
}

#[test]
fn every_word_is_read_back_as_it_is_written() {
    assert!(Status::ALL.iter().all(|&word| Status::parse(word.as_str()) == Some(word)));
    assert!(NetworkRole::ALL.iter().all(|&word| NetworkRole::parse(word.as_str()) == Some(word)));
    assert!(TokenScope::ALL.iter().all(|&word| TokenScope::parse(word.as_str()) == Some(word)));
    assert_eq!(Status::parse("Replied"), None);
    assert_eq!(
        Ending::ALL.iter().map(|word| word.as_str()).collect::<Vec<_>>(),
        ["replied", "failed", "cancelled", "rejected"]
    );
    assert_eq!(Ending::parse("expired"), None, "only the hub gives that end");
}

#[test]
fn words_and_names_are_serialised_as_their_text() {
    struct Wire<T>(T);
    impl<T: Serialize> fmt::Display for Wire<T> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            self.0.serialize(f)
        }
    }
    assert_eq!(Wire(Status::WaitingInput).to_string(), "waiting_input");
    assert_eq!(Wire(alias("bob")).to_string(), "bob");
    let read =
        |word: &'static str| Ending::deserialize(IntoDeserializer::<value::Error>::into_deserializer(word));
    assert_eq!(read("failed"), Ok(Ending::Failed));
    assert!(
        read("expired").unwrap_err().to_string().contains("`replied`, `failed`, `cancelled`, `rejected`")
    );
}

#[test]
fn high_priority_sorts_first_and_normal_is_meant_by_silence() {
    let mut inbox = [Priority::Low, Priority::High, Priority::Normal];
    inbox.sort();
    assert_eq!(inbox, [Priority::High, Priority::Normal, Priority::Low]);
    assert_eq!(Priority::default(), Priority::Normal);
}
