//! Pending invitations in SQL.

use baton_core::{NetworkId, NetworkRole, UnixMillis, UserId, Username};
use rusqlite::params;

use super::columns::{Row, get, parsed, time};
use super::rows::Rows;
use crate::error::Error;
use crate::rows::{InvitationReads, InvitationRow, InvitationWrites};

const SELECT: &str = "SELECT i.network_id, n.name AS network_name, i.user_id, u.username, i.role,
                             b.username AS invited_by, i.created_at
                      FROM invitations i
                      JOIN networks n ON n.network_id = i.network_id
                      JOIN users u ON u.user_id = i.user_id
                      JOIN users b ON b.user_id = i.invited_by";

fn invitation_row(row: &Row<'_>) -> Result<InvitationRow, Error> {
    Ok(InvitationRow {
        network_id: parsed(row, "network_id", NetworkId::parse)?,
        network_name: get(row, "network_name")?,
        user_id: parsed(row, "user_id", UserId::parse)?,
        username: parsed(row, "username", |text| Username::parse(text).ok())?,
        role: parsed(row, "role", NetworkRole::parse)?,
        invited_by: parsed(row, "invited_by", |text| Username::parse(text).ok())?,
        created_at: time(row, "created_at")?,
    })
}

impl InvitationReads for Rows<'_> {
    fn invitation(&self, network: &NetworkId, user: &UserId) -> Result<Option<InvitationRow>, Error> {
        let sql = format!("{SELECT} WHERE i.network_id = ?1 AND i.user_id = ?2");
        self.one(&sql, params![network.as_str(), user.as_str()], invitation_row)
    }

    fn invitations_of_user(&self, user: &UserId, limit: usize) -> Result<Vec<InvitationRow>, Error> {
        let sql = format!("{SELECT} WHERE i.user_id = ?1 ORDER BY i.created_at, i.network_id LIMIT ?2");
        self.all(&sql, params![user.as_str(), limit as i64], invitation_row)
    }

    fn invitations_of_network(&self, network: &NetworkId, limit: usize) -> Result<Vec<InvitationRow>, Error> {
        let sql = format!("{SELECT} WHERE i.network_id = ?1 ORDER BY i.user_id LIMIT ?2");
        self.all(&sql, params![network.as_str(), limit as i64], invitation_row)
    }
}

impl InvitationWrites for Rows<'_> {
    fn insert_invitation(
        &mut self,
        network: &NetworkId,
        user: &UserId,
        role: NetworkRole,
        invited_by: &UserId,
        at: UnixMillis,
    ) -> Result<(), Error> {
        let sql = "INSERT INTO invitations (network_id, user_id, role, invited_by, created_at)
                   VALUES (?1, ?2, ?3, ?4, ?5)";
        let row = params![network.as_str(), user.as_str(), role.as_str(), invited_by.as_str(), at.get()];
        self.execute(sql, row)?;
        Ok(())
    }

    fn delete_invitation(&mut self, network: &NetworkId, user: &UserId) -> Result<bool, Error> {
        let sql = "DELETE FROM invitations WHERE network_id = ?1 AND user_id = ?2";
        Ok(self.execute(sql, params![network.as_str(), user.as_str()])? > 0)
    }

    fn delete_invitations_by(&mut self, network: &NetworkId, inviter: &UserId) -> Result<usize, Error> {
        let sql = "DELETE FROM invitations WHERE network_id = ?1 AND invited_by = ?2";
        self.execute(sql, params![network.as_str(), inviter.as_str()])
    }
}
