//! Streams: the task first, every update in order, the same for everybody, resumed over a killed hub.

use serde_json::{Value, json};
use std::thread;
use tonic::Code;

use super::bindings::lean;
use super::door::{ALL, BOTH, Binding, Door, VERSION, follow_up, immediately, message, of_http, work};
use super::grpc_call::GrpcDoor;
use super::task_stream::TaskStream;
use crate::it::http::{Frame, Stream};
use crate::it::hub::Hub;
use crate::it::tenant::{Tenant, act, claim, succeed, text};

/// What a frame says, in short: its id, what it is, and the state it names.
pub(super) fn short(frame: &Frame) -> (String, String, String) {
    let (kind, told) = said(frame).as_object().unwrap().iter().next().unwrap();
    let state = told.pointer("/status/state").or(told.pointer("/artifact/artifactId"));
    (frame.id.clone().unwrap_or_default(), kind.clone(), text(state.unwrap()))
}

/// The rest of a stream.
pub(super) fn rest(stream: impl Into<TaskStream>) -> Vec<Frame> {
    stream.into().collect()
}

pub(super) fn story(frames: &[Frame]) -> Vec<(String, String, String)> {
    frames.iter().map(short).collect()
}

pub(super) fn told(parts: &[(&str, &str, &str)]) -> Vec<(String, String, String)> {
    parts.iter().map(|(id, kind, state)| ((*id).into(), (*kind).into(), (*state).into())).collect()
}

/// The same as a binding tells it: the messages of gRPC have no ids.
pub(super) fn by(binding: Binding, parts: &[(&str, &str, &str)]) -> Vec<(String, String, String)> {
    let without = |(_, kind, state)| (String::new(), kind, state);
    match binding {
        Binding::Grpc => told(parts).into_iter().map(without).collect(),
        Binding::Rpc | Binding::Http => told(parts),
    }
}

/// What a frame says, without what JSON-RPC puts around it.
fn said(frame: &Frame) -> &Value {
    frame.data.get("result").unwrap_or(&frame.data)
}

const WHOLE: [(&str, &str, &str); 4] = [
    ("1", "task", "TASK_STATE_SUBMITTED"),
    ("2", "statusUpdate", "TASK_STATE_WORKING"),
    ("2", "artifactUpdate", "result"),
    ("3", "statusUpdate", "TASK_STATE_COMPLETED"),
];

#[test]
fn a_streamed_send_tells_the_task_then_every_update_and_ends() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    for binding in ALL {
        let agent = worker.clone();
        let working = thread::spawn(move || work(&agent, "done"));
        let frames = door.streamed(binding, &message("x"), &[]);
        let id = working.join().unwrap();
        assert_eq!(story(&frames), by(binding, &WHOLE));
        if binding == Binding::Rpc {
            assert!(frames.iter().all(|frame| frame.data["id"] == 7 && frame.data["jsonrpc"] == "2.0"));
        }
        assert_eq!(said(&frames[0])["task"]["id"], json!(id));
        assert_eq!(said(&frames[2])["artifactUpdate"]["artifact"]["parts"][0]["text"], "done");
        assert!(said(&frames[0])["task"].get("artifacts").is_none(), "as it stood then");
    }
}

#[test]
fn every_subscriber_hears_the_same_and_one_that_leaves_disturbs_nobody() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let id = text(&door.send("x")["id"]);
    let follow = || ALL.map(|binding| door.follow(binding, &id, None).unwrap());
    let next = |streams: &mut [TaskStream; 3]| streams.each_mut().map(|stream| stream.next().unwrap());
    let (mut stay, mut leave_at_once, mut leave_later) = (follow(), follow(), follow());
    let mut heard = next(&mut stay).map(|first| vec![first]);
    next(&mut leave_at_once);
    drop(leave_at_once);
    next(&mut leave_later);
    let claimed = claim(&worker, 0, 60);
    next(&mut leave_later);
    drop(leave_later);
    succeed(&act(&worker, &id, "reply", &json!({"text": "done", "lease_id": claimed["lease_id"]})));
    for ((binding, heard), stream) in ALL.into_iter().zip(&mut heard).zip(stay) {
        heard.extend(stream);
        assert_eq!(story(heard), by(binding, &WHOLE));
    }
    let [rpc, http, grpc] =
        heard.map(|frames| frames.iter().map(|frame| lean(said(frame))).collect::<Vec<_>>());
    assert_eq!((&rpc, &rpc), (&http, &grpc));
}

#[test]
fn a_resume_after_any_frame_tells_the_rest_without_a_gap() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let id = text(&door.send("x")["id"]);
    work(&worker, "done");
    let after_two = [("2", "task", "TASK_STATE_WORKING"), WHOLE[2], WHOLE[3]];
    for binding in ALL {
        let heard = |last: &str| door.follow(binding, &id, Some(last)).map(|stream| story(&rest(stream)));
        assert_eq!(heard("1"), Ok(by(binding, &WHOLE)));
        assert_eq!(heard("2"), Ok(by(binding, &after_two)));
        assert_eq!(heard("3"), Err("UNSUPPORTED_OPERATION".into()), "it has heard all");
        let begun_again = door.follow(binding, &id, None).map(|stream| story(&rest(stream)));
        assert_eq!(begun_again, Err("UNSUPPORTED_OPERATION".into()));
        for wrong in ["4", "0", "-1", "x"] {
            assert_eq!(heard(wrong), Err("INVALID_PARAMS".into()), "{wrong}");
        }
    }
    let by_get = door.subscribe(&id, Some("3")).unwrap_err();
    assert_eq!((by_get.status, of_http(&by_get)), (400, Err("UNSUPPORTED_OPERATION".into())));
}

#[test]
fn a_stream_is_resumed_over_a_killed_hub_without_a_gap() {
    let mut hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let id = text(&door.send("x")["id"]);
    let mut streams = ALL.map(|binding| door.follow(binding, &id, None).unwrap());
    let mut heard = streams.each_mut().map(|stream| vec![stream.next().unwrap()]);
    let claimed = claim(&worker, 0, 60);
    for (stream, heard) in streams.iter_mut().zip(&mut heard) {
        heard.push(stream.next().unwrap());
    }
    hub.kill9();
    hub.restart();
    let resumed = ALL.map(|binding| {
        let mut stream = door.follow(binding, &id, Some("2")).unwrap();
        let again = stream.next().unwrap();
        assert_eq!(short(&again), by(binding, &[("2", "task", "TASK_STATE_WORKING")])[0]);
        stream
    });
    succeed(&act(&worker, &id, "reply", &json!({"text": "done", "lease_id": claimed["lease_id"]})));
    for ((binding, mut heard), resumed) in ALL.into_iter().zip(heard).zip(resumed) {
        heard.extend(resumed);
        assert_eq!(story(&heard), by(binding, &WHOLE));
    }
}

#[test]
fn a_parked_task_is_followed_through_its_answer_to_its_end() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    for binding in ALL {
        let id = text(&door.send("x")["id"]);
        claim(&worker, 0, 60);
        succeed(&act(&worker, &id, "ask", &json!({"question": "which?"})));
        let mut stream = door.follow(binding, &id, None).unwrap();
        let first = stream.next().unwrap();
        assert_eq!(short(&first), by(binding, &[("3", "task", "TASK_STATE_INPUT_REQUIRED")])[0]);
        assert_eq!(said(&first)["task"]["status"]["message"]["parts"][0]["text"], "which?");
        door.call(binding, "SendMessage", &immediately(follow_up(&*id, "that"))).unwrap();
        work(&worker, "done");
        let expected = by(
            binding,
            &[
                ("4", "statusUpdate", "TASK_STATE_WORKING"),
                ("5", "statusUpdate", "TASK_STATE_WORKING"),
                ("5", "artifactUpdate", "result"),
                ("6", "statusUpdate", "TASK_STATE_COMPLETED"),
            ],
        );
        assert_eq!(story(&rest(stream)), expected);
        let replayed = rest(door.follow(binding, &id, Some("2")).unwrap());
        let asked = &said(&replayed[1])["statusUpdate"]["status"]["message"];
        assert_eq!(asked["parts"][0]["text"], "which?");
        assert_eq!(story(&replayed)[2..], expected);
    }
}

#[test]
fn an_end_without_a_result_says_why() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    for binding in ALL {
        let id = text(&door.send("x")["id"]);
        let mut stream = door.follow(binding, &id, None).unwrap();
        stream.next().unwrap();
        succeed(&act(&worker, &id, "reply", &json!({"text": "no paint", "status": "failed"})));
        let frames = rest(stream);
        assert_eq!(story(&frames), by(binding, &[("2", "statusUpdate", "TASK_STATE_FAILED")]));
        assert_eq!(said(&frames[0])["statusUpdate"]["status"]["message"]["parts"][0]["text"], "no paint");
    }
}

#[test]
fn a_stream_ends_within_15_seconds_of_its_tokens_revocation() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    tenant.agent("worker");
    let (sender, token_id) = tenant.mint("sender", "node");
    let door = Door::of(&tenant, &sender, "worker");
    let id = text(&door.send("x")["id"]);
    let mut stream = door.subscribe(&id, None).unwrap();
    stream.next_frame().unwrap();
    succeed(&tenant.user.delete(&format!("/api/auth/tokens/{token_id}")));
    assert!(stream.next_frame().is_none(), "nothing more is sent");
    // A stream that is quiet for 20 seconds gets a comment: this one ended earlier.
    assert_eq!(stream.comments, 0);
}

#[test]
fn the_old_assignees_stream_ends_with_a_reassignment_and_the_senders_goes_on() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let (worker, other) = (tenant.agent("worker"), tenant.agent("other"));
    let door = Door::of(&tenant, &tenant.agent("sender"), "worker");
    let id = text(&door.send("x")["id"]);
    let follow = |door: &Door, binding| {
        let mut stream = door.follow(binding, &id, None).unwrap();
        assert_eq!(short(&stream.next().unwrap()), by(binding, &WHOLE)[0]);
        stream
    };
    let senders = ALL.map(|binding| follow(&door, binding));
    let assignee = door.called_by(&worker);
    let ended = BOTH.map(|binding| follow(&assignee, binding));
    let by_grpc = GrpcDoor::of(&assignee);
    let mut says_why = by_grpc.stream("SubscribeToTask", &json!({"id": id}), &[VERSION]).unwrap().unwrap();
    assert!(says_why.next().unwrap().is_some());
    succeed(&act(&tenant.user, &id, "reassign", &json!({"new_alias": "other"})));
    for mut stream in ended {
        assert!(stream.next().is_none(), "what happens to it now is none of its business");
    }
    assert_eq!(says_why.next().unwrap_err().code(), Code::NotFound);
    for binding in ALL {
        let refused = assignee.follow(binding, &id, Some("1")).map(|_| ());
        assert_eq!(refused, Err("TASK_NOT_FOUND".into()));
    }
    work(&other, "done");
    let expected = [
        ("2", "statusUpdate", "TASK_STATE_SUBMITTED"),
        ("3", "statusUpdate", "TASK_STATE_WORKING"),
        ("3", "artifactUpdate", "result"),
        ("4", "statusUpdate", "TASK_STATE_COMPLETED"),
    ];
    for (binding, sender) in ALL.into_iter().zip(senders) {
        assert_eq!(story(&rest(sender)), by(binding, &expected));
    }
}

#[test]
fn all_bindings_stream_the_same() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let id = text(&door.send("x")["id"]);
    work(&worker, "done");
    // All of it again from the first event on, by each.
    let [rpc, http, grpc] = ALL.map(|binding| rest(door.follow(binding, &id, Some("1")).unwrap()));
    assert_eq!(story(&http), told(&WHOLE));
    assert_eq!((rpc.len(), grpc.len()), (http.len(), http.len()));
    for ((rpc, http), grpc) in rpc.iter().zip(&http).zip(&grpc) {
        assert_eq!((&rpc.id, said(rpc)), (&http.id, said(http)));
        assert_eq!(lean(said(grpc)), lean(said(http)));
    }
}

#[test]
fn a_token_has_64_streams_at_once_and_no_more() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let id = text(&door.send("x")["id"]);
    let mut streams: Vec<Stream> = (0..64).map(|_| door.subscribe(&id, None).unwrap()).collect();
    let refused = door.subscribe(&id, None).unwrap_err();
    assert_eq!((refused.status, of_http(&refused)), (429, Err("RESOURCE_EXHAUSTED".into())));
    assert!(refused.header("retry-after").is_some());
    assert_eq!(door.rpc("SendStreamingMessage", &message("y")).status, 429);
    for binding in ALL {
        let refused = door.stream(binding, "SendStreamingMessage", &message("y"), &[]);
        assert_eq!(refused.map(|_| ()), Err("RESOURCE_EXHAUSTED".into()));
    }
    let listed = door.call(Binding::Rpc, "ListTasks", &json!({})).unwrap();
    assert_eq!(listed["totalSize"], 1, "what cannot be streamed was not sent");
    assert_eq!(short(&streams[63].next_frame().unwrap()), told(&WHOLE)[0]);
}

#[test]
fn an_expired_task_has_failed_and_says_that_it_expired() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let body = json!({"alias": "worker", "task": "soon", "ttl_seconds": 1, "network_id": tenant.network_id});
    for binding in ALL {
        let id = crate::it::tenant::send_with(&tenant.user, &body);
        let frames = rest(door.follow(binding, &id, None).unwrap());
        let expected = [WHOLE[0], ("2", "statusUpdate", "TASK_STATE_FAILED")];
        assert_eq!(story(&frames), by(binding, &expected));
        let words = text(&said(&frames[1])["statusUpdate"]["status"]["message"]["parts"][0]["text"]);
        assert!(words.contains("expired"), "{words}");
    }
}
