//! Makes an invite code, for a role below one's own.

use baton_core::{Action, Caller, NetworkRole, Quota, limits};
use baton_store::Transaction;
use baton_store::rows::InviteRow;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::hub::Hub;
use crate::service::secret::{self, Revealed};
use crate::service::{Error, audit, permit, quotas};

const DAY_MS: i64 = 86_400_000; // not a limit: a unit

#[derive(Deserialize, Serialize, ToSchema)]
#[schema(as = NewInvite)]
pub(crate) struct Args {
    pub(crate) role: Option<NetworkRole>,
    pub(crate) max_uses: Option<i64>,
    pub(crate) expires_days: Option<i64>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = InviteCreated)]
pub(crate) struct Answer {
    ok: bool,
    invite_code: Revealed,
}

pub(crate) async fn run(hub: &Hub, caller: Caller, network_id: &str, args: Args) -> Result<Answer, Error> {
    permit::account(&caller)?;
    let id = permit::network_id(network_id)?;
    let role = args.role.unwrap_or(NetworkRole::Member);
    let max_uses = within("max_uses", args.max_uses, limits::INVITE_MAX_USES)?.unwrap_or(1);
    let expires_days = within("expires_days", args.expires_days, limits::INVITE_MAX_DAYS)?;
    let now = hub.clock.now();
    let expires_at = expires_days.map(|days| now.plus_millis(i64::from(days) * DAY_MS));
    let store = hub.store_for(&caller);
    let create = move |tx: &mut dyn Transaction| {
        permit::network(tx.as_snapshot(), &caller, &id, Action::Invite { role })?;
        quotas::admit_to_network(tx.as_snapshot(), &id, Quota::Invites)?;
        let user = permit::account(&caller)?;
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
        Ok(Answer { ok: true, invite_code })
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
