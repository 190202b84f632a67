//! The caller's history: its pages, and what is removed from it.

use crate::simulated::script::{Page, data, lost, reply};
use crate::simulated::value::{SimValue, hold};
use mediagate_client::Id;
use serde_json::{Value as Json, json};

const TASKS: &str = "https://gateway.test/api/app/v1/tasks";

fn tasks(page: &mut Page, client: Id, query: &str) -> Id {
    page.sim.promise(&SimValue::Undefined, |it, promise| {
        it.tasks(promise, client, hold(SimValue::text(query)))
    })
}

fn forget(page: &mut Page, client: Id, task: &SimValue) -> Id {
    page.sim.promise(&SimValue::Undefined, |it, promise| {
        it.forget(promise, client, hold(task.clone()), false)
    })
}

fn page() -> (Page, Id) {
    let mut page = Page::new([]);
    let client = page.client(SimValue::text("t"));
    (page, client)
}

#[test]
fn a_page_of_the_history_is_what_the_gateway_lists() {
    let (mut page, client) = page();
    let listed =
        json!({ "tasks": [{ "id": "k", "capability": "split_pdf", "title": "t" }], "cursor": "c" });
    page.then([lost(), data(listed.clone())]);
    let promise = tasks(&mut page, client, "");
    page.sim.run();
    assert_eq!(
        (page.sim.value(promise).json(), page.lines()),
        (listed, vec![format!("GET {TASKS}"); 2])
    );
    assert_eq!(
        (page.requests()[0].token.as_str(), &page.requests()[0].body),
        ("t", &Json::Null)
    );
    page.sim.assert_rest();
}

#[test]
fn a_page_is_selected_by_its_query() {
    let (mut page, client) = page();
    page.then([data(json!({ "tasks": [] }))]);
    tasks(&mut page, client, "?limit=7&cursor=c%26d");
    page.sim.run();
    assert_eq!(page.lines(), [format!("GET {TASKS}?limit=7&cursor=c%26d")]);
}

#[test]
fn a_task_is_forgotten_by_its_id() {
    let (mut page, client) = page();
    page.then([data(json!({}))]);
    let promise = forget(&mut page, client, &SimValue::text("a/b?c"));
    page.sim.run();
    assert_eq!(page.sim.value(promise).json(), json!({}));
    assert_eq!(page.lines(), [format!("DELETE {TASKS}/a%2Fb%3Fc")]);
    assert_eq!(
        (page.requests()[0].token.as_str(), &page.requests()[0].body),
        ("t", &Json::Null)
    );
    page.sim.assert_rest();
}

#[test]
fn a_task_that_runs_is_not_forgotten() {
    let (mut page, client) = page();
    page.then([reply(
        409,
        json!({ "code": 12, "message": "x", "data": { "reason": "task_running" } }),
    )]);
    let promise = forget(&mut page, client, &SimValue::text("k"));
    page.sim.run();
    assert_eq!(page.code(promise).1, 409);
    page.sim.assert_rest();
}
