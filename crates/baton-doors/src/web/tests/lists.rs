//! `GET /api/tasks` by what no index has; the paging itself is the store's to test.

use axum::http::StatusCode;
use baton_core::TaskId;
use serde_json::{Value, json};

use super::browser::Browser;

async fn found(browser: &Browser, network: &str, query: &str) -> Vec<String> {
    let page = browser.reads(&format!("/api/tasks?network_id={network}&{query}")).await;
    assert_eq!(page["next_cursor"], Value::Null);
    let tasks = page["tasks"].as_array().unwrap();
    tasks.iter().map(|task| task["content"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn tasks_are_found_by_kind_text_time_and_parent_and_by_several_at_once() {
    let (browser, network) = Browser::signed_in().await;
    let worker = browser.agent(&network, "worker").await;
    let parent = browser.sends(json!({"alias": "worker", "task": "Paint the ÉTUDE"})).await;
    let child = json!({
        "alias": "worker", "task": "mix colours", "kind": "review", "parent_task_id": parent, "allow_cycle": true,
    });
    let child = worker.posts("/api/task", child).await["task_id"].as_str().unwrap().to_owned();
    worker.posts(&format!("/api/tasks/{child}/reply"), json!({"text": "Mixed with WALNUT oil"})).await;
    let cases: [(&str, &[&str]); 12] = [
        ("kind=review", &["mix colours"]),
        ("kind=chat", &[]),
        ("text=%C3%A9tude", &["Paint the ÉTUDE"]),
        ("text=walnut", &["mix colours"]),
        ("text=100%25", &[]),
        ("text=", &["mix colours", "Paint the ÉTUDE"]),
        (&format!("parent_task_id={parent}"), &["mix colours"]),
        (&format!("parent_task_id={child}"), &[]),
        ("since=2020-01-01T00:00:00Z", &["mix colours", "Paint the ÉTUDE"]),
        ("until=2020-01-01T00:00:00Z", &[]),
        ("status=replied&to_name=worker&from_name=worker&text=mix", &["mix colours"]),
        (&format!("task_id={child}&kind=delegation"), &[]),
    ];
    for (query, expected) in cases {
        assert_eq!(found(&browser, &network, query).await, expected, "{query}");
    }
    for (query, field) in [
        ("since=yesterday", "since"),
        ("until=x", "until"),
        ("parent_task_id=x", "parent_task_id"),
        (&format!("text={}", "x".repeat(201)), "text"),
        (&format!("kind={}", "x".repeat(65)), "kind"),
    ] {
        let (status, answer) = browser.asks("GET", &format!("/api/tasks?{query}"), None).await;
        assert_eq!(
            (status, &answer["details"][0]["field"]),
            (StatusCode::BAD_REQUEST, &json!(field)),
            "{query}"
        );
    }
}

#[tokio::test]
async fn a_search_shows_an_agent_its_own_tasks_and_a_stranger_none() {
    let (mut browser, network) = Browser::signed_in().await;
    let worker = browser.agent(&network, "worker").await;
    browser.agent(&network, "other").await;
    browser.sends(json!({"alias": "worker", "task": "needle one"})).await;
    browser.sends(json!({"alias": "other", "task": "needle two"})).await;
    let (_, page) = worker.calls("GET", "/api/tasks?text=NEEDLE", None).await;
    assert_eq!((&page["count"], &page["tasks"][0]["content"]), (&json!(1), &json!("needle one")));
    browser.register("eve").await;
    browser.sign_in("eve", super::browser::PASSWORD).await;
    assert_eq!(browser.reads("/api/tasks?text=needle").await["count"], 0);
    let (status, _) =
        browser.asks("GET", &format!("/api/tasks?text=needle&network_id={network}"), None).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_task_says_what_it_was_retried_as() {
    let (browser, network) = Browser::signed_in().await;
    browser.agent(&network, "worker").await;
    let task = browser.sends(json!({"alias": "worker", "task": "x"})).await;
    let path = format!("/api/tasks/{task}");
    assert_eq!(browser.reads(&path).await.get("retried_to"), None);
    browser.asks("POST", &format!("{path}/cancel"), Some(&json!({"reason": "again"}))).await;
    let (_, retried) = browser.asks("POST", &format!("{path}/retry"), Some(&json!({}))).await;
    assert_eq!(browser.reads(&path).await["retried_to"], retried["task_id"]);
}

#[tokio::test]
async fn a_short_row_has_the_beginning_of_its_text_and_no_other_text() {
    let (browser, network) = Browser::signed_in().await;
    let worker = browser.agent(&network, "worker").await;
    let text = format!("{}end", "é".repeat(199));
    let parts = json!([{"text": text}, {"data": {"n": 1}}]);
    let task = json!({"alias": "worker", "task": text, "context": "quiet", "meta": {"n": 1}, "parts": parts});
    let task = browser.sends(task).await;
    worker.posts(&format!("/api/tasks/{task}/reply"), json!({"text": "a long answer"})).await;
    for query in
        ["", "&text=ANSWER", "&to_name=worker", &format!("&task_id={task}"), &format!("&task_ids={task}")]
    {
        let path = format!("/api/tasks?network_id={network}{query}");
        let mut whole = browser.reads(&path).await["tasks"][0].take();
        let short = browser.reads(&format!("{path}&view=row")).await["tasks"][0].take();
        assert_eq!(whole["result"], "a long answer", "{query}");
        whole["content"] = json!(format!("{}e", "é".repeat(199)));
        for field in ["result", "context", "meta"] {
            assert!(!whole[field].is_null(), "{field}");
            whole[field] = Value::Null;
        }
        whole.as_object_mut().unwrap().remove("parts");
        assert_eq!(short, whole, "{query}");
    }
    for view in ["whole", "Row", ""] {
        let (status, answer) = browser.asks("GET", &format!("/api/tasks?view={view}"), None).await;
        let said = (status, &answer["error"], &answer["details"][0]["field"]);
        assert_eq!(said, (StatusCode::BAD_REQUEST, &json!("invalid input"), &json!("view")), "{view}");
    }
}

#[tokio::test]
async fn several_tasks_are_read_in_one_call_each_only_by_who_may_see_it() {
    let (mut browser, network) = Browser::signed_in().await;
    let worker = browser.agent(&network, "worker").await;
    browser.agent(&network, "other").await;
    let one = browser.sends(json!({"alias": "worker", "task": "one"})).await;
    let two = browser.sends(json!({"alias": "other", "task": "two"})).await;
    browser.sends(json!({"alias": "other", "task": "three"})).await;
    let unknown = TaskId::new(browser.test.hub.clock.now(), [9; 10]);
    let path = format!("/api/tasks?task_ids={one},nonsense,{two},{unknown}");
    let contents = |page: &Value| {
        let tasks = page["tasks"].as_array().unwrap();
        tasks.iter().map(|task| task["content"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let page = browser.reads(&format!("{path}&limit=1")).await;
    assert_eq!((contents(&page), &page["next_cursor"]), (vec!["two".into(), "one".into()], &Value::Null));
    assert_eq!(contents(&browser.reads(&format!("{path}&to_name=other")).await), ["two"]);
    assert_eq!(contents(&browser.reads(&format!("{path}&task_id={one}")).await), ["one"]);
    assert_eq!(browser.reads("/api/tasks?task_ids=").await["count"], 0);
    assert_eq!(contents(&worker.calls("GET", &path, None).await.1), ["one"]);
    let ids = |count| vec![one.as_str(); count].join(",");
    assert_eq!(browser.reads(&format!("/api/tasks?task_ids={}", ids(200))).await["count"], 1);
    let (status, answer) = browser.asks("GET", &format!("/api/tasks?task_ids={}", ids(201)), None).await;
    assert_eq!((status, &answer["details"][0]["field"]), (StatusCode::BAD_REQUEST, &json!("task_ids")));
    browser.register("eve").await;
    browser.sign_in("eve", super::browser::PASSWORD).await;
    assert_eq!(browser.reads(&path).await["count"], 0);
}
