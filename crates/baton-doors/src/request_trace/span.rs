//! The span of a request, from its arrival until the last of its answer has gone; a stream's lasts as long as the stream.

use axum::body::Body;
use axum::extract::{MatchedPath, Request};
use axum::response::Response;
use std::borrow::Cow;
use std::fmt::Display;
use std::sync::Arc;
use std::time::Instant;

use super::{method_name, of_headers};
use crate::body;
use crate::random::id_bytes;
use crate::trace::span::{Kind, Span, SpanParent, Value, nanos_now};
use crate::trace::{Finished, Traces};

/// A span that is exported when this is dropped.
#[derive(Debug)]
pub(crate) struct RequestSpan {
    traces: Arc<Traces>,
    began: Instant,
    span: Option<Box<Span>>,
}

impl RequestSpan {
    /// Begins the span of a request; none if its trace is not recorded.
    pub(crate) fn begin(traces: &Arc<Traces>, request: &Request, id: &impl Display) -> Option<Self> {
        let place =
            SpanParent::below(of_headers(request.headers()), traces.collector.export.sampler, id_bytes)?;
        let method = method_name(request.method());
        let mut attributes = vec![
            ("http.request.method", Value::Text(method.to_owned())),
            ("baton.request.id", Value::Text(id.to_string())),
        ];
        let name = match request.extensions().get::<MatchedPath>() {
            Some(route) => {
                attributes.push(("http.route", Value::Text(route.as_str().to_owned())));
                format!("{method} {}", route.as_str())
            }
            None => method.to_owned(),
        };
        let span = Span {
            trace_id: place.trace_id,
            span_id: id_bytes(),
            parent: place.parent,
            name: Cow::Owned(name),
            kind: Kind::Server,
            start: nanos_now(),
            end: 0,
            attributes,
            has_failed: false,
        };
        Some(Self { traces: traces.clone(), began: Instant::now(), span: Some(Box::new(span)) })
    }

    /// Notes the answer and goes with it.
    pub(crate) fn leave_with(mut self, response: Response) -> Response {
        if let Some(span) = &mut self.span {
            let status = response.status();
            span.attributes.push(("http.response.status_code", Value::Number(status.as_u16().into())));
            span.has_failed = status.is_server_error();
        }
        response.map(|body| Body::new(body::holding(body, self)))
    }
}

impl Drop for RequestSpan {
    fn drop(&mut self) {
        if let Some(mut span) = self.span.take() {
            span.end = span.start + self.began.elapsed().as_nanos();
            self.traces.export(Finished::Span(span));
        }
    }
}
