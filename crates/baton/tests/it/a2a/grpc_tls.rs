//! gRPC over TLS: HTTP/2 is agreed on in the handshake, by ALPN, as every client of gRPC does it.

use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use serde_json::json;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tonic::codegen::Service;
use tonic::codegen::http::Uri;

use super::door::{Door, VERSION, immediately, message};
use super::grpc_call::GrpcDoor;
use crate::it::hub::Hub;
use crate::it::tenant::{Tenant, text};
use crate::it::tls::Certificate;

/// Connects as tonic's own TLS does, and notes what was agreed on.
#[derive(Clone)]
struct Connector {
    config: Arc<ClientConfig>,
    address: SocketAddr,
    agreed: Arc<Mutex<Vec<Option<Vec<u8>>>>>,
}

impl Service<Uri> for Connector {
    type Response = TokioIo<TlsStream<TcpStream>>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Self::Response>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Uri) -> Self::Future {
        let Self { config, address, agreed } = self.clone();
        Box::pin(async move {
            let socket = TcpStream::connect(address).await?;
            let name = ServerName::try_from("localhost").unwrap();
            let stream = TlsConnector::from(config).connect(name, socket).await?;
            agreed.lock().unwrap().push(stream.get_ref().1.alpn_protocol().map(<[u8]>::to_vec));
            Ok(TokioIo::new(stream))
        })
    }
}

#[test]
fn over_tls_grpc_is_agreed_on_by_alpn_and_a_send_and_a_stream_go_over_one_connection() {
    let mut hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let certificate = Certificate::new();
    hub.restart_with(&certificate.options().each_ref().map(String::as_str));

    let mut config = certificate.trusted();
    // HTTP/1.1 first: the hub prefers HTTP/2 nevertheless.
    config.alpn_protocols = vec![b"http/1.1".to_vec(), b"h2".to_vec()];
    let agreed = Arc::new(Mutex::new(Vec::new()));
    let connector = Connector { config: config.into(), address: hub.address(), agreed: agreed.clone() };
    let url = format!("https://localhost:{}", hub.address().port());
    let secure = GrpcDoor::connected(&door, &url, |endpoint| endpoint.connect_with_connector_lazy(connector));

    let sent = secure.call("SendMessage", &immediately(message("x"))).unwrap().unwrap();
    let id = text(&sent["task"]["id"]);
    let mut stream = secure.stream("SubscribeToTask", &json!({"id": id}), &[VERSION]).unwrap().unwrap();
    let first = stream.next().unwrap().unwrap();
    assert_eq!(first["task"]["status"]["state"], "TASK_STATE_SUBMITTED");
    secure.call("CancelTask", &json!({"id": id})).unwrap().unwrap();
    let last = stream.next().unwrap().unwrap();
    assert_eq!(last["statusUpdate"]["status"]["state"], "TASK_STATE_CANCELED");
    assert_eq!(stream.next().unwrap(), None, "and it ends well");
    assert_eq!(*agreed.lock().unwrap(), [Some(b"h2".to_vec())]);
}
