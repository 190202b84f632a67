//! Creates with tasks and outputs in the place of ids.

use mediagate_client::Id;
use serde_json::{Value as Json, json};

use super::error::{member, string};
use super::script::Part::Chunk;
use super::script::{Page, Reply, data, reply, stream};
use super::value::SimValue;

/// The request of a transfer.
pub const FILES: &str = "POST https://gateway.test/api/app/v1/files";
/// The create of a merged document.
pub const MERGE: &str = "POST https://gateway.test/api/app/v1/process/asset/merge_pdf";
/// The request of an upload URL.
pub const UPLOAD: &str = "POST https://gateway.test/api/app/v1/upload_urls";

/// The response to a create.
pub fn created() -> Reply {
    data(json!({ "task": { "id": "new" } }))
}

/// The response to a transfer that has ended.
pub fn moved(file_id: &str) -> Reply {
    data(json!({ "file_id": file_id, "size": 9 }))
}

/// The response to a transfer that goes on.
pub fn moving(loaded: u32) -> Reply {
    data(json!({ "loaded": loaded, "total": 90, "progress": f64::from(loaded) / 90.0 }))
}

/// A refusal with a reason.
pub fn refused(status: u16, code: i32, reason: &str) -> Reply {
    reply(
        status,
        json!({ "code": code, "message": "x", "data": { "reason": reason } }),
    )
}

/// A record of a task that succeeded, with a PDF.
pub fn success() -> Json {
    success_with(json!([{ "url": "https://out.test/a.pdf", "kind": "pdf" }]))
}

/// A record of the task `k`, which succeeded with these outputs.
pub fn success_with(outputs: Json) -> Json {
    json!({ "code": 0, "data": { "task": { "id": "k", "state": "SUCCEEDED", "outputs": outputs } } })
}

/// A stream that begins with the last record of a task.
pub fn ended(record: &Json) -> Reply {
    stream(&[Chunk(format!("id: 9\nevent: task\ndata: {record}\n\n"))])
}

/// A task, as it is saved. `process/asset/split_pdf` is polled where `split_video` is.
pub fn task() -> SimValue {
    SimValue::from(json!({ "id": "k", "capability": "split_pdf" }))
}

/// An output of the task `k` at a position.
pub fn output(position: u32) -> SimValue {
    SimValue::from(
        json!({ "task_id": "k", "output": position, "url": "https://out.test/a", "kind": "pdf" }),
    )
}

/// A document that is not uploaded yet.
pub fn pdf(name: &str) -> SimValue {
    SimValue::file(name, "application/pdf", 5.0)
}

/// An input of `merge_pdf`.
pub fn documents(items: &[SimValue]) -> SimValue {
    SimValue::object(&[("input_file_ids", SimValue::list(items))])
}

/// A page with these responses, and a client.
pub fn page_of(replies: impl IntoIterator<Item = Reply>) -> (Page, Id) {
    let mut page = Page::new(replies);
    let client = page.client(SimValue::text("t"));
    (page, client)
}

/// Merges documents in a page with these responses.
///
/// # Panics
/// Where a response is left, or anything is under way.
pub fn merge(items: &[SimValue], replies: impl IntoIterator<Item = Reply>) -> (Page, Id) {
    let (mut page, client) = page_of(replies);
    let promise = page.create(client, "merge_pdf", documents(items));
    page.sim.run();
    page.sim.assert_rest();
    assert_eq!(page.left(), 0);
    (page, promise)
}

/// The bodies of the requests with this line.
pub fn bodies(page: &Page, line: &str) -> Vec<Json> {
    page.requests()
        .into_iter()
        .filter(|it| it.line() == line)
        .map(|it| it.body)
        .collect()
}

/// Asserts that a create was rejected before it was sent. Returns the code and the reason of its error.
///
/// # Panics
/// Where it was not.
pub fn not_sent(page: &Page, promise: Id) -> (&'static str, String) {
    let error = page.sim.error(promise);
    assert_eq!(
        (
            string(&error, "outcome").as_str(),
            member(&error, "idempotencyKey").json()
        ),
        ("not_sent", Json::Null)
    );
    assert!(!page.lines().iter().any(|it| it == MERGE));
    (error.code, string(&error, "reason"))
}
