//! The answer of a use case that has nothing to say but that it is done.

use serde::Serialize;
use utoipa::ToSchema;

/// `{"ok":true}`.
#[derive(Debug, Serialize, ToSchema)]
pub struct Done {
    ok: bool,
}

impl Done {
    pub(super) const OK: Self = Self { ok: true };
}
