//! What a packet's attributes contain about agent cards. Separate from the handoff object, which never looks here.

use serde::Serialize;

use crate::attributes::Attribute;

/// What was visible of agent cards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Discovery {
    /// The packet showed that a card was visible.
    pub agent_card_visible: bool,
    /// The class of its source.
    pub agent_card_source_kind: CardSourceKind,
    /// The packet showed that access to an extended card was visible.
    pub extended_card_access_visible: bool,
    /// Always false: nothing here reads signatures.
    pub signature_material_visible: bool,
}

/// Which class of source spoke of a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CardSourceKind {
    /// The packet's attributes.
    Attributes,
    /// None.
    Unknown,
}

impl Discovery {
    /// What is emitted when the attributes say nothing of cards.
    pub const NOT_VISIBLE: Self = Self {
        agent_card_visible: false,
        agent_card_source_kind: CardSourceKind::Unknown,
        extended_card_access_visible: false,
        signature_material_visible: false,
    };

    /// Reads `attributes.assay_g4.*.visible`; only an exact `true` counts.
    pub(crate) fn observe(attributes: Option<&Attribute<'_>>) -> Self {
        let g4 = attributes.and_then(|attributes| attributes.get("assay_g4"));
        let visible = |card: &str| {
            let flag = g4.and_then(|g4| g4.get(card)).and_then(|card| card.get("visible"));
            flag == Some(&Attribute::Bool(true))
        };
        let agent_card_visible = visible("agent_card");
        Self {
            agent_card_visible,
            agent_card_source_kind: if agent_card_visible {
                CardSourceKind::Attributes
            } else {
                CardSourceKind::Unknown
            },
            extended_card_access_visible: visible("extended_card_access"),
            signature_material_visible: false,
        }
    }
}
