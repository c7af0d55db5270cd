//! Which alias a token may speak as.

use baton_core::{AliasFacts, Refusal, bind_alias, mint_alias};

use super::fixtures::alias;

const FREE: AliasFacts = AliasFacts {
    is_member_username: false,
    was_ever_used: false,
    is_live_elsewhere: false,
    is_owned_by_another: false,
    has_look_alike: false,
};
const USED: AliasFacts = AliasFacts { was_ever_used: true, ..FREE };
const LIVE: AliasFacts = AliasFacts { is_live_elsewhere: true, ..USED };
const MEMBER: AliasFacts = AliasFacts { is_member_username: true, ..FREE };
const OTHERS: AliasFacts = AliasFacts { is_owned_by_another: true, ..USED };
const LOOK_ALIKE: AliasFacts = AliasFacts { has_look_alike: true, ..FREE };

#[test]
fn a_token_reports_under_its_own_alias_unless_another_token_is_live_under_it() {
    let bob = alias("bob");
    for has_reported in [false, true] {
        assert_eq!(bind_alias(Some(&bob), has_reported, &bob, USED), Ok(()));
        assert_eq!(bind_alias(Some(&bob), has_reported, &bob, LIVE), Err(Refusal::AliasInUse));
    }
}

#[test]
fn the_first_report_may_bind_an_alias_that_nobody_ever_had() {
    let (bob, new) = (alias("bob"), alias("new"));
    for bound in [None, Some(&bob)] {
        assert_eq!(bind_alias(bound, false, &new, FREE), Ok(()));
        for taken in [USED, LIVE, MEMBER] {
            assert_eq!(bind_alias(bound, false, &new, taken), Err(Refusal::AliasInUse));
        }
    }
}

#[test]
fn a_later_report_under_another_alias_is_denied() {
    let got = bind_alias(Some(&alias("bob")), true, &alias("new"), FREE);
    assert_eq!(got, Err(Refusal::PermissionDenied));
}

#[test]
fn a_token_is_not_minted_under_a_members_username() {
    assert_eq!(mint_alias(MEMBER), Err(Refusal::AliasInUse));
    assert_eq!(mint_alias(LIVE), Ok(()), "several tokens may have one alias");
}

#[test]
fn a_token_is_not_minted_for_an_alias_of_another_user() {
    assert_eq!(mint_alias(OTHERS), Err(Refusal::AliasOwnedByAnother));
    assert_eq!(mint_alias(USED), Ok(()), "an alias of one's own takes any number of tokens");
}

#[test]
fn a_token_that_holds_an_alias_of_another_user_from_earlier_goes_on_reporting() {
    let bob = alias("bob");
    assert_eq!(bind_alias(Some(&bob), true, &bob, OTHERS), Ok(()));
    assert_eq!(bind_alias(None, false, &bob, OTHERS), Err(Refusal::AliasOwnedByAnother));
}

#[test]
fn a_new_alias_must_not_look_like_another_name_and_an_old_one_may() {
    assert_eq!(mint_alias(LOOK_ALIKE), Err(Refusal::AliasLooksLikeAnother));
    assert_eq!(bind_alias(None, false, &alias("new"), LOOK_ALIKE), Err(Refusal::AliasLooksLikeAnother));
    let old = AliasFacts { was_ever_used: true, ..LOOK_ALIKE };
    assert_eq!(mint_alias(old), Ok(()));
    assert_eq!(bind_alias(Some(&alias("old")), true, &alias("old"), old), Ok(()));
}
