//! No response that states an unfinished or a failed state is ever a success, and no response
//! panics.

#[path = "../../core/tests/seed/mod.rs"]
mod seed;

use mediagate_core::Expects::{Data, Status, Task, TaskOrResult};
use mediagate_upstream::{Answer, Dialect};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

const STATES: [&str; 6] = [
    "status",
    "state",
    "task_status",
    "taskState",
    "job_status",
    "jobStatus",
];
const UNFINISHED: [&str; 9] = [
    "queued",
    "RUNNING",
    "processing",
    "pending",
    "in_progress",
    "completed?",
    "failed",
    "EXPIRED",
    "canceled",
];

fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (0..3).prop_map(Value::from),
        Just(json!("https://h/a.png")),
        Just(json!("data:image/png;base64,iVBORw0KGgo=")),
        Just(json!("SUCCEEDED")),
        "[a-z]{0,6}".prop_map(Value::from),
    ]
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "data",
            "task",
            "job",
            "images",
            "image_url",
            "url",
            "output",
            "outputs",
            "result",
            "id",
            "task_id",
            "code",
            "error",
            "done",
            "success",
            "progress",
            "status",
            "state",
        ])
        .prop_map(str::to_owned),
        "[a-z]{1,4}",
    ]
}

fn body() -> impl Strategy<Value = Value> {
    leaf().prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((name(), inner), 0..6)
                .prop_map(|members| Value::Object(Map::from_iter(members))),
        ]
    })
}

/// Puts a member into one of the objects of a response. Returns `None` if there is no object.
fn put(body: &mut Value, position: usize, name: &str, value: &Value) -> Option<()> {
    let mut places = Vec::new();
    objects(body, String::new(), &mut places);
    let place = places.get(position % places.len().max(1))?;
    body.pointer_mut(place)?
        .as_object_mut()?
        .insert(name.to_owned(), value.clone());
    Some(())
}

fn objects(value: &Value, place: String, places: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                objects(member, format!("{place}/{name}"), places);
            }
            places.push(place);
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                objects(item, format!("{place}/{index}"), places);
            }
        }
        _ => {}
    }
}

fn is_success(answer: &Answer) -> bool {
    match answer {
        Answer::Task(task) => task.data["task"]["state"] == "SUCCEEDED",
        Answer::Result(_) => true,
        _ => false,
    }
}

proptest! {
    #![proptest_config(seed::config(1000))]

    #[test]
    fn a_result_has_no_contrary_state_anywhere(
        mut body in body(),
        position in any::<prop::sample::Index>(),
        name in prop::sample::select(&STATES[..]),
        word in prop::sample::select(&UNFINISHED[..]),
        has_code in any::<bool>(),
    ) {
        if let Some(members) = body.as_object_mut().filter(|_| has_code) {
            members.insert("code".to_owned(), json!(0));
        }
        if put(&mut body, position.index(1000), name, &json!(word)).is_some() {
            let answer = Dialect::default().read(200, Some(body.clone()), TaskOrResult, None, &mut |_| None);
            prop_assert!(!matches!(answer, Answer::Result(_)), "{body}");
        }
    }

    #[test]
    fn a_task_with_a_contrary_state_in_or_around_it_is_no_success(
        record in prop::collection::vec((name(), leaf()), 0..6),
        around in prop::collection::vec((name(), leaf()), 0..4),
        is_around in any::<bool>(),
        name in prop::sample::select(&STATES[..]),
        word in prop::sample::select(&UNFINISHED[..]),
        is_create in any::<bool>(),
    ) {
        let mut record = Map::from_iter(record);
        let mut around = Map::from_iter(around);
        record.insert("id".to_owned(), json!("t"));
        record.insert("output_url".to_owned(), json!("https://h/a.png"));
        if is_around {
            record.insert("status".to_owned(), json!("SUCCEEDED"));
            around.insert(name.to_owned(), json!(word));
        } else {
            record.insert("state".to_owned(), json!("SUCCEEDED"));
            record.insert(name.to_owned(), json!(word));
        }
        around.insert("task".to_owned(), Value::Object(record));
        let body = json!({"code": 0, "data": around});
        let expects = if is_create { Task } else { Status };
        let answer = Dialect::default().read(200, Some(body.clone()), expects, None, &mut |_| None);
        prop_assert!(!is_success(&answer), "{body}");
    }

    #[test]
    fn nothing_panics_and_a_success_has_outputs(body in body(), status in 100..600_u16) {
        for expects in [Task, Status, TaskOrResult, Data] {
            let mut link = |medium: &mediagate_upstream::InlineMedium<'_>| {
                Some(format!("https://g/{}", medium.media_type))
            };
            let answer = Dialect::default().read(status, Some(body.clone()), expects, Some("t"), &mut link);
            if is_success(&answer) {
                prop_assert!(status < 400);
                if let Answer::Result(task) = &answer {
                    prop_assert!(task.data["task"]["outputs"].get(0).is_some());
                }
            }
            let candidates = Dialect::default().candidates(&body, expects);
            prop_assert!(candidates.len() < 40);
            let _ = Dialect::default().findings(&body);
        }
    }
}
