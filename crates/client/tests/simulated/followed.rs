//! A page that follows the task `k`: its records as events and as responses to polls.

use mediagate_client::Id;
use serde_json::{Value as Json, json};

use super::script::Part::{self, Chunk};
use super::script::{Page, Reply, reply};
use super::value::SimValue;

/// The request of the stream.
pub const EVENTS: &str = "GET https://gateway.test/api/app/v1/tasks/k/events";
/// A poll.
pub const POLL: &str = "GET https://gateway.test/api/app/v1/process/tasks/k";

/// A response with the task in a state.
pub fn record(state: &str) -> Json {
    json!({ "code": 0, "data": { "task": { "id": "k", "state": state } } })
}

/// The text of an event with the task in a state.
pub fn event_text(id: &str, state: &str) -> String {
    format!("id: {id}\nevent: task\ndata: {}\n\n", record(state))
}

/// An event with the task in a state.
pub fn event(id: u32, state: &str) -> Part {
    Chunk(event_text(&id.to_string(), state))
}

/// The response to a poll.
pub fn polled(state: &str) -> Reply {
    reply(200, record(state))
}

/// The response of a gateway without streams.
pub fn no_stream() -> Reply {
    reply(404, json!({ "code": 12, "message": "no such path" }))
}

/// A refusal because of the rate.
pub fn shed() -> Reply {
    reply(429, json!({ "code": 16, "message": "x" }))
}

/// A page with these responses, and the task `k`.
pub fn page_of(replies: &[Reply]) -> (Page, Id) {
    let mut page = Page::new(replies.to_vec());
    let client = page.client(SimValue::text("t"));
    let task = page.task(client, "k");
    (page, task)
}

/// Waits for the end of the task `k`. Returns its last state.
pub fn done(replies: &[Reply]) -> (Page, String) {
    let (mut page, task) = page_of(replies);
    let done = page.done(task, &SimValue::Undefined);
    page.sim.run();
    let state = page.state(done);
    assert_eq!(page.left(), 0, "{replies:?}");
    page.sim.assert_rest();
    (page, state)
}

/// All states that a subscription gets.
pub fn states(page: &mut Page, task: Id, subscription: Id) -> Vec<String> {
    let mut states = Vec::new();
    loop {
        let next = page.next(task, subscription);
        page.sim.run();
        if page.sim.value(next).is_undefined() {
            return states;
        }
        states.push(page.state(next));
    }
}
