//! The seam to `service::sweep`: lapsed leases, overdue tasks, what is kept no longer.

use crate::hub::Hub;
use crate::service::Error;

pub(super) async fn leases(_hub: &Hub) -> Result<usize, Error> {
    Ok(0)
}

pub(super) async fn expiry(_hub: &Hub) -> Result<usize, Error> {
    Ok(0)
}

pub(super) async fn retention(_hub: &Hub) -> Result<usize, Error> {
    Ok(0)
}
