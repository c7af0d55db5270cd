//! Users, networks, members, invites, tokens and the audit log in SQL.

use baton_core::{
    Alias, NameSkeletons, NetworkId, NetworkRole, SystemRole, TokenId, TokenScope, UnixMillis, UserId,
    Username,
};
use rusqlite::params;

use super::columns::{Row, get, optional, optional_time, parsed, time};
use super::rows::Rows;
use crate::error::Error;
use crate::rows::{
    AccountReads, AccountWrites, AuditRow, InvitePosition, InviteRow, MemberPosition, MemberRow,
    MembershipRow, NetworkRow, NodeTokenRow, Page, PageBounds, TokenRow, UserRow,
};

/// The place of a row that is read with it.
fn seq<T>((seq, _): &(i64, T)) -> i64 {
    *seq
}

fn user_row(row: &Row<'_>) -> Result<UserRow, Error> {
    Ok(UserRow {
        user_id: parsed(row, "user_id", UserId::parse)?,
        username: parsed(row, "username", |text| Username::parse(text).ok())?,
        display_name: get(row, "display_name")?,
        email: get(row, "email")?,
        role: parsed(row, "role", SystemRole::parse)?,
        password_hash: get(row, "password_hash")?,
        must_change_password: get(row, "must_change_password")?,
        created_at: time(row, "created_at")?,
    })
}

fn network_row(row: &Row<'_>) -> Result<NetworkRow, Error> {
    Ok(NetworkRow {
        network_id: parsed(row, "network_id", NetworkId::parse)?,
        name: get(row, "name")?,
        owner_id: parsed(row, "owner_id", UserId::parse)?,
        description: get(row, "description")?,
        created_at: time(row, "created_at")?,
        updated_at: time(row, "updated_at")?,
        public_cards: get(row, "public_cards")?,
    })
}

pub(super) fn token_row(row: &Row<'_>) -> Result<TokenRow, Error> {
    Ok(TokenRow {
        token_id: parsed(row, "token_id", TokenId::parse)?,
        hash: get(row, "hash")?,
        user_id: parsed(row, "user_id", UserId::parse)?,
        network_id: optional(row, "network_id", NetworkId::parse)?,
        alias: optional(row, "alias", |text| Alias::parse(text).ok())?,
        name: get(row, "name")?,
        scope: parsed(row, "scope", TokenScope::parse)?,
        has_reported: get(row, "has_reported")?,
        created_at: time(row, "created_at")?,
        last_used_at: optional_time(row, "last_used_at")?,
        expires_at: optional_time(row, "expires_at")?,
        client_id: get(row, "client_id")?,
    })
}

fn invite_row(row: &Row<'_>) -> Result<InviteRow, Error> {
    Ok(InviteRow {
        code_hash: get(row, "code_hash")?,
        network_id: parsed(row, "network_id", NetworkId::parse)?,
        role: parsed(row, "role", NetworkRole::parse)?,
        max_uses: get(row, "max_uses")?,
        uses: get(row, "uses")?,
        expires_at: optional_time(row, "expires_at")?,
        created_by: parsed(row, "created_by", UserId::parse)?,
        created_at: time(row, "created_at")?,
    })
}

impl AccountReads for Rows<'_> {
    fn cursor_key(&self) -> Result<[u8; 32], Error> {
        let key: Option<Vec<u8>> =
            self.one("SELECT key FROM cursor_key WHERE one = 1", params![], |row| get(row, "key"))?;
        let key = key.and_then(|key| key.try_into().ok());
        key.ok_or_else(|| Error::Corrupt("no key for cursors".into()))
    }

    fn has_users(&self) -> Result<bool, Error> {
        Ok(self.one("/* scans */ SELECT 1 FROM users LIMIT 1", params![], |_| Ok(()))?.is_some())
    }

    fn user(&self, id: &UserId) -> Result<Option<UserRow>, Error> {
        self.one("SELECT * FROM users WHERE user_id = ?1", [id.as_str()], user_row)
    }

    fn user_named(&self, username: &str) -> Result<Option<UserRow>, Error> {
        self.one("SELECT * FROM users WHERE username = ?1", [username], user_row)
    }

    fn user_of_issuer(&self, issuer: &str, subject: &str) -> Result<Option<UserRow>, Error> {
        let sql = "SELECT u.* FROM oidc_users o JOIN users u ON u.user_id = o.user_id
                   WHERE o.issuer = ?1 AND o.subject = ?2";
        self.one(sql, [issuer, subject], user_row)
    }

    fn users(&self, after: Option<i64>, bounds: PageBounds) -> Result<Page<UserRow>, Error> {
        let sql = "/* scans */ SELECT *, rowid AS seq FROM users WHERE rowid > ?1 ORDER BY rowid LIMIT ?2";
        let parameters = params![after.unwrap_or(0), bounds.looked_at()];
        let page = self.page(sql, parameters, bounds, |row| Ok((get(row, "seq")?, user_row(row)?)), seq)?;
        Ok(page.map(|(_, user)| user))
    }

    fn network(&self, id: &NetworkId) -> Result<Option<NetworkRow>, Error> {
        let sql = "SELECT * FROM networks n WHERE network_id = ?1
                   AND NOT EXISTS (SELECT 1 FROM removals r WHERE r.network_id = n.network_id)";
        self.one(sql, [id.as_str()], network_row)
    }

    fn token_key(&self, id: &NetworkId) -> Result<Option<Vec<u8>>, Error> {
        let sql = "SELECT token_key FROM networks WHERE network_id = ?1";
        self.one(sql, [id.as_str()], |row| get(row, "token_key"))
    }

    fn network_named(&self, owner: &UserId, name: &str) -> Result<Option<NetworkId>, Error> {
        let sql = "SELECT network_id FROM networks WHERE owner_id = ?1 AND name = ?2";
        self.one(sql, params![owner.as_str(), name], |row| parsed(row, "network_id", NetworkId::parse))
    }

    fn memberships(
        &self,
        user: &UserId,
        after: Option<i64>,
        bounds: PageBounds,
    ) -> Result<Page<MembershipRow>, Error> {
        let sql = "SELECT n.*, n.rowid AS seq, m.role FROM members m
                   CROSS JOIN networks n ON n.network_id = m.network_id
                   WHERE m.user_id = ?1 AND n.rowid > ?2 ORDER BY n.rowid LIMIT ?3";
        let read = |row: &Row<'_>| {
            let role = parsed(row, "role", NetworkRole::parse)?;
            Ok((get(row, "seq")?, MembershipRow { network: network_row(row)?, role }))
        };
        let parameters = params![user.as_str(), after.unwrap_or(0), bounds.looked_at()];
        Ok(self.page(sql, parameters, bounds, read, seq)?.map(|(_, membership)| membership))
    }

    fn membership_roles(&self, user: &UserId) -> Result<Vec<(NetworkId, NetworkRole)>, Error> {
        let sql = "SELECT network_id, role FROM members WHERE user_id = ?1 ORDER BY network_id";
        self.all(sql, [user.as_str()], |row| {
            Ok((parsed(row, "network_id", NetworkId::parse)?, parsed(row, "role", NetworkRole::parse)?))
        })
    }

    fn some_memberships(&self, user: &UserId, most: usize) -> Result<Vec<NetworkId>, Error> {
        let sql = "SELECT network_id FROM members WHERE user_id = ?1 ORDER BY network_id LIMIT ?2";
        self.all(sql, params![user.as_str(), most as i64], |row| parsed(row, "network_id", NetworkId::parse))
    }

    fn public_networks(&self, from: Option<&NetworkId>, most: usize) -> Result<Vec<NetworkId>, Error> {
        let sql = "SELECT network_id FROM networks WHERE public_cards = 1 AND network_id >= ?1
                   ORDER BY network_id LIMIT ?2";
        let from = from.map_or("", NetworkId::as_str);
        self.all(sql, params![from, most as i64], |row| parsed(row, "network_id", NetworkId::parse))
    }

    fn member_role(&self, network: &NetworkId, user: &UserId) -> Result<Option<NetworkRole>, Error> {
        self.reach(network)?;
        let look = || {
            let sql = "SELECT role FROM members WHERE network_id = ?1 AND user_id = ?2";
            let read = |row: &Row<'_>| parsed(row, "role", NetworkRole::parse);
            self.look_up(sql, params![network.as_str(), user.as_str()], read)
        };
        self.recall(
            |known| known.networks.get(network)?.accounts.roles.get(user).copied(),
            look,
            |known, role| {
                known.network(network).accounts.roles.insert(user.clone(), role);
            },
        )
    }

    fn members(
        &self,
        network: &NetworkId,
        after: Option<&MemberPosition>,
        bounds: PageBounds,
    ) -> Result<Page<MemberRow, MemberPosition>, Error> {
        let sql = "SELECT u.user_id, u.username, u.display_name, m.role, m.joined_at, m.invited_by
                   FROM members m JOIN users u ON u.user_id = m.user_id
                   WHERE m.network_id = ?1 AND (m.joined_at, u.user_id) > (?2, ?3)
                   ORDER BY m.joined_at, u.user_id LIMIT ?4";
        let read = |row: &Row<'_>| {
            Ok(MemberRow {
                user_id: parsed(row, "user_id", UserId::parse)?,
                username: parsed(row, "username", |text| Username::parse(text).ok())?,
                display_name: get(row, "display_name")?,
                role: parsed(row, "role", NetworkRole::parse)?,
                joined_at: time(row, "joined_at")?,
                invited_by: get(row, "invited_by")?,
            })
        };
        let (joined_at, user) = after.map_or((i64::MIN, ""), |(joined_at, user)| (*joined_at, user.as_str()));
        let parameters = params![network.as_str(), joined_at, user, bounds.looked_at()];
        let place = |row: &MemberRow| (row.joined_at.get(), row.user_id.as_str().to_owned());
        self.page(sql, parameters, bounds, read, place)
    }

    fn has_member_named(&self, network: &NetworkId, username: &str) -> Result<bool, Error> {
        let sql = "SELECT 1 FROM users u JOIN members m ON m.user_id = u.user_id
                   WHERE u.username = ?2 AND m.network_id = ?1";
        Ok(self.one(sql, params![network.as_str(), username], |_| Ok(()))?.is_some())
    }

    fn invite(&self, code_hash: &[u8; 32]) -> Result<Option<InviteRow>, Error> {
        self.one("SELECT * FROM invites WHERE code_hash = ?1", [code_hash], invite_row)
    }

    fn invites(
        &self,
        network: &NetworkId,
        after: Option<InvitePosition>,
        bounds: PageBounds,
    ) -> Result<Page<(InviteRow, Username), InvitePosition>, Error> {
        let sql = "SELECT i.*, u.username FROM invites i JOIN users u ON u.user_id = i.created_by
                   WHERE i.network_id = ?1
                     AND (i.created_at < ?2 OR (i.created_at = ?2 AND substr(i.code_hash, 1, 8) > ?3))
                   ORDER BY i.created_at DESC, i.code_hash LIMIT ?4";
        let read = |row: &Row<'_>| {
            Ok((invite_row(row)?, parsed(row, "username", |text| Username::parse(text).ok())?))
        };
        let (created_at, hash) = after.unwrap_or((i64::MAX, [0; 8]));
        let parameters = params![network.as_str(), created_at, hash, bounds.looked_at()];
        self.page(sql, parameters, bounds, read, |(row, _)| (row.created_at.get(), row.hash_begins()))
    }

    fn token_by_hash(&self, hash: &[u8; 32]) -> Result<Option<TokenRow>, Error> {
        let sql = "SELECT * FROM tokens t WHERE hash = ?1 AND revoked_at IS NULL
                   AND NOT EXISTS (SELECT 1 FROM removals r WHERE r.network_id = t.network_id)";
        self.one(sql, [hash], token_row)
    }

    fn token(&self, id: &TokenId) -> Result<Option<TokenRow>, Error> {
        let look = || {
            let sql = "SELECT * FROM tokens t WHERE token_id = ?1 AND revoked_at IS NULL
                       AND NOT EXISTS (SELECT 1 FROM removals r WHERE r.network_id = t.network_id)";
            self.look_up(sql, [id.as_str()], token_row)
        };
        self.recall(
            |known| known.tokens.get(id).cloned(),
            look,
            |known, token| {
                known.tokens.insert(id.clone(), token);
            },
        )
    }

    fn tokens(
        &self,
        user: &UserId,
        before: Option<i64>,
        bounds: PageBounds,
    ) -> Result<Page<TokenRow>, Error> {
        let sql = "SELECT *, rowid AS seq FROM tokens t INDEXED BY tokens_by_user
                   WHERE user_id = ?1 AND rowid < ?2 AND revoked_at IS NULL
                   AND NOT EXISTS (SELECT 1 FROM removals r WHERE r.network_id = t.network_id)
                   ORDER BY rowid DESC LIMIT ?3";
        let parameters = params![user.as_str(), before.unwrap_or(i64::MAX), bounds.looked_at()];
        let page = self.page(sql, parameters, bounds, |row| Ok((get(row, "seq")?, token_row(row)?)), seq)?;
        Ok(page.map(|(_, token)| token))
    }

    fn node_tokens(
        &self,
        network: &NetworkId,
        owner: Option<&UserId>,
        before: Option<i64>,
        bounds: PageBounds,
    ) -> Result<Page<NodeTokenRow>, Error> {
        let sql = "SELECT t.*, t.rowid AS seq, u.username FROM tokens t JOIN users u ON u.user_id = t.user_id
                   WHERE t.network_id = ?1 AND t.rowid < ?2 AND t.revoked_at IS NULL
                     AND COALESCE(?3, t.user_id) = t.user_id
                   ORDER BY t.rowid DESC LIMIT ?4";
        let read = |row: &Row<'_>| {
            Ok(NodeTokenRow {
                seq: get(row, "seq")?,
                token: token_row(row)?,
                owner: parsed(row, "username", |text| Username::parse(text).ok())?,
            })
        };
        let owner = owner.map(UserId::as_str);
        let parameters = params![network.as_str(), before.unwrap_or(i64::MAX), owner, bounds.looked_at()];
        self.page(sql, parameters, bounds, read, |row| row.seq)
    }

    fn oldest_login(&self, user: &UserId) -> Result<Option<TokenRow>, Error> {
        let sql = "SELECT * FROM tokens INDEXED BY tokens_by_user
                   WHERE user_id = ?1 AND revoked_at IS NULL AND network_id IS NULL
                   ORDER BY COALESCE(last_used_at, created_at), rowid LIMIT 1";
        self.one(sql, [user.as_str()], token_row)
    }

    fn stale_browser_tokens(
        &self,
        used_before: UnixMillis,
        made_before: UnixMillis,
        limit: usize,
    ) -> Result<Vec<TokenRow>, Error> {
        let browsers = "SELECT * FROM tokens
                        WHERE name = 'browser' AND network_id IS NULL AND revoked_at IS NULL";
        let quiet = format!("{browsers} AND COALESCE(last_used_at, created_at) <= ?1 LIMIT ?2");
        let mut stale = self.all(&quiet, params![used_before.get(), limit as i64], token_row)?;
        // The plus keeps the first index out of it: here it would walk those that are in use.
        let old =
            format!("{browsers} AND created_at <= ?1 AND +COALESCE(last_used_at, created_at) > ?2 LIMIT ?3");
        let left = (limit - stale.len()) as i64;
        stale.extend(self.all(&old, params![made_before.get(), used_before.get(), left], token_row)?);
        Ok(stale)
    }

    fn expired_tokens(&self, now: UnixMillis, limit: usize) -> Result<Vec<TokenRow>, Error> {
        let sql = "SELECT * FROM tokens
                   WHERE expires_at IS NOT NULL AND expires_at <= ?1 AND revoked_at IS NULL
                   ORDER BY expires_at LIMIT ?2";
        self.all(sql, params![now.get(), limit as i64], token_row)
    }

    fn alias_exists(&self, network: &NetworkId, alias: &Alias) -> Result<bool, Error> {
        self.reach(network)?;
        let look = || {
            let sql =
                "SELECT EXISTS (SELECT 1 FROM tokens WHERE network_id = ?1 AND alias = ?2 AND revoked_at IS NULL)
                           OR EXISTS (SELECT 1 FROM sessions WHERE network_id = ?1 AND alias = ?2) AS found";
            let parameters = params![network.as_str(), alias.as_str()];
            let found = self.look_up(sql, parameters, |row| get::<bool>(row, "found"))?;
            Ok(found.unwrap_or(false))
        };
        self.recall(
            |known| known.networks.get(network)?.accounts.aliases.get(alias).copied(),
            look,
            |known, found| {
                known.network(network).accounts.aliases.insert(alias.clone(), found);
            },
        )
    }

    fn connected_until(&self, network: &NetworkId, alias: &Alias) -> Result<Option<UnixMillis>, Error> {
        let sql = "SELECT MAX(connected_until) AS until FROM tokens
                   WHERE network_id = ?1 AND alias = ?2 AND alias IS NOT NULL AND revoked_at IS NULL";
        let until =
            self.one(sql, params![network.as_str(), alias.as_str()], |row| get::<Option<i64>>(row, "until"))?;
        Ok(until.flatten().map(UnixMillis::new))
    }

    fn alias_was_used(&self, network: &NetworkId, alias: &Alias) -> Result<bool, Error> {
        let sql = "SELECT 1 FROM aliases WHERE network_id = ?1 AND alias = ?2";
        Ok(self.one(sql, params![network.as_str(), alias.as_str()], |_| Ok(()))?.is_some())
    }

    fn alias_count(&self, network: &NetworkId) -> Result<i64, Error> {
        let sql = "SELECT COUNT(*) AS count FROM
                   (SELECT alias FROM tokens WHERE network_id = ?1 AND alias IS NOT NULL AND revoked_at IS NULL
                    UNION SELECT alias FROM sessions WHERE network_id = ?1) named_subquery";
        Ok(self.one(sql, [network.as_str()], |row| get::<i64>(row, "count"))?.unwrap_or(0))
    }

    fn session_count(&self, network: &NetworkId) -> Result<i64, Error> {
        let sql = "SELECT COUNT(*) AS count FROM sessions WHERE network_id = ?1";
        Ok(self.one(sql, [network.as_str()], |row| get::<i64>(row, "count"))?.unwrap_or(0))
    }

    fn audit_log(&self, before: Option<i64>, bounds: PageBounds) -> Result<Page<AuditRow>, Error> {
        let sql = "/* scans */ SELECT * FROM audit_log WHERE id < ?1 ORDER BY id DESC LIMIT ?2";
        let read = |row: &Row<'_>| {
            Ok(AuditRow {
                id: get(row, "id")?,
                at: time(row, "at")?,
                actor: get(row, "actor")?,
                action: get(row, "action")?,
                network_id: optional(row, "network_id", NetworkId::parse)?,
                subject: get(row, "subject")?,
                detail: get(row, "detail")?,
            })
        };
        let parameters = params![before.unwrap_or(i64::MAX), bounds.looked_at()];
        self.page(sql, parameters, bounds, read, |row| row.id)
    }
}

impl AccountWrites for Rows<'_> {
    fn insert_user(&mut self, user: &UserRow) -> Result<(), Error> {
        let looks = NameSkeletons::of(user.username.as_str());
        self.execute(
            "INSERT INTO users (user_id, username, display_name, email, role, password_hash, must_change_password,
                created_at, skeleton, skeleton_lower) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            params![
                user.user_id.as_str(),
                user.username.as_str(),
                user.display_name,
                user.email,
                user.role.as_str(),
                user.password_hash,
                user.must_change_password,
                user.created_at.get(),
                looks.as_written,
                looks.lower_case,
            ],
        )?;
        Ok(())
    }

    fn change_profile(
        &mut self,
        user: &UserId,
        display_name: Option<&str>,
        email: Option<&str>,
    ) -> Result<(), Error> {
        let sql = "UPDATE users SET display_name = COALESCE(?2, display_name), email = COALESCE(?3, email)
                   WHERE user_id = ?1";
        self.execute(sql, params![user.as_str(), display_name, email])?;
        Ok(())
    }

    fn change_password(&mut self, user: &UserId, hash: &str, must_change: bool) -> Result<(), Error> {
        let sql = "UPDATE users SET password_hash = ?2, must_change_password = ?3 WHERE user_id = ?1";
        self.execute(sql, params![user.as_str(), hash, must_change])?;
        Ok(())
    }

    fn change_system_role(&mut self, user: &UserId, role: SystemRole) -> Result<(), Error> {
        let sql = "UPDATE users SET role = ?2 WHERE user_id = ?1";
        self.execute(sql, [user.as_str(), role.as_str()])?;
        Ok(())
    }

    fn link_user(&mut self, user: &UserId, issuer: &str, subject: &str) -> Result<(), Error> {
        let sql = "INSERT INTO oidc_users (issuer, subject, user_id) VALUES (?1, ?2, ?3)";
        self.execute(sql, [issuer, subject, user.as_str()])?;
        Ok(())
    }

    fn insert_network(&mut self, network: &NetworkRow) -> Result<(), Error> {
        self.execute(
            "INSERT INTO networks (network_id, name, owner_id, description, created_at, updated_at, public_cards,
                token_key) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, randomblob(32))",
            params![
                network.network_id.as_str(),
                network.name,
                network.owner_id.as_str(),
                network.description,
                network.created_at.get(),
                network.updated_at.get(),
                network.public_cards,
            ],
        )?;
        Ok(())
    }

    fn rename_network(&mut self, network: &NetworkId, name: &str, at: UnixMillis) -> Result<(), Error> {
        let sql = "UPDATE networks SET name = ?2, updated_at = ?3 WHERE network_id = ?1";
        self.execute(sql, params![network.as_str(), name, at.get()])?;
        Ok(())
    }

    fn publish_cards(&mut self, network: &NetworkId, is_public: bool, at: UnixMillis) -> Result<(), Error> {
        let sql = "UPDATE networks SET public_cards = ?2, updated_at = ?3 WHERE network_id = ?1";
        self.execute(sql, params![network.as_str(), is_public, at.get()])?;
        Ok(())
    }

    fn put_member(
        &mut self,
        network: &NetworkId,
        user: &UserId,
        role: NetworkRole,
        invited_by: Option<&str>,
        at: UnixMillis,
    ) -> Result<(), Error> {
        self.execute(
            "INSERT INTO members (network_id, user_id, role, joined_at, invited_by) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (network_id, user_id) DO UPDATE SET role = excluded.role",
            params![network.as_str(), user.as_str(), role.as_str(), at.get(), invited_by],
        )?;
        Ok(())
    }

    fn delete_member(&mut self, network: &NetworkId, user: &UserId) -> Result<(), Error> {
        let sql = "DELETE FROM members WHERE network_id = ?1 AND user_id = ?2";
        self.execute(sql, params![network.as_str(), user.as_str()])?;
        Ok(())
    }

    fn insert_invite(&mut self, invite: &InviteRow) -> Result<(), Error> {
        self.execute(
            "INSERT INTO invites (code_hash, network_id, role, max_uses, uses, expires_at, created_by, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            params![
                invite.code_hash,
                invite.network_id.as_str(),
                invite.role.as_str(),
                invite.max_uses,
                invite.uses,
                invite.expires_at.map(UnixMillis::get),
                invite.created_by.as_str(),
                invite.created_at.get(),
            ],
        )?;
        Ok(())
    }

    fn use_invite(&mut self, code_hash: &[u8; 32]) -> Result<(), Error> {
        self.execute("UPDATE invites SET uses = uses + 1 WHERE code_hash = ?1", [code_hash])?;
        Ok(())
    }

    fn delete_invite(&mut self, network: &NetworkId, hash_begins: &[u8; 8]) -> Result<bool, Error> {
        let sql = "DELETE FROM invites WHERE network_id = ?1 AND substr(code_hash, 1, 8) = ?2";
        Ok(self.execute(sql, params![network.as_str(), hash_begins])? > 0)
    }

    fn insert_token(&mut self, token: &TokenRow) -> Result<(), Error> {
        self.execute(
            "INSERT INTO tokens (token_id, hash, user_id, network_id, alias, name, scope, has_reported, created_at,
                expires_at, client_id) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
            params![
                token.token_id.as_str(),
                token.hash,
                token.user_id.as_str(),
                token.network_id.as_ref().map(NetworkId::as_str),
                token.alias.as_ref().map(Alias::as_str),
                token.name,
                token.scope.as_str(),
                token.has_reported,
                token.created_at.get(),
                token.expires_at.map(UnixMillis::get),
                token.client_id,
            ],
        )?;
        match (&token.network_id, &token.alias) {
            (Some(network), Some(alias)) => self.remember_alias(network, alias, &token.user_id),
            _ => Ok(()),
        }
    }

    fn bind_token(
        &mut self,
        token: &TokenId,
        user: &UserId,
        network: &NetworkId,
        alias: &Alias,
    ) -> Result<(), Error> {
        let sql = "UPDATE tokens SET alias = ?2, has_reported = 1 WHERE token_id = ?1";
        self.execute(sql, params![token.as_str(), alias.as_str()])?;
        self.remember_alias(network, alias, user)
    }

    fn revoke_token(&mut self, token: &TokenId, at: UnixMillis) -> Result<bool, Error> {
        let sql = "UPDATE tokens SET revoked_at = ?2 WHERE token_id = ?1 AND revoked_at IS NULL";
        Ok(self.execute(sql, params![token.as_str(), at.get()])? > 0)
    }

    fn renew_token(&mut self, token: &TokenId, expires_at: UnixMillis) -> Result<(), Error> {
        let sql = "UPDATE tokens SET expires_at = ?2 WHERE token_id = ?1";
        self.execute(sql, params![token.as_str(), expires_at.get()])?;
        Ok(())
    }

    fn delete_user_token(&mut self, token: &TokenId) -> Result<(), Error> {
        self.execute("DELETE FROM tokens WHERE token_id = ?1 AND network_id IS NULL", [token.as_str()])?;
        Ok(())
    }

    fn revoke_user_tokens(&mut self, user: &UserId, at: UnixMillis) -> Result<usize, Error> {
        let sql = "UPDATE tokens SET revoked_at = ?2
                   WHERE user_id = ?1 AND network_id IS NULL AND revoked_at IS NULL";
        self.execute(sql, params![user.as_str(), at.get()])
    }

    fn revoke_node_tokens(
        &mut self,
        user: &UserId,
        network: &NetworkId,
        at: UnixMillis,
    ) -> Result<usize, Error> {
        let sql = "UPDATE tokens SET revoked_at = ?3
                   WHERE user_id = ?1 AND network_id = ?2 AND revoked_at IS NULL
                     AND token_id NOT IN (SELECT token_id FROM remotes WHERE network_id = ?2)";
        self.execute(sql, params![user.as_str(), network.as_str(), at.get()])
    }

    fn narrow_node_tokens(&mut self, user: &UserId, network: &NetworkId) -> Result<usize, Error> {
        let sql = "UPDATE tokens SET scope = ?3
                   WHERE user_id = ?1 AND network_id = ?2 AND scope <> ?3 AND revoked_at IS NULL";
        self.execute(sql, params![user.as_str(), network.as_str(), TokenScope::Node.as_str()])
    }

    fn hold_connected(&mut self, held: &[(TokenId, UnixMillis)]) -> Result<(), Error> {
        let one = "UPDATE tokens SET connected_until = ?2 WHERE token_id = ?1";
        let all = "UPDATE tokens SET connected_until = given.at FROM {given} WHERE tokens.token_id = given.token_id";
        self.write_times(one, all, held)
    }

    fn use_tokens(&mut self, used: &[(TokenId, UnixMillis)]) -> Result<(), Error> {
        let one = "UPDATE tokens SET last_used_at = ?2 WHERE token_id = ?1";
        let all = "UPDATE tokens SET last_used_at = GREATEST(tokens.last_used_at, given.at) FROM {given}
                   WHERE tokens.token_id = given.token_id";
        self.write_times(one, all, used)
    }

    fn audit(
        &mut self,
        at: UnixMillis,
        actor: &str,
        action: &str,
        network: Option<&NetworkId>,
        subject: &str,
        detail: &str,
    ) -> Result<(), Error> {
        self.execute(
            "INSERT INTO audit_log (at, actor, action, network_id, subject, detail) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![at.get(), actor, action, network.map(NetworkId::as_str), subject, detail],
        )?;
        Ok(())
    }
}
