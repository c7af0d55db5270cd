//! The words of the audit log, one per kind of change. Each is written in the transaction of the change itself.
//! Reading the log is in `audit_log.rs`.

use baton_core::{Caller, NetworkId, NetworkRole, access};

use super::Error;
use crate::hub::Hub;

pub(super) const USER_CREATED: &str = "user.created";
pub(super) const USER_CHANGED: &str = "user.changed";
pub(super) const PASSWORD_CHANGED: &str = "user.password_changed";
pub(super) const PASSWORD_RESET: &str = "user.password_reset";
pub(super) const TOKEN_CREATED: &str = "token.created";
pub(super) const TOKEN_REVOKED: &str = "token.revoked";
pub(super) const TOKEN_EXPIRED: &str = "token.expired";
pub(super) const CLIENT_ALLOWED: &str = "client.allowed";
pub(super) const NETWORK_CREATED: &str = "network.created";
pub(super) const NETWORK_RENAMED: &str = "network.renamed";
pub(super) const NETWORK_CARDS: &str = "network.cards";
pub(super) const NETWORK_DELETED: &str = "network.deleted";
pub(super) const NETWORK_READ: &str = "network.read";
pub(super) const MEMBER_JOINED: &str = "member.joined";
pub(super) const MEMBER_CHANGED: &str = "member.changed";
pub(super) const MEMBER_REMOVED: &str = "member.removed";
pub(super) const MEMBER_LEFT: &str = "member.left";
pub(super) const INVITATION_CREATED: &str = "invitation.created";
pub(super) const INVITATION_DECLINED: &str = "invitation.declined";
pub(super) const INVITATION_WITHDRAWN: &str = "invitation.withdrawn";
pub(super) const INVITE_CREATED: &str = "invite.created";
pub(super) const INVITE_DELETED: &str = "invite.deleted";
pub(super) const ALIAS_HANDED_OVER: &str = "alias.handed_over";
pub(super) const QUOTA_SET: &str = "quota.set";
pub(super) const REMOTE_ADDED: &str = "remote.added";
pub(super) const REMOTE_KEY_PINNED: &str = "remote.key_pinned";
pub(super) const REMOTE_REMOVED: &str = "remote.removed";

/// Notes that a system admin reads a network of others; everybody else's reads leave no trace. Called before the
/// answer goes out, so that there is no such read without its row.
pub async fn foreign_read(
    hub: &Hub,
    caller: &Caller,
    role: Option<NetworkRole>,
    network: &NetworkId,
    what: &'static str,
) -> Result<(), Error> {
    if !access::is_audited(caller, role) {
        return Ok(());
    }
    network_read(hub, caller, network.clone(), what).await
}

/// Records such a read if there was one, once in a while for each admin, network and thing read; see `audited_reads.rs`.
pub async fn network_read(
    hub: &Hub,
    caller: &Caller,
    network: impl Into<Option<NetworkId>>,
    what: &'static str,
) -> Result<(), Error> {
    let Some(network) = network.into() else { return Ok(()) };
    let (now, actor) = (hub.clock.now(), caller.principal()?);
    let (look, at) = ((caller.user_id().clone(), network.clone(), what), hub.clock.monotonic());
    if hub.audited_reads.has(&look, at) {
        return Ok(());
    }
    let note = move |tx: &mut dyn baton_store::Transaction| {
        tx.audit(now, actor.name(), NETWORK_READ, Some(&network), network.as_str(), what)?;
        Ok::<_, Error>(())
    };
    hub.store.write(note).await?;
    // Only now: a read that comes meanwhile must not be answered before there is a row of it.
    hub.audited_reads.note(look, at);
    Ok(())
}
