//! The caller's history: its pages, and what is removed from it.

mod simulated;

use mediagate_client::Id;
use serde_json::{Value as Json, json};
use simulated::script::{Page, data, lost, reply};
use simulated::value::{SimValue, hold};

const TASKS: &str = "https://gateway.test/api/app/v1/tasks";

/// Requests a page of the history with these parameters.
fn tasks(page: &mut Page, client: Id, limit: Json, cursor: Json) -> Id {
    let defined = |it: Json| (!it.is_null()).then(|| SimValue::from(it));
    let (limit, cursor) = (defined(limit), defined(cursor));
    page.sim.promise(&SimValue::Undefined, |it, promise| {
        it.tasks(promise, client, limit.map(hold), cursor.map(hold));
    })
}

fn forget(page: &mut Page, client: Id, task: &SimValue) -> Id {
    page.sim.promise(&SimValue::Undefined, |it, promise| it.forget(promise, client, hold(task.clone())))
}

fn page() -> (Page, Id) {
    let mut page = Page::new([]);
    let client = page.client(SimValue::text("t"));
    (page, client)
}

#[test]
fn a_page_of_the_history_is_what_the_gateway_lists() {
    let (mut page, client) = page();
    let listed = json!({ "tasks": [{ "id": "k", "capability": "split_pdf", "title": "t" }], "cursor": "c" });
    page.then([lost(), data(listed.clone())]);
    let promise = tasks(&mut page, client, Json::Null, Json::Null);
    page.sim.run();
    assert_eq!((page.sim.value(promise).json(), page.lines()), (listed, vec![format!("GET {TASKS}"); 2]));
    assert_eq!((page.requests()[0].token.as_str(), &page.requests()[0].body), ("t", &Json::Null));
    page.sim.assert_rest();
}

#[test]
fn the_parameters_of_a_page_are_encoded() {
    let urls = [
        (json!(7), Json::Null, "?limit=7"),
        (json!("7"), json!("c"), "?limit=7&cursor=c"),
        (Json::Null, json!("a/b&c=d #é"), "?cursor=a%2Fb%26c%3Dd%20%23%C3%A9"),
        (json!("1&x=2"), json!(""), "?limit=1%26x%3D2"),
        // What is no value is left to the gateway's default.
        (json!({}), json!(true), ""),
    ];
    for (limit, cursor, query) in urls {
        let (mut page, client) = page();
        page.then([data(json!({ "tasks": [] }))]);
        tasks(&mut page, client, limit, cursor);
        page.sim.run();
        assert_eq!(page.lines(), [format!("GET {TASKS}{query}")]);
    }
}

#[test]
fn a_task_is_forgotten_by_its_id() {
    let entry = SimValue::from(json!({ "id": "a/b?c", "capability": "split_pdf", "state": "SUCCEEDED" }));
    for task in [SimValue::text("a/b?c"), entry] {
        let (mut page, client) = page();
        page.then([data(json!({}))]);
        let promise = forget(&mut page, client, &task);
        page.sim.run();
        assert_eq!(page.sim.value(promise).json(), json!({}));
        assert_eq!(page.lines(), [format!("DELETE {TASKS}/a%2Fb%3Fc")]);
        assert_eq!((page.requests()[0].token.as_str(), &page.requests()[0].body), ("t", &Json::Null));
        page.sim.assert_rest();
    }
}

#[test]
fn a_task_that_runs_is_not_forgotten() {
    let (mut page, client) = page();
    page.then([reply(409, json!({ "code": 12, "message": "x", "data": { "reason": "task_running" } }))]);
    let promise = forget(&mut page, client, &SimValue::text("k"));
    page.sim.run();
    assert_eq!(page.code(promise).1, 409);
    page.sim.assert_rest();
}

#[test]
fn what_is_no_task_is_an_invalid_argument() {
    let odd = [
        SimValue::Undefined,
        SimValue::Null,
        SimValue::Boolean(true),
        SimValue::text(" "),
        SimValue::function("f"),
        SimValue::file("a", "", 1.0),
        SimValue::from(json!({})),
        SimValue::from(json!({ "id": "" })),
        SimValue::from(json!({ "id": { "id": "k" } })),
        SimValue::from(json!(["k"])),
    ];
    for task in odd {
        let (mut page, client) = page();
        let promise = forget(&mut page, client, &task);
        assert_eq!(page.code(promise).0, "invalid_argument", "{task:?}");
        assert!(page.lines().is_empty());
        page.sim.assert_rest();
    }
}
