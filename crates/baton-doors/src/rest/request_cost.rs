//! What a request costs beside its own call, where only its handler knows: the memory of an answer that is built after a wait,
//! and the calls that a list of tasks counts as.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use std::convert::Infallible;
use std::sync::Arc;

use crate::hub::in_flight::ReservationSlot;

/// Counts more calls to a token than the one that was counted at the gate.
#[derive(Clone)]
pub struct CallRate(Arc<dyn Fn(usize) + Send + Sync>);

impl CallRate {
    pub fn new(charge: impl Fn(usize) + Send + Sync + 'static) -> Self {
        Self(Arc::new(charge))
    }

    pub fn charge(&self, calls: usize) {
        (self.0)(calls);
    }
}

/// The token's rate, where there is a limit.
pub struct Rate(pub Option<CallRate>);

/// Where the memory that the answer needs is reserved.
pub struct Reserved(pub ReservationSlot);

impl<S: Sync> FromRequestParts<S> for Rate {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self(parts.extensions.get::<CallRate>().cloned()))
    }
}

impl<S: Sync> FromRequestParts<S> for Reserved {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self(parts.extensions.get::<ReservationSlot>().cloned().unwrap_or_default()))
    }
}
