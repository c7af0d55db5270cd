//! Reads on for a while after a refusal: a client that is cut off while it sends sees no answer.

use axum::body::BodyDataStream;
use baton_core::limits;
use futures_util::StreamExt;

/// Of a body that is too large so much is still read.
const BODY_BYTES: u64 = 2 * limits::JSON_BODY_MAX_BYTES as u64;

/// Reads the rest of a body.
pub async fn body(body: BodyDataStream) {
    up_to(body, BODY_BYTES).await;
}

/// The same for an upload, of which more may come.
pub async fn upload(body: BodyDataStream) {
    up_to(body, limits::ARTIFACT_MAX_BYTES).await;
}

async fn up_to(mut body: BodyDataStream, most: u64) {
    let all = async {
        let mut left = most;
        while let Some(Ok(bytes)) = body.next().await {
            left = left.saturating_sub(bytes.len() as u64);
            if left == 0 {
                return;
            }
        }
    };
    let _ = tokio::time::timeout(limits::DISCARD_MAX, all).await;
}
