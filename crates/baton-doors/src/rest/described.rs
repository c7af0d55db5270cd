//! Failures that routes name in their annotations, each the hub's error body with a status.

use std::collections::BTreeMap;
use utoipa::openapi::{Content, Ref, RefOr, Response, ResponseBuilder};
use utoipa::{IntoResponses, ToSchema};

use crate::rest::ErrorBody;

/// The error body, with what it means here.
pub fn failure(description: &str) -> Response {
    let body = Ref::from_schema_name(ErrorBody::name());
    let content = Content::new(Some(body));
    ResponseBuilder::new().description(description).content("application/json", content).build()
}

macro_rules! failures {
    ($($(#[$doc:meta])* $name:ident = $status:literal, $description:literal;)+) => {
        $(
            $(#[$doc])*
            pub struct $name;

            impl IntoResponses for $name {
                fn responses() -> BTreeMap<String, RefOr<Response>> {
                    BTreeMap::from([($status.into(), failure($description).into())])
                }
            }
        )+
    };
}

failures! {
    /// A rule of an argument, where the route itself takes none that could break one.
    BadRequest = "400", "an argument breaks its rule";
    /// A login that is none.
    WrongCredentials = "401", "username or password is wrong";
    /// It is not there, or out of the caller's sight; the two answer alike.
    NotFound = "404", "it is not there, or not for you to see; the two answer alike";
    /// It is not in a state for this.
    Conflict = "409", "it is not in a state for this; nothing was changed";
}
