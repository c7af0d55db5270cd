//! Which network a call means.

use baton_core::{DefaultNetwork, NetworkChoice, Refusal, SystemRole, TokenScope, choose_network};

use super::fixtures::*;

#[test]
fn a_user_token_that_names_no_network_means_what_the_call_says() {
    let (user, one, two) = (user_caller("uma", SystemRole::Admin), [network()], [network(), other_network()]);
    let choose = |memberships, unnamed| choose_network(&user, None, memberships, unnamed);
    for memberships in [&[][..], &one, &two] {
        assert_eq!(choose(memberships, DefaultNetwork::IsDenied), Err(Refusal::NetworkNotNamed));
        assert_eq!(choose(memberships, DefaultNetwork::MeansAll), Ok(NetworkChoice::AllMemberships));
    }
    assert_eq!(choose(&one, DefaultNetwork::MeansTheOnlyOne), Ok(NetworkChoice::One(network())));
    assert_eq!(choose(&two, DefaultNetwork::MeansTheOnlyOne), Err(Refusal::NetworkIdRequired));
    assert_eq!(choose(&[], DefaultNetwork::MeansTheOnlyOne), Err(Refusal::NetworkIdRequired));
}

#[test]
fn a_task_call_without_a_network_is_denied_with_a_hint_to_name_it() {
    assert_eq!(Refusal::NetworkNotNamed.code(), "permission_denied");
    assert!(Refusal::NetworkNotNamed.message().contains("network_id"));
}

#[test]
fn a_named_network_is_taken_at_its_word_from_a_user() {
    let user = user_caller("uma", SystemRole::User);
    for unnamed in [DefaultNetwork::IsDenied, DefaultNetwork::MeansTheOnlyOne, DefaultNetwork::MeansAll] {
        let got = choose_network(&user, Some(&other_network()), &[network()], unnamed);
        assert_eq!(got, Ok(NetworkChoice::One(other_network())));
    }
}

#[test]
fn a_node_token_always_means_its_own_network() {
    let node = node_caller(Some("bob"), TokenScope::Node);
    for unnamed in [DefaultNetwork::IsDenied, DefaultNetwork::MeansTheOnlyOne, DefaultNetwork::MeansAll] {
        let own = Ok(NetworkChoice::One(network()));
        assert_eq!(choose_network(&node, None, &[], unnamed), own);
        assert_eq!(choose_network(&node, Some(&network()), &[], unnamed), own);
        let foreign = choose_network(&node, Some(&other_network()), &[], unnamed);
        assert_eq!(foreign, Err(Refusal::PermissionDenied));
    }
}
