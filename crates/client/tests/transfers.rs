//! Results of tasks in inputs.

use mediagate_client::Client;
use serde_json::{Value as Json, json};

use crate::script::*;
use crate::world::{Error, Tab};

const FILES: &str = "POST files";
const CREATE: &str = "POST process/asset/merge_pdf";
const DRIVEN: &str = "POST generate/video/text_driven";
const EVENTS: &str = "GET tasks/k%2F1/events";

fn succeeded(outputs: Json) -> Answer {
    data(json!({ "task": { "id": "k/1", "state": "SUCCEEDED", "outputs": outputs } }))
}

fn pdf(url: &str) -> Json {
    json!({ "url": url, "kind": "pdf" })
}

/// Creates a merge of documents. Each may be an id, an output or a task.
async fn merge(client: &Client<Tab>, all: Json) -> Result<(), Error> {
    let all = input(json!({ "input_file_ids": all }), &[]);
    let create = client.create(capability("merge_pdf"), all, "k".into(), limits());
    create.await.map(|_| ())
}

fn task() -> Json {
    json!({ "id": "k/1", "capability": "split_pdf" })
}

#[tokio::test(start_paused = true)]
async fn an_output_is_moved_and_its_file_id_is_sent() {
    let page = Page::new();
    page.on(
        FILES,
        [
            data(json!({ "loaded": 4, "total": 9 })),
            data(json!({ "file_id": 7 })),
        ],
    );
    page.on(CREATE, [state("QUEUED")]);
    let output =
        json!({ "task_id": "k/1", "output": 2, "url": "https://out.test/1", "kind": "pdf" });
    merge(&page.client(), json!([output, "known"]))
        .await
        .ok()
        .unwrap();
    let sent = page.sent();
    for moved in &sent[..2] {
        assert_eq!(moved.body, json!({ "task_id": "k/1", "output": 2 }));
        assert_eq!(
            (moved.token.as_deref(), moved.header("idempotency-key")),
            (Some("t"), "")
        );
    }
    assert_eq!(page.intervals(FILES), [1_000]);
    assert_eq!(sent[2].body, json!({ "input_file_ids": ["7", "known"] }));
    assert_eq!(sent[2].at, sent[1].at);
    page.assert_rest().await;
}

#[tokio::test(start_paused = true)]
async fn a_task_is_waited_for_and_its_first_output_that_fits_is_moved() {
    let page = Page::new();
    let outputs =
        json!([{ "asset_id": "a" }, { "url": "" }, { "url": "u", "kind": "image" }, pdf("v")]);
    page.on(EVENTS, [text(404)]);
    page.on(
        "GET process/tasks/k%2F1",
        [state("RUNNING"), succeeded(outputs)],
    );
    page.always(FILES, data(json!({ "file_id": "f" })));
    page.always(CREATE, state("QUEUED"));
    let client = page.client();
    // Two creates that share a follower, and one that comes later.
    let all = [
        merge(&client, json!([task(), "x"])),
        merge(&client, json!(["x", task()])),
    ];
    let all = futures_util::future::join_all(all).await;
    assert!(all.iter().all(Result::is_ok));
    let lines = page.lines();
    assert_eq!(lines.iter().filter(|line| *line == EVENTS).count(), 1);
    let moved = page.sent().into_iter().filter(|sent| line(sent) == FILES);
    assert!(
        moved
            .map(|sent| sent.body)
            .all(|body| body == json!({ "task_id": "k/1", "output": 3 }))
    );
    page.assert_rest().await;
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_used_rejects_the_create_before_it_is_sent() {
    let ended = |state: &str| data(json!({ "task": { "id": "k/1", "state": state } }));
    for (answers, kind) in [
        (vec![succeeded(json!([]))], "invalid_input"),
        (vec![succeeded(Json::Null)], "invalid_input"),
        (
            vec![succeeded(json!([{ "url": "u", "kind": "image" }]))],
            "invalid_input",
        ),
        (vec![ended("FAILED")], "task_failed"),
        (vec![ended("EXPIRED")], "task_expired"),
        (
            vec![refusal(404, 12, json!({ "reason": "unknown_task" }))],
            "invalid_input",
        ),
        (vec![lost(); 5], "network"),
    ] {
        let page = Page::new();
        page.always(EVENTS, text(404));
        page.on("GET process/tasks/k%2F1", answers);
        let error = merge(&page.client(), json!(["x", task()]))
            .await
            .err()
            .unwrap();
        assert_eq!(
            (error.kind.name(), error.outcome.unwrap().name()),
            (kind, "not_sent")
        );
        // Only the client's own refusal has issues; the gateway's has a status.
        let is_own = kind == "invalid_input" && error.status.is_none();
        assert_eq!(error.issues.is_some(), is_own);
        if let Some(issues) = &error.issues {
            let issue = &Json::from(issues)[0];
            assert_eq!(
                (&issue["path"], &issue["reason"]),
                (&json!("input_file_ids[1]"), &json!("wrong_type"))
            );
            let message = "is a task without such an output; give a PDF";
            assert_eq!(issue["message"], message);
        }
        assert!(
            page.lines()
                .iter()
                .all(|line| line != CREATE && line != FILES)
        );
        page.assert_rest().await;
    }
    for (answers, kind) in [
        (
            vec![refusal(404, 12, json!({ "reason": "unknown_path" }))],
            "invalid_input",
        ),
        (
            vec![refusal(403, 13, json!({ "reason": "scope" }))],
            "forbidden",
        ),
        (vec![refusal(502, 99, json!({})); 5], "server_error"),
        (vec![data(json!({}))], "unreadable"),
        (vec![data(json!({ "file_id": "" }))], "unreadable"),
        (vec![data(json!([]))], "unreadable"),
    ] {
        let page = Page::new();
        page.on(FILES, answers);
        let output = json!({ "task_id": "k/1", "output": 0 });
        let error = merge(&page.client(), json!([output, "x"]))
            .await
            .err()
            .unwrap();
        assert_eq!(
            (error.kind.name(), error.outcome.unwrap().name()),
            (kind, "not_sent")
        );
        assert!(page.lines().iter().all(|line| line == FILES));
        page.assert_rest().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_source_that_fails_ends_the_others_of_its_create() {
    let page = Page::new();
    page.on(FILES, [never()])
        .on(EVENTS, [stream([Part::Silence])]);
    page.on("POST upload_urls", [refusal(422, 12, json!({})).after(100)]);
    let output = json!({ "task_id": "k/2", "output": 0 });
    let document = file("a.pdf", "application/pdf");
    let all = input(
        json!({ "input_file_ids": [output, task(), "#0"] }),
        &[document],
    );
    let client = page.client();
    let create = client.create(capability("merge_pdf"), all, "k".into(), limits());
    assert_eq!(failure(create.await), ("invalid_input", Some("not_sent")));
    assert_eq!(page.lines().len(), 3);
    page.assert_rest().await;
}

#[tokio::test(start_paused = true)]
async fn the_file_at_a_url_is_moved_and_its_file_id_is_sent() {
    let page = Page::new();
    page.on(
        FILES,
        [
            data(json!({ "loaded": 4 })),
            data(json!({ "file_id": "moved", "size": 9 })),
        ],
    );
    page.on(CREATE, [state("QUEUED")]);
    let url = json!({ "url": "https://cdn.test/a.pdf", "type": "application/pdf" });
    merge(&page.client(), json!(["known", url]))
        .await
        .ok()
        .unwrap();
    let sent = page.sent();
    let request = json!({
        "url": "https://cdn.test/a.pdf", "content_type": "application/pdf", "kind": "pdf",
    });
    assert_eq!([&sent[0].body, &sent[1].body], [&request, &request]);
    assert_eq!(page.intervals(FILES), [1_000]);
    assert_eq!(
        sent[2].body,
        json!({ "input_file_ids": ["known", "moved"] })
    );
    page.assert_rest().await;
}

#[tokio::test(start_paused = true)]
async fn the_error_of_a_url_names_its_place_and_nothing_is_created() {
    let page = Page::new();
    let reason = json!({ "reason": "input_needs_login" });
    page.on(FILES, [refusal(422, 12, reason)]);
    let url = json!({ "url": "https://cdn.test/a.pdf" });
    let error = merge(&page.client(), json!(["known", url]))
        .await
        .err()
        .unwrap();
    assert_eq!(
        (error.kind.name(), error.outcome.unwrap().name()),
        ("invalid_input", "not_sent")
    );
    assert!(
        error.message.starts_with("input_file_ids[1]: "),
        "{}",
        error.message
    );
    assert_eq!(page.lines(), [FILES]);
    page.assert_rest().await;
}

#[tokio::test(start_paused = true)]
async fn four_outputs_are_moved_at_a_time() {
    let page = Page::new();
    page.always(FILES, data(json!({ "file_id": "f" })).after(500));
    page.on(CREATE, [state("QUEUED")]);
    let outputs: Vec<Json> = (0..9)
        .map(|output| json!({ "task_id": "k/1", "output": output }))
        .collect();
    merge(&page.client(), json!(outputs)).await.ok().unwrap();
    let starts: Vec<u64> = page.sent().iter().map(|sent| sent.at).collect();
    assert_eq!(starts, [0, 0, 0, 0, 500, 500, 500, 500, 1_000, 1_500]);
}

#[tokio::test(start_paused = true)]
async fn the_id_of_an_asset_is_used_as_it_is() {
    let page = Page::new();
    page.on("GET tasks/k%2F1/events", [text(404)]);
    page.on(
        "GET generate/tasks/k%2F1",
        [succeeded(json!([pdf("u"), { "asset_id": "v-1" }]))],
    );
    page.on(DRIVEN, [state("QUEUED")]);
    let avatar = json!({ "task_id": "k/9", "output": 0, "asset_id": "a-1" });
    let voice = json!({ "id": "k/1", "capability": "text_to_image" });
    let all = json!({ "avatar_asset_id": avatar, "voice_asset_id": voice, "text": "hello" });
    let client = page.client();
    let create = client.create(
        capability("text_driven"),
        input(all, &[]),
        "k".into(),
        limits(),
    );
    create.await.ok().unwrap();
    let expected = json!({ "avatar_asset_id": "a-1", "voice_asset_id": "v-1", "text": "hello" });
    assert_eq!(page.sent().last().unwrap().body, expected);
    assert!(page.lines().iter().all(|line| line != FILES));
}
