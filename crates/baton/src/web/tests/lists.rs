//! `GET /api/tasks` by what no index has; the paging itself is the store's to test.

use axum::http::StatusCode;
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
    let child = json!({"alias": "worker", "task": "mix colours", "kind": "review", "parent_task_id": parent});
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
