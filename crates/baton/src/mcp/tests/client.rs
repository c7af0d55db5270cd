//! The official SDK's own client, over a unix socket so that no HTTP client has to be built for it.

use axum::http::{HeaderName, HeaderValue};
use baton_core::SystemRole;
use rmcp::ServiceExt;
use rmcp::model::CallToolRequestParams;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use serde_json::json;

use super::{fake, router_of};
use crate::fixture::TestHub;

#[tokio::test]
async fn the_official_client_lists_the_tools_and_calls_one() {
    let hub = TestHub::start();
    let token = hub.person("ada", SystemRole::User, &[1]).await;
    let socket = hub.folder.path().join("mcp.sock");
    let listener = tokio::net::UnixListener::bind(&socket).unwrap();
    let door = router_of::<()>(&hub.hub, fake::tools());
    let server = tokio::spawn(async move { axum::serve(listener, door).await });

    let mut config = StreamableHttpClientTransportConfig::with_uri("http://localhost/mcp");
    let bearer = HeaderValue::from_str(&format!("Bearer {token}")).unwrap();
    config.custom_headers.insert(HeaderName::from_static("authorization"), bearer);
    let transport =
        StreamableHttpClientTransport::from_unix_socket_with_config(socket.to_str().unwrap(), config);
    let client = ().serve(transport).await.unwrap();

    let names: Vec<_> = client.list_all_tools().await.unwrap().into_iter().map(|tool| tool.name).collect();
    assert_eq!(names, ["greet", "refuse", "panic"]);
    let mut call = CallToolRequestParams::new("greet");
    call.arguments = json!({ "alias": "bob" }).as_object().cloned();
    let result = client.call_tool(call).await.unwrap();
    assert_eq!(result.structured_content, Some(json!({ "ok": true, "alias": "bob", "actor": "ada" })));
    let failed = client.call_tool(CallToolRequestParams::new("greet")).await.unwrap_err().to_string();
    assert!(failed.contains("alias: is required"), "{failed}");

    client.cancel().await.unwrap();
    server.abort();
}
