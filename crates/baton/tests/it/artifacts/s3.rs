//! Hubs that keep artifacts in a bucket.

use super::moto::{BUCKET, Moto};
use crate::it::hub::{ADMIN, Hub, PASSWORD};

/// A bucket, and the server that has it.
pub(super) struct S3(pub(super) Moto);

impl S3 {
    pub(super) fn start() -> Self {
        Self(Moto::start())
    }

    /// How many objects there are, and how many uploads that have not ended.
    pub(super) fn counts(&self) -> (usize, usize) {
        (self.0.keys().len(), self.0.unfinished())
    }

    /// A hub that keeps artifacts here.
    pub(super) fn hub(&self) -> Hub {
        let options =
            ["--username", ADMIN, "--password", PASSWORD, "--artifacts", &format!("s3://{BUCKET}/of/baton")];
        let environment = [
            ("AWS_ENDPOINT_URL", &*self.0.endpoint()),
            ("AWS_ACCESS_KEY_ID", "test"),
            ("AWS_SECRET_ACCESS_KEY", "test"),
            ("AWS_REGION", "us-east-1"),
        ];
        Hub::start_with_env(&options, &environment)
    }
}
