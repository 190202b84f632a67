//! Pipelines: requests, and runs that are interrupted at every point.
//!
//! `MEDIAGATE_SEEDS` is the number of simulated runs, `MEDIAGATE_SEED` the first seed.

#![expect(clippy::panic, reason = "tests fail by panicking")]

mod model;
mod plans;
mod runs;

use std::collections::BTreeMap;
use std::env;
use std::time::{SystemTime, UNIX_EPOCH};

use mediagate_core::{find, fits};
use mediagate_pipeline::{Plan, Step};
use model::Model;
use plans::TOKEN;
use serde_json::{Value, json};

const MAX_STEPS: usize = 8;

fn film() -> Value {
    json!({
        "title": "Lighthouse",
        "steps": {
            "still": {"capability": "text_to_image", "input": {"prompt": "a lighthouse at dusk"}},
            "clip": {
                "capability": "image_to_video",
                "input": {"file_id": {"step": "still"}, "prompt": "slow push in"},
            },
            "film": {
                "capability": "add_audio_to_video",
                "input": {
                    "video_file_id": {"step": "clip", "output": 0},
                    "audio_file_id": "a song",
                },
            },
        },
    })
}

fn problems(request: &Value) -> Vec<(String, &'static str)> {
    let issues = Plan::read(request, MAX_STEPS, TOKEN)
        .err()
        .unwrap_or_default();
    issues
        .into_iter()
        .filter(|issue| issue.severity.name() == "error")
        .map(|issue| (issue.path, issue.reason.name()))
        .collect()
}

#[track_caller]
fn assert_problem(request: &Value, path: &str, reason: &'static str) {
    assert_eq!(problems(request), [(path.to_owned(), reason)], "{request}");
}

fn all(pictures: Value) -> Value {
    let input = json!({"prompt": "p", "image_file_ids": pictures});
    json!({"capability": "omni_reference_to_video", "input": input})
}

#[test]
fn a_pipeline_is_read_with_each_step_after_those_that_it_uses() {
    let plan = Plan::read(&film(), MAX_STEPS, TOKEN).expect("valid");
    let names: Vec<_> = plan.steps.iter().map(|step| step.name.as_str()).collect();
    assert_eq!(
        (names, plan.title.as_deref()),
        (vec!["still", "clip", "film"], Some("Lighthouse"))
    );
    let references: Vec<_> = plan
        .steps
        .iter()
        .map(|step| step.references.len())
        .collect();
    assert_eq!(references, [0, 1, 1]);
    let [reference] = &plan.steps[2].references[..] else {
        panic!("one reference")
    };
    assert_eq!(
        (reference.field.name, reference.step, reference.output),
        ("video_file_id", 1, Some(0))
    );
}

#[test]
fn a_steps_input_has_an_id_in_each_place_whose_reference_has_one() {
    let mut request = film();
    request["steps"]["all"] = json!({"capability": "omni_reference_to_video", "input": {
        "prompt": "p",
        "image_file_ids": ["a picture", {"step": "still"}, {"step": "still", "output": 1}],
        "video_file_ids": [{"step": "clip"}],
    }});
    let plan = Plan::read(&request, MAX_STEPS, TOKEN).expect("valid");
    let [still, clip, all] = ["still", "clip", "all"].map(|name| {
        plan.steps
            .iter()
            .find(|step| step.name == name)
            .expect("the step")
    });
    assert_eq!(
        [still, clip, all].map(Step::takes_files),
        [false, true, true]
    );

    let input = all.with_ids(&BTreeMap::from([
        (0, "f-0".to_owned()),
        (2, "f-2".to_owned()),
    ]));
    let unfilled = all.references[1].placeholder.as_str();
    assert_eq!(
        input,
        json!({
            "prompt": "p",
            "image_file_ids": ["a picture", "f-0", unfilled],
            "video_file_ids": ["f-2"],
        })
    );
    assert_eq!(
        still.with_ids(&BTreeMap::new()),
        json!({"prompt": "a lighthouse at dusk"})
    );
}

#[test]
fn an_output_fits_by_what_it_is_and_has() {
    let field = |capability, name: &str| {
        find(capability)
            .and_then(|capability| capability.field(name))
            .unwrap()
    };
    let picture = field("image_to_video", "file_id").kind;
    let avatar = field("text_driven", "avatar_asset_id").kind;
    for (kind, expected, outputs) in [
        (
            picture,
            true,
            json!([{"url": "u", "kind": "image"}, {"url": "u"}]),
        ),
        (
            picture,
            false,
            json!([{"url": "u", "kind": "video"}, {"url": "", "kind": "image"}]),
        ),
        (
            picture,
            false,
            json!([{"url": 7, "kind": "image"}, {"asset_id": "a-1", "kind": "image"}]),
        ),
        (avatar, true, json!([{"asset_id": "a-1"}])),
        (
            avatar,
            false,
            json!([{"asset_id": ""}, {"asset_id": 7}, {"url": "u"}]),
        ),
    ] {
        for output in outputs.as_array().expect("a list") {
            assert_eq!(fits(kind, output), expected, "{output}");
        }
    }
}

#[test]
fn everything_that_is_wrong_is_found_before_anything_is_sent() {
    // A changed place, its value, the end of the issue's path below the place, and its reason. A
    // video is no picture, and a reference stands for an id, not for a prompt.
    let cases = r#"
        /steps/clip/input/prompt | "" | | empty
        /steps/clip/input/prompt | {"step": "still"} | | wrong_type
        /steps/clip/input/file_id | 7 | | wrong_type
        /steps/clip/input/file_id | {"step": "gone"} | | unknown_step
        /steps/clip/input/file_id | {"step": "film"} | | wrong_type
        /steps/film/input/audio_file_id | {"step": "still"} | | wrong_type
        /steps/film/input/video_file_id | {"step": "clip", "output": -1} | .output | out_of_range
        /steps/film/input/video_file_id | {"step": "clip", "task": "t"} | .task | unknown_field
        /steps/clip/capability | "image_to_vide" | | unknown_capability
        /steps/clip | [] | | wrong_type
        /steps/clip/input | "x" | | wrong_type
        /steps | {} | | out_of_range
        /steps | [] | | out_of_range
        /title | 7 | | wrong_type
        "#;
    for case in cases.trim().lines() {
        let cells: Vec<&str> = case.split('|').map(str::trim).collect();
        let [place, value, below, reason] = cells[..] else {
            panic!("{case}")
        };
        let mut request = film();
        *request.pointer_mut(place).expect("a place") = value.parse().expect("JSON");
        let path = place[1..].replace('/', ".") + below;
        assert_eq!(problems(&request), [(path, reason)], "{case}");
    }
    let title = "é".repeat(201);
    let long = json!({"title": title, "steps": film()["steps"]});
    assert_problem(&long, "title", "out_of_range");
    let pictures = vec![json!({"step": "still"}); 101];
    let many = json!({"steps": {"still": film()["steps"]["still"], "all": all(json!(pictures))}});
    assert_problem(&many, "steps.all.input", "out_of_range");
    assert_problem(
        &json!({"steps": film()["steps"], "x": 1}),
        "x",
        "unknown_field",
    );
    let both = [("", "wrong_type"), ("steps", "out_of_range")];
    assert_eq!(
        problems(&json!([])),
        both.map(|(path, reason)| (path.to_owned(), reason))
    );
}

#[test]
fn steps_that_wait_for_each_other_are_refused() {
    let step = |used: &str| {
        let input = json!({"input_file_id": {"step": used}, "width": 8, "height": 8});
        json!({"capability": "resize_video", "input": input})
    };
    for (steps, name) in [
        (json!({"a": step("a")}), "steps.a"),
        (json!({"a": step("b"), "b": step("a")}), "steps.a"),
        (
            json!({"a": step("b"), "b": step("c"), "c": step("b")}),
            "steps.b",
        ),
    ] {
        assert_problem(&json!({"steps": steps}), name, "cycle");
    }
}

#[test]
fn the_largest_pipeline_that_is_allowed_is_read() {
    let step = json!({"capability": "text_to_image", "input": {"prompt": "p"}});
    let mut steps: serde_json::Map<_, _> = (2..MAX_STEPS)
        .map(|number| (format!("s{number}"), step.clone()))
        .collect();
    steps.insert("n".repeat(64), step);
    let pictures = vec![json!({"step": "s2"}); 100];
    steps.insert("all".to_owned(), all(json!(pictures)));
    assert_eq!(
        problems(&json!({"title": "é".repeat(200), "steps": steps})),
        []
    );
    steps.insert("more".to_owned(), film()["steps"]["still"].clone());
    assert_problem(&json!({"steps": steps}), "steps", "out_of_range");
}

#[test]
fn a_step_that_produces_something_else_is_refused_in_words() {
    let using = |capability: &str, input: Value, field: &str| {
        let steps = json!({
            "used": {"capability": capability, "input": input},
            "swap": {"capability": "head_swap", "input": {
                "source_image_file_id": "a picture", "target_head_image_file_id": "another",
            }},
            "film": {
                "capability": "add_audio_to_video",
                "input": {"video_file_id": "a film", "audio_file_id": "a song"},
            },
        });
        let step = if field == "target_head_image_file_id" {
            "swap"
        } else {
            "film"
        };
        let mut request = json!({"steps": steps});
        request["steps"][step]["input"][field] = json!({"step": "used"});
        Plan::read(&request, MAX_STEPS, TOKEN)
            .err()
            .unwrap_or_default()
    };
    let volume = json!({"input_file_id": "a song", "volume": "2"});
    assert_eq!(
        using("adjust_audio_volume", volume.clone(), "audio_file_id"),
        []
    );
    for (capability, input, field, expected) in [
        (
            "text_to_image",
            json!({"prompt": "p"}),
            "video_file_id",
            "produces a picture; give a video",
        ),
        (
            "resize_video",
            json!({"input_file_id": "a film", "width": 8, "height": 8}),
            "target_head_image_file_id",
            "produces a video; give an image",
        ),
        (
            "adjust_audio_volume",
            volume,
            "target_head_image_file_id",
            "produces a sound; give an image",
        ),
        (
            "split_pdf",
            json!({"input_file_id": "a PDF", "page_range": "1"}),
            "audio_file_id",
            "produces a PDF; give a sound",
        ),
    ] {
        let issues = using(capability, input, field);
        let [issue] = &issues[..] else {
            panic!("{capability}: {issues:?}")
        };
        assert_eq!(issue.message, format!("is a step that {expected}"));
    }
}

#[test]
fn names_and_numbers_of_steps_are_bounded() {
    let step = json!({"capability": "text_to_image", "input": {"prompt": "p"}});
    for name in ["", "a b", "a.b", "é", &"a".repeat(65)] {
        assert_problem(&json!({"steps": {name: step}}), "steps", "malformed");
    }
    let many: serde_json::Map<_, _> = (0..1_000)
        .map(|number| (format!("s{number}"), step.clone()))
        .collect();
    assert_problem(&json!({"steps": many}), "steps", "out_of_range");
    assert_eq!(
        problems(&json!({"steps": {"__proto__": step, "constructor": step}})),
        []
    );
}

fn number(name: &str) -> Option<u64> {
    env::var(name).ok()?.parse().ok()
}

#[test]
fn every_run_ends_and_no_create_is_sent_under_two_keys() {
    let clock = || {
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |elapsed| elapsed.as_micros() as u64)
    };
    let first = number("MEDIAGATE_SEED").unwrap_or_else(clock);
    for seed in first..first + number("MEDIAGATE_SEEDS").unwrap_or(1_000) {
        let run = std::panic::AssertUnwindSafe(|| Model::new(seed).run());
        if let Err(failure) = std::panic::catch_unwind(run) {
            eprintln!("seed {seed} failed; to repeat it:");
            eprintln!(
                "MEDIAGATE_SEED={seed} MEDIAGATE_SEEDS=1 \
                 cargo test -p mediagate-pipeline every_run_ends"
            );
            std::panic::resume_unwind(failure);
        }
    }
}
