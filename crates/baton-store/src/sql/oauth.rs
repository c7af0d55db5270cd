//! OAuth's clients, codes and secrets in SQL.

use baton_core::{Alias, NetworkId, TokenId, UnixMillis, UserId, limits};
use rusqlite::params;

use super::accounts::token_row;
use super::columns::{Row, get, optional, optional_time, parsed, time};
use super::rows::Rows;
use crate::error::Error;
use crate::rows::{OauthClientRow, OauthCodeRow, OauthGrantRow, OauthReads, OauthWrites, TokenRow};

fn client_row(row: &Row<'_>) -> Result<OauthClientRow, Error> {
    let uris: String = get(row, "redirect_uris")?;
    Ok(OauthClientRow {
        client_id: get(row, "client_id")?,
        name: get(row, "name")?,
        redirect_uris: serde_json::from_str(&uris)
            .map_err(|_| Error::Corrupt("the redirect URIs of an OAuth client".into()))?,
        created_at: time(row, "created_at")?,
        used_at: optional_time(row, "used_at")?,
    })
}

fn code_row(row: &Row<'_>) -> Result<OauthCodeRow, Error> {
    Ok(OauthCodeRow {
        hash: get(row, "hash")?,
        client_id: get(row, "client_id")?,
        client_name: get(row, "client_name")?,
        redirect_uri: get(row, "redirect_uri")?,
        challenge: get(row, "challenge")?,
        user_id: parsed(row, "user_id", UserId::parse)?,
        network_id: parsed(row, "network_id", NetworkId::parse)?,
        alias: parsed(row, "alias", |text| Alias::parse(text).ok())?,
        expires_at: time(row, "expires_at")?,
        token_id: optional(row, "token_id", TokenId::parse)?,
    })
}

/// A token that is not revoked, of a network that is not deleted.
const STANDS: &str = "t.revoked_at IS NULL
    AND NOT EXISTS (SELECT 1 FROM removals r WHERE r.network_id = t.network_id)";

impl OauthReads for Rows<'_> {
    fn oauth_client(&self, client_id: &str) -> Result<Option<OauthClientRow>, Error> {
        self.one("SELECT * FROM oauth_clients WHERE client_id = ?1", [client_id], client_row)
    }

    fn oauth_client_counts(&self, limit: usize) -> Result<(usize, usize), Error> {
        let sql = "/* scans */ SELECT
            (SELECT COUNT(*) FROM (SELECT 1 FROM oauth_clients LIMIT ?1) counted) AS clients,
            (SELECT COUNT(*) FROM (SELECT 1 FROM oauth_clients WHERE used_at IS NULL LIMIT ?1) counted) AS unused";
        let count =
            |row: &Row<'_>, name| Ok::<_, Error>(usize::try_from(get::<i64>(row, name)?).unwrap_or(0));
        let counts =
            self.one(sql, [limit as i64], |row| Ok((count(row, "clients")?, count(row, "unused")?)))?;
        Ok(counts.unwrap_or_default())
    }

    fn oauth_code(&self, hash: &[u8; 32]) -> Result<Option<OauthCodeRow>, Error> {
        self.one("SELECT * FROM oauth_codes WHERE hash = ?1", [hash], code_row)
    }

    fn oauth_grant(&self, family: &[u8; 32]) -> Result<Option<OauthGrantRow>, Error> {
        let sql = format!(
            "SELECT t.*, o.secret FROM oauth_refreshes o JOIN tokens t ON t.token_id = o.token_id
             WHERE o.family = ?1 AND {STANDS}"
        );
        let read = |row: &Row<'_>| Ok(OauthGrantRow { token: token_row(row)?, secret: get(row, "secret")? });
        self.one(&sql, [family], read)
    }

    fn oauth_access(&self, hash: &[u8; 32]) -> Result<Option<(TokenRow, UnixMillis)>, Error> {
        let sql = format!(
            "SELECT t.*, o.expires_at AS access_ends_at FROM oauth_accesses o
             JOIN tokens t ON t.token_id = o.token_id WHERE o.hash = ?1 AND {STANDS}"
        );
        self.one(&sql, [hash], |row| Ok((token_row(row)?, time(row, "access_ends_at")?)))
    }
}

impl OauthWrites for Rows<'_> {
    fn insert_oauth_client(&mut self, client: &OauthClientRow) -> Result<(), Error> {
        let uris = serde_json::to_string(&client.redirect_uris)
            .map_err(|_| Error::Corrupt("the redirect URIs of an OAuth client".into()))?;
        self.execute(
            "INSERT INTO oauth_clients (client_id, name, redirect_uris, created_at, used_at)
             VALUES (?1, ?2, ?3, ?4, ?5)",
            params![
                client.client_id,
                client.name,
                uris,
                client.created_at.get(),
                client.used_at.map(UnixMillis::get)
            ],
        )?;
        Ok(())
    }

    fn use_oauth_client(&mut self, client_id: &str, at: UnixMillis) -> Result<(), Error> {
        let sql = "UPDATE oauth_clients SET used_at = ?2 WHERE client_id = ?1";
        self.execute(sql, params![client_id, at.get()])?;
        Ok(())
    }

    fn insert_oauth_code(&mut self, code: &OauthCodeRow, keep: usize) -> Result<(), Error> {
        self.execute(
            "DELETE FROM oauth_codes WHERE hash IN (
                 SELECT hash FROM oauth_codes WHERE user_id = ?1 ORDER BY expires_at DESC LIMIT ?2 OFFSET ?3)",
            params![code.user_id.as_str(), limits::OAUTH_REMOVED_AT_ONCE_COUNT, keep.saturating_sub(1) as i64],
        )?;
        self.execute(
            "INSERT INTO oauth_codes (hash, client_id, client_name, redirect_uri, challenge, user_id, network_id,
                alias, expires_at, token_id) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            params![
                code.hash,
                code.client_id,
                code.client_name,
                code.redirect_uri,
                code.challenge,
                code.user_id.as_str(),
                code.network_id.as_str(),
                code.alias.as_str(),
                code.expires_at.get(),
                code.token_id.as_ref().map(TokenId::as_str),
            ],
        )?;
        Ok(())
    }

    fn redeem_oauth_code(&mut self, hash: &[u8; 32], grant: &TokenId) -> Result<(), Error> {
        self.execute("UPDATE oauth_codes SET token_id = ?2 WHERE hash = ?1", params![hash, grant.as_str()])?;
        Ok(())
    }

    fn put_oauth_refresh(
        &mut self,
        grant: &TokenId,
        family: &[u8; 32],
        secret: &[u8; 32],
    ) -> Result<(), Error> {
        self.execute(
            "INSERT INTO oauth_refreshes (token_id, family, secret) VALUES (?1, ?2, ?3)
             ON CONFLICT (token_id) DO UPDATE SET family = excluded.family, secret = excluded.secret",
            params![grant.as_str(), family, secret],
        )?;
        Ok(())
    }

    fn insert_oauth_access(
        &mut self,
        grant: &TokenId,
        hash: &[u8; 32],
        expires_at: UnixMillis,
    ) -> Result<(), Error> {
        self.execute(
            "DELETE FROM oauth_accesses WHERE token_id = ?1 AND hash NOT IN (
                 SELECT hash FROM oauth_accesses WHERE token_id = ?1 ORDER BY expires_at DESC, hash LIMIT 1)",
            [grant.as_str()],
        )?;
        self.execute(
            "INSERT INTO oauth_accesses (hash, token_id, expires_at) VALUES (?1, ?2, ?3)",
            params![hash, grant.as_str(), expires_at.get()],
        )?;
        Ok(())
    }

    fn forget_oauth(
        &mut self,
        now: UnixMillis,
        codes_before: UnixMillis,
        used_before: UnixMillis,
        limit: usize,
    ) -> Result<usize, Error> {
        let rest = [
            (
                "DELETE FROM oauth_accesses WHERE hash IN (
                     SELECT hash FROM oauth_accesses WHERE expires_at <= ?1 ORDER BY expires_at LIMIT ?2)",
                now,
            ),
            (
                "DELETE FROM oauth_codes WHERE hash IN (
                     SELECT hash FROM oauth_codes WHERE expires_at <= ?1 ORDER BY expires_at LIMIT ?2)",
                codes_before,
            ),
            (
                "DELETE FROM oauth_clients WHERE client_id IN (
                     SELECT client_id FROM oauth_clients WHERE used_at IS NOT NULL AND used_at <= ?1
                     ORDER BY used_at LIMIT ?2)",
                used_before,
            ),
        ];
        let mut forgotten = 0;
        for (sql, before) in rest {
            forgotten += self.execute(sql, params![before.get(), limit as i64])?;
        }
        let ended = "/* scans */ DELETE FROM oauth_refreshes WHERE token_id IN (
                         SELECT o.token_id FROM oauth_refreshes o JOIN tokens t ON t.token_id = o.token_id
                         WHERE t.revoked_at IS NOT NULL LIMIT ?1)";
        Ok(forgotten + self.execute(ended, [limit as i64])?)
    }

    fn forget_unused_oauth_clients(
        &mut self,
        created_before: UnixMillis,
        limit: usize,
    ) -> Result<usize, Error> {
        let sql = "DELETE FROM oauth_clients WHERE client_id IN (
                       SELECT client_id FROM oauth_clients WHERE used_at IS NULL AND created_at <= ?1
                       ORDER BY created_at LIMIT ?2)";
        self.execute(sql, params![created_before.get(), limit as i64])
    }

    fn forget_idle_oauth_clients(&mut self, limit: usize) -> Result<usize, Error> {
        // Every grant expires, so the index of what expires has them all.
        let sql = "/* scans */ DELETE FROM oauth_clients WHERE client_id IN (
                       SELECT client_id FROM oauth_clients WHERE used_at IS NOT NULL AND client_id NOT IN (
                           SELECT client_id FROM tokens
                           WHERE client_id IS NOT NULL AND expires_at IS NOT NULL AND revoked_at IS NULL)
                       ORDER BY used_at LIMIT ?1)";
        self.execute(sql, [limit as i64])
    }

    fn revoke_oauth_grants(&mut self, user: &UserId, at: UnixMillis) -> Result<usize, Error> {
        self.execute("DELETE FROM oauth_codes WHERE user_id = ?1", [user.as_str()])?;
        let sql = "UPDATE tokens SET revoked_at = ?2
                   WHERE user_id = ?1 AND client_id IS NOT NULL AND revoked_at IS NULL";
        self.execute(sql, params![user.as_str(), at.get()])
    }
}
