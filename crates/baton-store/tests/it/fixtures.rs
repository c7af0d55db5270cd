//! Rows to begin with: a user, a network, an agent, tokens, tasks. And how a list is read page by page.

use baton_core::{
    Alias, Kind, NetworkId, NewTask, Principal, Priority, Status, SystemRole, TaskId, TokenId, TokenScope,
    TtlSeconds, UnixMillis, UserId, Username,
};
use baton_store::rows::{
    InboxState, NetworkRow, NewTaskRow, Page, PageBounds, RemoteRow, SessionRow, TaskChange, TokenRow,
    UserRow,
};
use baton_store::{Error, Store, Transaction};
use std::fmt::Debug;

pub const NOW: UnixMillis = UnixMillis::new(1_700_000_000_000);

pub fn user(n: u8) -> UserId {
    UserId::from_random([n; 6])
}

pub fn network(n: u8) -> NetworkId {
    NetworkId::from_random([n; 6])
}

pub fn task_id(n: u16) -> TaskId {
    let mut random = [0; 10];
    random[..2].copy_from_slice(&n.to_be_bytes());
    TaskId::new(NOW, random)
}

pub fn alias(name: &str) -> Alias {
    Alias::parse(name).unwrap()
}

pub fn node(name: &str) -> Principal {
    Principal::Node(alias(name))
}

/// A user and the network of the same number.
pub fn insert_network(tx: &mut dyn Transaction, n: u8) -> Result<(), Error> {
    tx.insert_user(&UserRow {
        user_id: user(n),
        username: Username::parse(&format!("user{n}")).unwrap(),
        display_name: None,
        email: None,
        role: SystemRole::User,
        password_hash: String::new(),
        must_change_password: false,
        created_at: NOW,
    })?;
    tx.insert_network(&NetworkRow {
        network_id: network(n),
        name: format!("network {n}"),
        owner_id: user(n),
        description: None,
        created_at: NOW,
        updated_at: NOW,
        public_cards: false,
    })
}

/// A task from `lead` to `to`, with its number as text.
pub fn insert_task(tx: &mut dyn Transaction, in_network: u8, n: u16, to: &str) -> Result<(), Error> {
    insert_task_from(tx, in_network, n, "lead", to)
}

pub fn insert_task_from(
    tx: &mut dyn Transaction,
    in_network: u8,
    n: u16,
    from: &str,
    to: &str,
) -> Result<(), Error> {
    insert_task_saying(tx, in_network, n, (from, to), &format!("task {n}"))
}

pub fn insert_task_saying(
    tx: &mut dyn Transaction,
    in_network: u8,
    n: u16,
    (from, to): (&str, &str),
    content: &str,
) -> Result<(), Error> {
    insert(tx, in_network, n, (from, to), None, content)
}

/// A task from `lead` to `to` that is a part of another.
pub fn insert_child(
    tx: &mut dyn Transaction,
    in_network: u8,
    n: u16,
    parent: u16,
    to: &str,
) -> Result<(), Error> {
    insert(tx, in_network, n, ("lead", to), Some(parent), &format!("task {n}"))
}

fn insert(
    tx: &mut dyn Transaction,
    in_network: u8,
    n: u16,
    (from, to): (&str, &str),
    parent: Option<u16>,
    content: &str,
) -> Result<(), Error> {
    let task = NewTask {
        id: task_id(n),
        network_id: network(in_network),
        from: node(from),
        to: alias(to),
        kind: Kind::parse("delegation").unwrap(),
        attempt: 1,
        max_attempts: 3,
        runs: baton_core::RunTerms::default(),
        ttl: TtlSeconds::default(),
        delivered_at: NOW,
        expires_at: NOW.plus_seconds(3600),
        parent_task_id: parent.map(task_id),
        retry_of: None,
        context_id: None,
    };
    tx.insert_task(NewTaskRow {
        task: &task,
        status: Status::Delivered,
        priority: Priority::Normal,
        content,
        context: None,
        meta: None,
        parts: None,
        salt: &[7; 16],
        traceparent: None,
    })
}

/// Moves the delivery of a delivered task of network 1.
pub fn move_delivery(tx: &mut dyn Transaction, task: &TaskId, inbox: InboxState) -> Result<(), Error> {
    let change = TaskChange { inbox: Some(inbox), ..TaskChange::default() };
    tx.change_task(&network(1), task, Status::Delivered, Status::Delivered, &change)
}

/// A store with network 1.
pub async fn with_network(store: &dyn Store) {
    store.write(|tx| insert_network(tx, 1)).await.unwrap();
}

/// Deletes a network and removes all its rows.
pub fn remove_network(tx: &mut dyn Transaction, number: u8) -> Result<(), Error> {
    tx.delete_network(&network(number))?;
    while tx.remove_rows_of(&network(number), 3)? {}
    Ok(())
}

/// A node token of a user, for an alias of a network.
pub fn node_token(n: u8, of: u8, in_network: u8, name: &str) -> TokenRow {
    TokenRow {
        network_id: Some(network(in_network)),
        alias: Some(alias(name)),
        ..user_token(n, of, &format!("node:{name}"))
    }
}

/// A user token.
pub fn user_token(n: u8, of: u8, name: &str) -> TokenRow {
    TokenRow {
        token_id: TokenId::from_random([n; 6]),
        hash: [n; 32],
        user_id: user(of),
        network_id: None,
        alias: None,
        name: name.into(),
        scope: TokenScope::Node,
        has_reported: false,
        created_at: NOW,
        last_used_at: None,
        expires_at: None,
        client_id: None,
    }
}

/// A session that has reported nothing but its status.
pub fn session(in_network: u8, name: &str, by: u8) -> SessionRow {
    SessionRow {
        network_id: network(in_network),
        alias: alias(name),
        token_id: TokenId::from_random([by; 6]),
        resume_id: format!("resume-{name}"),
        status: "idle".into(),
        server: None,
        hostname: None,
        agent: None,
        project_dir: None,
        version: None,
        task: None,
        output: None,
        progress: None,
        score: None,
        node_id: None,
        session_id: None,
        model: None,
        description: None,
        skills: None,
        registered_at: NOW,
        updated_at: NOW,
        last_seen_at: NOW,
    }
}

/// A remote agent that the hub works for with this token.
pub fn remote_with(token: &TokenRow) -> RemoteRow {
    RemoteRow {
        network_id: token.network_id.clone().unwrap(),
        alias: token.alias.clone().unwrap(),
        card_url: "https://agents.example/".into(),
        credential: None,
        token_id: token.token_id.clone(),
        created_by: "user1".into(),
        created_at: NOW,
        pinned_key: None,
        card_error: None,
    }
}

/// A whole list, which is the same row by row however large its pages are.
pub fn whole<T, K>(page: impl Fn(Option<K>, PageBounds) -> Result<Page<T, K>, Error>) -> Result<Vec<T>, Error>
where
    T: PartialEq + Debug,
{
    let all = walk(PageBounds::rows(100), &page)?;
    for rows in 1..4 {
        assert_eq!(walk(PageBounds::rows(rows), &page)?, all, "{rows} at a time");
    }
    assert_eq!(walk(PageBounds { rows: 100, bytes: 1 }, &page)?, all, "as few bytes as can be at a time");
    Ok(all)
}

fn walk<T, K>(
    bounds: PageBounds,
    page: impl Fn(Option<K>, PageBounds) -> Result<Page<T, K>, Error>,
) -> Result<Vec<T>, Error> {
    let (mut place, mut seen) = (None, Vec::new());
    let most = if bounds.bytes == 1 { 1 } else { bounds.rows };
    for _ in 0..100 {
        let page = page(place, bounds)?;
        assert!(page.rows.len() <= most, "a page of {} rows in {bounds:?}", page.rows.len());
        seen.extend(page.rows);
        match page.next {
            Some(next) => place = Some(next),
            None => return Ok(seen),
        }
    }
    panic!("a list without an end")
}
