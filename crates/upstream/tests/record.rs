//! The task's record on the gateway's wire, and what it keeps of the upstream's.

#![expect(clippy::panic, reason = "tests fail by panicking")]

use mediagate_core::Expects;
use mediagate_upstream::{Answer, Dialect, TaskRecord};
use serde_json::{Value, json};

fn record(data: Value) -> TaskRecord {
    let body = json!({"code": 0, "data": data});
    let read = Dialect::default().read(200, Some(body), Expects::Status, None, &mut |_| None);
    match read {
        Answer::Task(record) => record,
        other => panic!("no task: {other:?}"),
    }
}

#[test]
fn a_record_is_normalised_and_loses_nothing() {
    let same = json!({"id": "t", "state": "RUNNING", "progress": 0.5, "outputs": [], "raw": 1});
    let outputs = json!([{"url": "https://h/a.png", "width": 3}]);
    for (task, expected) in [
        (
            json!({"task_id": 7, "status": "RUNNING", "progress": 50, "outputs": outputs}),
            json!({
                "task_id": 7, "status": "RUNNING", "id": "7", "state": "RUNNING",
                "progress": 0.5, "outputs": [{"url": "https://h/a.png", "kind": "image"}],
                "raw": {"progress": 50, "outputs": outputs},
            }),
        ),
        (same.clone(), same),
        // Members that the record lacks are absent.
        (json!({"id": "t"}), json!({"id": "t", "outputs": []})),
        // The record's own values under the normalised names are moved.
        (
            json!({"id": 7, "state": 3, "progress": "x", "outputs": [], "raw": {"a": 1}}),
            json!({
                "id": "7", "state": "3", "outputs": [],
                "raw": {"state": 3, "progress": "x", "raw": {"a": 1}},
            }),
        ),
        // So are its values under names that the gateway writes later.
        (
            json!({"id": "t", "eta": "5 min", "poll_after": 0}),
            json!({"id": "t", "outputs": [], "raw": {"eta": "5 min", "poll_after": 0}}),
        ),
        // The reason for a failure is the error.
        (
            json!({"id": "t", "state": "FAILED", "reason": "no face", "error_code": 7}),
            json!({
                "id": "t", "state": "FAILED", "reason": "no face", "error_code": 7,
                "outputs": [], "error": {"message": "no face", "code": 7},
            }),
        ),
        (
            json!({"id": "t", "state": "FAILED", "error": "no face"}),
            json!({
                "id": "t", "state": "FAILED", "outputs": [],
                "error": {"message": "no face"}, "raw": {"error": "no face"},
            }),
        ),
        (
            json!({"id": "t", "state": "RUNNING", "error": "a warning"}),
            json!({
                "id": "t", "state": "RUNNING", "outputs": [], "raw": {"error": "a warning"},
            }),
        ),
    ] {
        assert_eq!(record(json!({ "task": task })).data["task"], expected);
    }
}

#[test]
fn a_result_lists_its_outputs_and_is_a_task_as_well() {
    let url = "https://h/a.png";
    let found = json!([{"url": url, "kind": "image"}]);
    for (data, expected) in [
        (json!({ "url": url }), json!({"url": url, "outputs": found})),
        (json!(url), json!({"output": url, "outputs": found})),
        (
            json!({"id": "i", "outputs": [url], "x": 1}),
            json!({"id": "i", "outputs": found, "raw": {"outputs": [url]}, "x": 1}),
        ),
    ] {
        let body = json!({"code": 0, "data": data});
        let read =
            Dialect::default().read(200, Some(body), Expects::TaskOrResult, None, &mut |_| None);
        let Answer::Result(record) = read else {
            panic!("{read:?}");
        };
        assert_eq!(record.data["result"], expected);
        assert_eq!(record.data["task"]["state"], "SUCCEEDED");
        assert_eq!(record.data["task"]["outputs"], found);
        assert_eq!(record.id, "");
    }
}

#[test]
fn a_record_anywhere_becomes_the_task_and_nothing_is_lost() {
    let task = json!({"id": "t", "state": "RUNNING", "outputs": []});
    let given = json!({"id": "t", "state": "RUNNING"});
    for (data, expected) in [
        (
            json!({"id": "t", "state": "RUNNING", "a": 1}),
            json!({"task": {"id": "t", "state": "RUNNING", "outputs": [], "a": 1}}),
        ),
        (json!({"job": given, "a": 1}), json!({"task": task, "a": 1})),
        (
            json!({"job": given, "task": 5}),
            json!({"task": task, "raw": {"task": 5}}),
        ),
        (
            json!({"tasks": [given]}),
            json!({"task": task, "response": {"tasks": [given]}}),
        ),
        (
            json!([given]),
            json!({"task": task, "response": {"data": [given]}}),
        ),
    ] {
        assert_eq!(record(data.clone()).data, expected, "{data}");
    }
}

#[test]
fn an_asset_beside_the_record_is_in_it_too() {
    let data = json!({
        "task": {"id": "t", "status": "SUCCEEDED"},
        "asset": {"id": "a", "category": "avatar"},
    });
    let task = &record(data).data["task"];
    assert_eq!(
        (&task["asset"]["id"], &task["outputs"]),
        (&json!("a"), &json!([{"asset_id": "a"}]))
    );
}

#[test]
fn a_medium_becomes_a_url_in_the_record_and_equal_media_are_linked_alike() {
    let picture = "iVBORw0KGgo".repeat(40);
    let data = json!({"task": {
        "id": "t", "status": "SUCCEEDED",
        "images": [{"b64_json": picture, "seed": 7}, {"b64_json": picture}],
        "input": {"image": picture},
    }});
    let body = json!({"code": 0, "data": data});
    let mut seen = 0;
    let read = Dialect::default().read(200, Some(body), Expects::Status, None, &mut |medium| {
        seen += 1;
        assert_eq!(medium.media_type, "image/png");
        Some("https://g/0".to_owned())
    });
    let Answer::Task(record) = read else {
        panic!("{read:?}");
    };
    let task = &record.data["task"];
    assert_eq!(seen, 2);
    assert_eq!(
        task["outputs"],
        json!([{"url": "https://g/0", "kind": "image"}])
    );
    assert_eq!(
        task["images"][0],
        json!({"b64_json": "https://g/0", "seed": 7})
    );
    assert_eq!(task["input"]["image"], json!(picture));
}

#[test]
fn warnings_are_texts_and_a_refusal_of_content_is_a_word() {
    let long = "x".repeat(600);
    let task = json!({"id": "t", "status": "RUNNING", "warnings": ["a", 5, " ", long]});
    let read = record(json!({"task": task})).data;
    let kept = "x".repeat(500);
    assert_eq!(read["task"]["warnings"], json!(["a", kept]));
    assert_eq!(read["task"]["raw"]["warnings"], task["warnings"]);
    let many = vec!["w"; 30];
    let task = json!({"id": "t", "status": "RUNNING", "warnings": many});
    let read = record(json!({"task": task})).data;
    assert_eq!(read["task"]["warnings"].as_array().map(Vec::len), Some(20));
    for (reason, expected) in [
        (
            json!("content_refused"),
            json!({"message": "m", "reason": "content_refused"}),
        ),
        (json!("other"), json!({"message": "m"})),
        (json!(5), json!({"message": "m"})),
    ] {
        let error = json!({"message": "m", "reason": reason});
        let task = json!({"id": "t", "status": "FAILED", "error": error});
        assert_eq!(
            record(json!({"task": task})).data["task"]["error"],
            expected
        );
    }
}
