//! What the connections of one database know of its disk and of its file.

use super::damage::Damage;
use crate::refused::Refused;

#[derive(Clone, Debug, Default)]
pub(super) struct Health {
    pub(super) refused: Refused,
    pub(super) damage: Damage,
}
