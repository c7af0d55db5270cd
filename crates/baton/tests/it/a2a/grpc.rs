//! What the gRPC binding alone has: an agent's name in each message, metadata, deadlines, statuses, HTTP/2. What all bindings have
//! is tested by all of them, over `door::ALL`.

use serde_json::{Value, json};
use std::thread;
use tonic::Code;

use super::door::{BOTH, Door, VERSION, message, work};
use super::grpc_call::{GrpcDoor, Updates, reason};
use crate::it::hub::{Hub, PASSWORD};
use crate::it::tenant::{Tenant, succeed, text};

fn follow(door: &GrpcDoor, id: &str, more: &[(&str, &str)]) -> Updates {
    door.stream("SubscribeToTask", &json!({"id": id}), &[&[VERSION], more].concat()).unwrap().unwrap()
}

#[test]
fn the_card_lists_grpc_with_the_hubs_port_and_the_agents_name_as_tenant() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let card = tenant.user.get(&door.base).json();
    let listed = card["supportedInterfaces"].as_array().unwrap();
    let expected = json!({
        "url": hub.address().to_string(), "protocolBinding": "GRPC", "protocolVersion": "1.0",
        "tenant": format!("{}/worker", tenant.network_id),
    });
    assert_eq!(listed[2], expected);
    assert!(listed[..2].iter().all(|face| face.get("tenant").is_none()));
    let grpc = GrpcDoor::of(&door).call("GetExtendedAgentCard", &json!({})).unwrap().unwrap();
    let rpc = door.call(BOTH[0], "GetExtendedAgentCard", &json!({})).unwrap();
    assert_eq!(super::bindings::lean(&grpc), super::bindings::lean(&rpc));
}

#[test]
fn a_message_without_an_agents_name_is_told_where_to_find_it() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let nameless = Door { base: "/a2a/".into(), ..door.clone() };
    let refused =
        GrpcDoor::of(&nameless).call_with("ListTasks", &json!({}), &[VERSION]).unwrap().unwrap_err();
    assert_eq!((refused.code(), &*reason(&refused)), (Code::InvalidArgument, "INVALID_PARAMS"));
    assert!(refused.message().contains("tenant must be NETWORK/ALIAS"), "{}", refused.message());
    let nameless = nameless.called_by(&hub.client());
    let refused =
        GrpcDoor::of(&nameless).call_with("ListTasks", &json!({}), &[VERSION]).unwrap().unwrap_err();
    assert_eq!(refused.code(), Code::Unauthenticated, "who calls is looked at first");
}

#[test]
fn what_http_says_in_headers_grpc_says_in_metadata() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let door = GrpcDoor::of(&Door::of(&tenant, &tenant.user, "worker"));
    let working = thread::spawn(move || work(&worker, "done"));
    let extension = ("a2a-extensions", "urn:baton:a2a:idempotency-key:1, urn:else");
    let key = ("idempotency-key", "k-1");
    let mut stream =
        door.stream("SendStreamingMessage", &message("x"), &[VERSION, extension, key]).unwrap().unwrap();
    assert_eq!(stream.metadata.get("a2a-extensions").unwrap(), "urn:baton:a2a:idempotency-key:1");
    while stream.next().unwrap().is_some() {}
    let id = working.join().unwrap();
    let again = door.call_with("SendMessage", &message("x"), &[VERSION, key]).unwrap().unwrap().0;
    assert_eq!(again["task"]["id"], json!(id), "the same key with the same message");
}

#[test]
fn a_call_over_grpc_ends_at_its_deadline_and_what_it_sent_stays() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    tenant.agent("worker");
    let plain = Door::of(&tenant, &tenant.user, "worker");
    let door = GrpcDoor::of(&plain);
    let late = door.call_with("SendMessage", &message("x"), &[VERSION, ("grpc-timeout", "300m")]);
    let late = late.unwrap().unwrap_err();
    // This client looks at the clock too, and says so in its own way if it is first.
    assert!([Code::DeadlineExceeded, Code::Cancelled].contains(&late.code()), "{late}");
    let listed = door.call("ListTasks", &json!({})).unwrap().unwrap();
    assert_eq!(listed["totalSize"], 1);
    let id = text(&listed["tasks"][0]["id"]);
    // It does not look at it once a stream has begun.
    let mut stream = follow(&door, &id, &[("grpc-timeout", "3S")]);
    assert!(stream.next().unwrap().unwrap().get("task").is_some());
    assert_eq!(stream.next().unwrap_err().code(), Code::DeadlineExceeded);
}

#[test]
fn what_the_gate_refuses_is_a_grpc_status() {
    let rates = ["--rate-limit", "1", "--rate-burst", "3"];
    let hub = Hub::start_with(&[&["--password", PASSWORD], &rates[..]].concat());
    let tenant = Tenant::of_admin(&hub);
    let door = |token: &str| GrpcDoor::of(&Door::of(&tenant, &hub.client().with_token(token), "worker"));
    const GET_TASK: &str = "/lf.a2a.v1.A2AService/GetTask";
    let unknown = door("a").status_of("/lf.a2a.v1.A2AService/Nothing", &[VERSION], 1);
    assert_eq!(unknown.code(), Code::Unimplemented, "{unknown}");
    let unknown = door("b").status_of("/some.other.Service/GetTask", &[VERSION], 1);
    assert_eq!(unknown.code(), Code::Unimplemented, "{unknown}");
    let twice = door("d").status_of(GET_TASK, &[VERSION, ("authorization", "Bearer x")], 1);
    assert_eq!((twice.code(), &*reason(&twice)), (Code::InvalidArgument, "INVALID_REQUEST"), "{twice}");
    let page = door("e").status_of(GET_TASK, &[VERSION, ("origin", "https://example.org")], 1);
    assert_eq!(page.code(), Code::PermissionDenied, "{page}");
    let rated = door("f");
    let statuses = [(); 5].map(|()| rated.status_of(GET_TASK, &[VERSION], 1));
    let limited = statuses.iter().find(|status| status.code() == Code::ResourceExhausted);
    let limited = limited.unwrap_or_else(|| panic!("{statuses:?}"));
    assert_eq!(reason(limited), "RESOURCE_EXHAUSTED");
    assert!(String::from_utf8_lossy(limited.details()).contains("google.rpc.RetryInfo"));
    let large = door("c").status_of(GET_TASK, &[VERSION], 9 * 1024 * 1024);
    assert_eq!(large.code(), Code::ResourceExhausted, "{large}");
}

#[test]
fn a_stream_over_grpc_says_why_it_ends_before_its_task() {
    let mut hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    tenant.agent("worker");
    let plain = Door::of(&tenant, &tenant.user, "worker");
    let id = text(&plain.send("x")["id"]);
    let (gone, token_id) = tenant.mint("gone", "coordinator");
    let (its_door, door) = (GrpcDoor::of(&plain.called_by(&gone)), GrpcDoor::of(&plain));
    let (mut revoked, mut stopped) = (follow(&its_door, &id, &[]), follow(&door, &id, &[]));
    for stream in [&mut revoked, &mut stopped] {
        assert!(stream.next().unwrap().unwrap().get("task").is_some());
    }
    succeed(&tenant.user.delete(&format!("/api/auth/tokens/{token_id}")));
    assert_eq!(revoked.next().unwrap_err().code(), Code::Unauthenticated);
    hub.stop();
    assert_eq!(stopped.next().unwrap_err().code(), Code::Unavailable);
}

#[test]
fn only_what_is_called_grpc_is_read_as_grpc() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let answer = tenant.user.post("/lf.a2a.v1.A2AService/GetTask", &json!({"id": "x"}));
    assert_eq!(
        (answer.status, &answer.json()["error"]["details"][0]["reason"]),
        (400, &json!("CONTENT_TYPE_NOT_SUPPORTED"))
    );
}

#[test]
fn the_other_doors_are_served_over_http_2_too() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::builder().no_proxy().http2_prior_knowledge().build().unwrap();
    let token = tenant.user.token.clone().unwrap();
    let answer: Value = runtime.block_on(async {
        let answer =
            client.get(format!("{}/api/auth/me", hub.url())).bearer_auth(token).send().await.unwrap();
        assert_eq!((answer.version(), answer.status().as_u16()), (reqwest::Version::HTTP_2, 200));
        answer.json().await.unwrap()
    });
    assert_eq!(answer["ok"], true);
}
