//! Invite codes: a code makes its holder a member. Invitations of a named user are in `invitations.rs`.

use baton_core::{
    Action, Caller, ClockJumps, InviteCode, NetworkId, NetworkRole, Quota, Refusal, UnixMillis, UserCaller,
    Username, hex, limits,
};
use baton_store::rows::InviteRow;
use baton_store::{Snapshot, Transaction};
use serde::{Deserialize, Serialize};
use std::fmt;
use utoipa::ToSchema;

use crate::hub::{Hub, Identity};
use crate::service::accounts::NetworkList;
use crate::service::accounts::quotas;
use crate::service::names::refuse_alias;
use crate::service::page::PageArgs;
use crate::service::secret::{self, Revealed};
use crate::service::{Done, Error, WireTime, audit, permit};

const DAY_MS: i64 = 86_400_000; // not a limit: a unit

#[derive(Deserialize, Serialize, ToSchema)]
pub struct NewInvite {
    pub role: Option<NetworkRole>,
    pub max_uses: Option<i64>,
    pub expires_days: Option<i64>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct InviteCreated {
    ok: bool,
    invite_code: Revealed,
}

/// Makes an invite code, for a role below one's own.
pub async fn create(
    hub: &Hub,
    caller: Caller,
    network_id: &str,
    args: NewInvite,
) -> Result<InviteCreated, Error> {
    let user = permit::account(&caller)?.clone();
    let id = permit::network_id(network_id)?;
    let role = args.role.unwrap_or(NetworkRole::Member);
    let max_uses = within("max_uses", args.max_uses, limits::INVITE_MAX_USES)?.unwrap_or(1);
    let expires_days = within("expires_days", args.expires_days, limits::INVITE_MAX_DAYS)?;
    let now = hub.clock.now();
    let expires_at = expires_days.map(|days| now.plus_millis(i64::from(days) * DAY_MS));
    let store = hub.store_for(&caller);
    let create = move |tx: &mut dyn Transaction| {
        permit::user_in(tx.as_snapshot(), &user, &id, Action::Invite { role })?;
        quotas::admit_to_network(tx.as_snapshot(), &id, Quota::Invites)?;
        let (invite_code, code_hash) = secret::invite_code();
        let created_by = user.user_id.clone();
        let network_id = id.clone();
        tx.insert_invite(&InviteRow {
            code_hash,
            network_id,
            role,
            max_uses,
            uses: 0,
            expires_at,
            created_by,
            created_at: now,
        })?;
        let detail = format!("as {role}, {max_uses} uses");
        tx.audit(now, user.username.as_str(), audit::INVITE_CREATED, Some(&id), id.as_str(), &detail)?;
        Ok(InviteCreated { ok: true, invite_code })
    };
    store.write(create).await
}

fn within(field: &'static str, number: Option<i64>, max: u32) -> Result<Option<u32>, Error> {
    let check = |number: i64| match u32::try_from(number) {
        Ok(number) if (1..=max).contains(&number) => Ok(number),
        _ => Err(Error::argument(field, format!("must be 1 to {max}"))),
    };
    number.map(check).transpose()
}

#[derive(Debug, Serialize, ToSchema)]
pub struct Invites {
    ok: bool,
    invites: Vec<Invite>,
    next_cursor: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
struct Invite {
    invite_id: InviteId,
    role: NetworkRole,
    max_uses: u32,
    uses: u32,
    expires_at: Option<WireTime>,
    created_by: Username,
    created_at: WireTime,
}

impl Invite {
    fn new((row, created_by): (InviteRow, Username)) -> Self {
        Self {
            invite_id: InviteId::of(&row.code_hash),
            role: row.role,
            max_uses: row.max_uses,
            uses: row.uses,
            expires_at: row.expires_at.map(WireTime),
            created_by,
            created_at: row.created_at.into(),
        }
    }
}

/// Lists the invites of a network, newest first; their codes are nowhere.
pub async fn list(hub: &Hub, caller: Caller, network_id: &str, args: PageArgs) -> Result<Invites, Error> {
    let list = NetworkList::read(hub, &caller, network_id, &args, "invites")?;
    let read = move |rows: &dyn Snapshot| {
        list.permit(rows, Action::ManageInvites)?;
        let page = rows.invites(&list.network, list.after, list.bounds)?.map(Invite::new);
        Ok(Invites { ok: true, invites: page.rows, next_cursor: list.next(page.next) })
    };
    hub.store_for(&caller).read(read).await
}

/// Withdraws an invite: nobody can join with its code any more. Members who joined stay.
pub async fn delete(hub: &Hub, caller: Caller, network_id: &str, invite_id: &str) -> Result<Done, Error> {
    let user = permit::account(&caller)?.clone();
    let id = permit::network_id(network_id)?;
    let invite = InviteId::parse(invite_id);
    let now = hub.clock.now();
    let store = hub.store_for(&caller);
    let delete = move |tx: &mut dyn Transaction| {
        permit::user_in(tx.as_snapshot(), &user, &id, Action::ManageInvites)?;
        let (invite, hash_begins) = invite.as_ref().ok_or(Refusal::InviteUnknown)?;
        if !tx.delete_invite(&id, hash_begins)? {
            return Err(Refusal::InviteUnknown.into());
        }
        let actor = user.username.as_str();
        tx.audit(now, actor, audit::INVITE_DELETED, Some(&id), &invite.to_string(), "")?;
        Ok(Done::OK)
    };
    store.write(delete).await
}

#[derive(Deserialize, Serialize, ToSchema)]
pub struct Join {
    pub invite_code: String,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct Joined {
    ok: bool,
    network_id: NetworkId,
    role: NetworkRole,
}

impl Joined {
    pub(super) fn new(network_id: NetworkId, role: NetworkRole) -> Self {
        Self { ok: true, network_id, role }
    }
}

/// Joins a network by an invite code. Looking at the invite, using it and becoming a member are one transaction, so
/// of two who use the last use one joins. A member who joins again stays what they are and uses nothing up.
pub async fn join(hub: &Hub, identity: Identity, args: Join) -> Result<Joined, Error> {
    let user = permit::account(&identity.caller)?.clone();
    let store = hub.store_for(&identity.caller);
    hub.join_guard.count(hub, store, &identity.token_id).await?;
    let code = InviteCode::parse(args.invite_code.trim()).ok_or(Refusal::InviteUnknown)?;
    let (code_hash, (now, clock_jumps)) = (secret::hash(code.expose()), hub.clock.observe());
    let store = hub.store_for(&identity.caller);
    store.write(move |tx| join_by(tx, &user, &code_hash, now, &clock_jumps)).await
}

fn join_by(
    tx: &mut dyn Transaction,
    user: &UserCaller,
    code_hash: &[u8; 32],
    now: UnixMillis,
    clock_jumps: &ClockJumps,
) -> Result<Joined, Error> {
    let invite = tx.invite(code_hash)?.ok_or(Refusal::InviteUnknown)?;
    let network_id = invite.network_id.clone();
    let current = role_or_may_join(tx.as_snapshot(), user, &invite, now, clock_jumps)?;
    let role = NetworkRole::after_join(current, invite.role);
    if current.is_none() {
        admit(tx, user, &invite, now)?;
    }
    Ok(Joined::new(network_id, role))
}

/// The role of somebody who is a member already; a refusal if they are not and cannot become one by this invite.
fn role_or_may_join(
    rows: &dyn Snapshot,
    user: &UserCaller,
    invite: &InviteRow,
    now: UnixMillis,
    clock_jumps: &ClockJumps,
) -> Result<Option<NetworkRole>, Error> {
    let current = rows.member_role(&invite.network_id, &user.user_id)?;
    if current.is_none() {
        refuse_spent(rows, invite, clock_jumps.now_since(invite.created_at, now))?;
        refuse_alias(rows, &invite.network_id, &user.username)?;
        quotas::admit_to_network(rows, &invite.network_id, Quota::Members)?;
        quotas::admit_to_user(rows, &user.user_id, Quota::Memberships)?;
    }
    Ok(current)
}

/// What an invite code leads to.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = InvitePreview)]
pub struct Preview {
    ok: bool,
    network_id: NetworkId,
    network_name: String,
    /// What joining makes the caller, or what they are already.
    role: NetworkRole,
    is_member: bool,
    invited_by: Username,
}

/// Shows what an invite code leads to, and uses nothing up. Whatever would refuse to join with it refuses here too, and it
/// counts as a try, so that it helps nobody to guess codes.
pub async fn preview(hub: &Hub, identity: Identity, args: Join) -> Result<Preview, Error> {
    let user = permit::account(&identity.caller)?.clone();
    let store = hub.store_for(&identity.caller);
    hub.join_guard.count(hub, store, &identity.token_id).await?;
    let code = InviteCode::parse(args.invite_code.trim()).ok_or(Refusal::InviteUnknown)?;
    let (code_hash, (now, clock_jumps)) = (secret::hash(code.expose()), hub.clock.observe());
    let read = move |rows: &dyn Snapshot| {
        let invite = rows.invite(&code_hash)?.ok_or(Refusal::InviteUnknown)?;
        let current = role_or_may_join(rows, &user, &invite, now, &clock_jumps)?;
        let network = rows.network(&invite.network_id)?.ok_or(Refusal::InviteUnknown)?;
        let inviter = rows.user(&invite.created_by)?.ok_or(Refusal::InviteExpired)?;
        Ok(Preview {
            ok: true,
            network_id: invite.network_id,
            network_name: network.name,
            role: NetworkRole::after_join(current, invite.role),
            is_member: current.is_some(),
            invited_by: inviter.username,
        })
    };
    hub.store_for(&identity.caller).read(read).await
}

/// An invite holds as long as it has uses and time left and its creator could create it again.
fn refuse_spent(rows: &dyn Snapshot, invite: &InviteRow, now: UnixMillis) -> Result<(), Error> {
    if invite.uses >= invite.max_uses {
        return Err(Refusal::InviteUsedUp.into());
    }
    let inviter = rows.member_role(&invite.network_id, &invite.created_by)?;
    let may_invite = inviter.is_some_and(|role| role >= NetworkRole::Admin && role.may_grant(invite.role));
    if invite.expires_at.is_some_and(|end| end <= now) || !may_invite {
        return Err(Refusal::InviteExpired.into());
    }
    Ok(())
}

fn admit(
    tx: &mut dyn Transaction,
    user: &UserCaller,
    invite: &InviteRow,
    now: UnixMillis,
) -> Result<(), Error> {
    let inviter = tx.user(&invite.created_by)?.map(|inviter| inviter.username);
    let invited_by = inviter.as_ref().map(|username| username.as_str());
    tx.use_invite(&invite.code_hash)?;
    tx.delete_invitation(&invite.network_id, &user.user_id)?;
    tx.put_member(&invite.network_id, &user.user_id, invite.role, invited_by, now)?;
    let detail = format!("{} as {}, by invite", user.username, invite.role);
    let (actor, network) = (user.username.as_str(), Some(&invite.network_id));
    tx.audit(now, actor, audit::MEMBER_JOINED, network, user.user_id.as_str(), &detail)?;
    Ok(())
}

const PREFIX: &str = "invite_";

// What an invite is called where its code must not be: the beginning of its code's hash, which opens nothing. Codes begin
// with `inv_`; this does not, so that nobody takes one for the other.
/// An invite's id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
struct InviteId(String);

impl InviteId {
    fn of(code_hash: &[u8; 32]) -> Self {
        Self(format!("{PREFIX}{}", hex::encode(&code_hash[..8])))
    }

    /// The bytes it names; none if it is not such an id.
    fn parse(text: &str) -> Option<(Self, [u8; 8])> {
        let digits = text.strip_prefix(PREFIX).filter(|digits| digits.len() == 16)?;
        let number = u64::from_str_radix(digits, 16).ok()?;
        let id = Self(text.to_owned());
        // Capital digits and signs are not a form that was given out.
        (hex::encode(&number.to_be_bytes()) == digits).then(|| (id, number.to_be_bytes()))
    }
}

impl fmt::Display for InviteId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_reads_back_and_nothing_else_does() {
        let hash: [u8; 32] = std::array::from_fn(|i| i as u8);
        let id = InviteId::of(&hash);
        assert_eq!(id.to_string(), "invite_0001020304050607");
        assert_eq!(InviteId::parse(&id.to_string()).unwrap().1, hash[..8]);
        for text in [
            "",
            "invite_",
            "invite_00",
            "invite_+001020304050607",
            "invite_000102030405060A",
            "0001020304050607",
        ] {
            assert_eq!(InviteId::parse(text), None, "{text}");
        }
    }
}
