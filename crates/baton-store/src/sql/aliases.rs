//! Aliases, their owners, and look-alike names in SQL.

use baton_core::{Alias, NameSkeletons, NetworkId, UnixMillis, UserId, Username};
use rusqlite::params;

use super::columns::{Row, get, optional, optional_time, parsed};
use super::rows::Rows;
use crate::error::Error;
use crate::rows::{AliasProfile, AliasReads, AliasRow, AliasWrites, Page, PageBounds};

impl AliasReads for Rows<'_> {
    fn alias_owner(&self, network: &NetworkId, alias: &Alias) -> Result<Option<UserId>, Error> {
        let sql = "SELECT owner_id FROM aliases WHERE network_id = ?1 AND alias = ?2";
        let parameters = params![network.as_str(), alias.as_str()];
        Ok(self.one(sql, parameters, |row| optional(row, "owner_id", UserId::parse))?.flatten())
    }

    fn alias_profile(&self, network: &NetworkId, alias: &Alias) -> Result<AliasProfile, Error> {
        let sql = "SELECT description, skills FROM aliases WHERE network_id = ?1 AND alias = ?2";
        let profile = self.one(sql, params![network.as_str(), alias.as_str()], |row| {
            Ok(AliasProfile { description: get(row, "description")?, skills: get(row, "skills")? })
        })?;
        Ok(profile.unwrap_or_default())
    }

    fn aliases(
        &self,
        network: &NetworkId,
        after: Option<&Alias>,
        bounds: PageBounds,
    ) -> Result<Page<AliasRow, Alias>, Error> {
        let sql = "SELECT a.alias, a.owner_id, u.username,
                          (SELECT MAX(t.last_used_at) FROM tokens t
                           WHERE t.network_id = a.network_id AND t.alias = a.alias) AS last_used_at
                   FROM aliases a LEFT JOIN users u ON u.user_id = a.owner_id
                   WHERE a.network_id = ?1 AND a.alias > ?2 ORDER BY a.alias LIMIT ?3";
        let after = after.map_or("", Alias::as_str);
        let parameters = params![network.as_str(), after, bounds.looked_at()];
        let read = |row: &Row<'_>| {
            let owner = optional(row, "owner_id", UserId::parse)?;
            let name = optional(row, "username", |text| Username::parse(text).ok())?;
            Ok(AliasRow {
                alias: parsed(row, "alias", |text| Alias::parse(text).ok())?,
                owner: owner.zip(name),
                last_used_at: optional_time(row, "last_used_at")?,
            })
        };
        self.page(sql, parameters, bounds, read, |row| row.alias.clone())
    }

    fn has_alias_like(
        &self,
        network: &NetworkId,
        alias: &Alias,
        looks: &NameSkeletons,
    ) -> Result<bool, Error> {
        let sql = "SELECT EXISTS (SELECT 1 FROM aliases
                                  WHERE network_id = ?1 AND skeleton = ?2 AND alias <> ?3) AS found";
        let parameters = params![network.as_str(), looks.as_written, alias.as_str()];
        Ok(self.one(sql, parameters, |row| get::<bool>(row, "found"))?.unwrap_or(false))
    }

    fn has_live_alias_like(&self, network: &NetworkId, looks: &NameSkeletons) -> Result<bool, Error> {
        // One branch per index; an OR would walk the network's aliases.
        let like = |column: &str| {
            format!(
                "SELECT 1 FROM aliases a WHERE a.network_id = ?1 AND a.{column} IN (?2, ?3)
                     AND (EXISTS (SELECT 1 FROM tokens t
                                  WHERE t.network_id = a.network_id AND t.alias = a.alias AND t.revoked_at IS NULL)
                          OR EXISTS (SELECT 1 FROM sessions s
                                     WHERE s.network_id = a.network_id AND s.alias = a.alias))"
            )
        };
        let sql = format!("{} UNION ALL {} LIMIT 1", like("skeleton"), like("skeleton_lower"));
        let parameters = params![network.as_str(), looks.as_written, looks.lower_case];
        Ok(self.one(&sql, parameters, |_| Ok(()))?.is_some())
    }

    fn has_member_like(&self, network: &NetworkId, looks: &NameSkeletons) -> Result<bool, Error> {
        let like = |column: &str| {
            format!(
                "SELECT 1 FROM users u CROSS JOIN members m ON m.network_id = ?1 AND m.user_id = u.user_id
                 WHERE u.{column} IN (?2, ?3)"
            )
        };
        let sql = format!("{} UNION ALL {} LIMIT 1", like("skeleton"), like("skeleton_lower"));
        let parameters = params![network.as_str(), looks.as_written, looks.lower_case];
        Ok(self.one(&sql, parameters, |_| Ok(()))?.is_some())
    }

    fn has_user_like(&self, looks: &NameSkeletons) -> Result<bool, Error> {
        let sql = "SELECT 1 FROM users WHERE skeleton IN (?1, ?2)
                   UNION ALL SELECT 1 FROM users WHERE skeleton_lower IN (?1, ?2) LIMIT 1";
        Ok(self.one(sql, params![looks.as_written, looks.lower_case], |_| Ok(()))?.is_some())
    }
}

impl AliasWrites for Rows<'_> {
    fn hand_over_alias(&mut self, network: &NetworkId, alias: &Alias, owner: &UserId) -> Result<(), Error> {
        let sql = "UPDATE aliases SET owner_id = ?3 WHERE network_id = ?1 AND alias = ?2";
        self.execute(sql, params![network.as_str(), alias.as_str(), owner.as_str()])?;
        Ok(())
    }

    fn set_alias_profile(
        &mut self,
        network: &NetworkId,
        alias: &Alias,
        profile: &AliasProfile,
    ) -> Result<(), Error> {
        let sql = "UPDATE aliases SET description = ?3, skills = ?4 WHERE network_id = ?1 AND alias = ?2";
        let AliasProfile { description, skills } = profile;
        self.execute(sql, params![network.as_str(), alias.as_str(), description, skills])?;
        Ok(())
    }

    fn revoke_alias_tokens_of_others(
        &mut self,
        network: &NetworkId,
        alias: &Alias,
        owner: &UserId,
        at: UnixMillis,
    ) -> Result<usize, Error> {
        let sql = "UPDATE tokens SET revoked_at = ?4
                   WHERE network_id = ?1 AND alias = ?2 AND user_id <> ?3 AND revoked_at IS NULL
                     AND token_id NOT IN (SELECT token_id FROM remotes WHERE network_id = ?1 AND alias = ?2)";
        self.execute(sql, params![network.as_str(), alias.as_str(), owner.as_str(), at.get()])
    }
}

impl Rows<'_> {
    /// Remembers an alias with what it looks like; it belongs to the user whose token holds it first.
    pub(crate) fn remember_alias(
        &self,
        network: &NetworkId,
        alias: &Alias,
        holder: &UserId,
    ) -> Result<(), Error> {
        let looks = NameSkeletons::of(alias.as_str());
        let sql = "INSERT INTO aliases (network_id, alias, owner_id, skeleton, skeleton_lower)
                   VALUES (?1, ?2, ?3, ?4, ?5)
                   ON CONFLICT (network_id, alias) DO UPDATE SET owner_id = COALESCE(aliases.owner_id, excluded.owner_id)";
        let row =
            params![network.as_str(), alias.as_str(), holder.as_str(), looks.as_written, looks.lower_case];
        self.execute(sql, row)?;
        Ok(())
    }
}
