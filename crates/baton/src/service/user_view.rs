//! A user as answers show one.

use baton_core::{SystemRole, UserId, Username};
use baton_store::rows::UserRow;
use serde::Serialize;
use utoipa::ToSchema;

/// A user, without what is nobody's business.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = User)]
pub(crate) struct UserView {
    user_id: UserId,
    username: Username,
    display_name: Option<String>,
    email: Option<String>,
    role: SystemRole,
    /// Shown only while it asks for something.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    must_change_password: bool,
}

impl UserView {
    /// Whether the password is to be changed; said in a place of its own from now on.
    pub(crate) fn take_notice(&mut self) -> bool {
        std::mem::take(&mut self.must_change_password)
    }
}

impl From<UserRow> for UserView {
    fn from(user: UserRow) -> Self {
        Self {
            user_id: user.user_id,
            username: user.username,
            display_name: user.display_name,
            email: user.email,
            role: user.role,
            must_change_password: user.must_change_password,
        }
    }
}
