//! The aliases of a network and the users they belong to. An alias belongs to the user whose token first held it, until
//! a network admin hands it over.

pub(crate) mod hand_over;
pub(crate) mod list;
