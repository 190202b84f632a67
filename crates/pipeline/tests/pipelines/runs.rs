//! The actions of runs, in single steps.

use std::slice;

use mediagate_pipeline::Action::{Begin, Follow, Move, Send};
use mediagate_pipeline::RunEvent::{
    Begun, Created, Ended, Failed, Lost, Moved, Postponed, Resumed, Stopped,
};
use mediagate_pipeline::{Action, Plan, Run, RunEvent, RunState, StepState};
use serde_json::{Value, json};

use super::{MAX_STEPS, film, plans::TOKEN};

fn plan(request: &Value) -> Plan {
    Plan::read(request, MAX_STEPS, TOKEN).expect("valid")
}

fn task(step: usize) -> Value {
    json!({"task": step})
}

fn begin(step: usize) -> Action {
    let not_before = None;
    Begin { step, not_before }
}

fn created(step: usize) -> RunEvent {
    let task = task(step);
    Created { step, task }
}

fn failed(step: usize, reason: &str) -> RunEvent {
    let error = json!({"reason": reason});
    Failed { step, error }
}

fn lost(step: usize, reason: &str) -> RunEvent {
    let error = json!({"reason": reason});
    Lost { step, error }
}

fn ended(step: usize, outputs: Value) -> RunEvent {
    Ended {
        step,
        task: task(step),
        outputs,
        warnings: Vec::new(),
    }
}

fn output(kind: &str) -> Value {
    json!({"url": format!("https://a.example/{kind}"), "kind": kind})
}

const SEND: Action = Send {
    step: 0,
    attempt: 0,
};

fn names(run: &Run) -> Vec<&'static str> {
    run.steps.iter().map(|run| run.state.name()).collect()
}

fn after(plan: &Plan, events: impl IntoIterator<Item = RunEvent>) -> Run {
    let mut run = Run::new(plan);
    events.into_iter().for_each(|event| run.apply(plan, event));
    run
}

#[test]
fn each_event_has_the_next_action_and_a_repeated_one_has_none() {
    let plan = plan(&film());
    let mut run = Run::new(&plan);
    let moved = |step| Moved {
        step,
        reference: 0,
        id: format!("f-{step}"),
    };
    let moving = |step: usize| Move {
        step,
        reference: 0,
        task: task(step - 1),
        output: 0,
    };
    for step in 0..3 {
        let kind = if step == 0 { "image" } else { "video" };
        let mut path = vec![
            (Begun { step }, Send { step, attempt: 0 }),
            (
                created(step),
                Follow {
                    step,
                    task: task(step),
                },
            ),
        ];
        if step > 0 {
            assert_eq!(run.next(&plan), [moving(step)]);
            path.insert(0, (moved(step), begin(step)));
        }
        for (event, action) in path {
            for _ in 0..2 {
                run.apply(&plan, event.clone());
                assert_eq!(run.next(&plan), slice::from_ref(&action));
                assert_eq!(action.step(), step);
            }
        }
        assert_eq!(run.state(), RunState::Running);
        run.apply(&plan, ended(step, json!([output(kind)])));
    }
    assert_eq!(
        (run.state(), run.next(&plan)),
        (RunState::Succeeded, vec![])
    );
}

#[test]
fn an_output_that_is_wanted_twice_is_moved_once() {
    let uses =
        json!([{"step": "still"}, {"step": "still", "output": 0}, {"step": "still", "output": 1}]);
    let plan = plan(&json!({"steps": {
        "still": film()["steps"]["still"],
        "video": {
            "capability": "omni_reference_to_video",
            "input": {"prompt": "p", "image_file_ids": uses},
        },
    }}));
    let moving = |reference, output| Move {
        step: 1,
        reference,
        task: task(0),
        output,
    };
    let moved = |reference, id: &str| Moved {
        step: 1,
        reference,
        id: id.into(),
    };
    let mut run = after(
        &plan,
        [
            Begun { step: 0 },
            ended(0, json!([output("image"), output("image")])),
        ],
    );
    assert_eq!(run.next(&plan), [moving(0, 0), moving(2, 1)]);
    run.apply(&plan, moved(0, "f-0"));
    assert_eq!(run.next(&plan), [moving(2, 1)]);
    run.apply(&plan, moved(2, "f-1"));
    assert_eq!(run.next(&plan), [begin(1)]);
    run.apply(&plan, Begun { step: 1 });
    let body = json!({"prompt": "p", "image_file_ids": ["f-0", "f-0", "f-1"]});
    assert_eq!(run.steps[1].state.body(), Some(&body));
}

#[test]
fn the_warnings_of_a_task_are_stored_with_its_step() {
    let plan = plan(&film());
    let with_warnings = |texts: &[&str]| {
        let ended = Ended {
            step: 0,
            task: task(0),
            outputs: json!([]),
            warnings: texts.iter().map(|text| (*text).to_owned()).collect(),
        };
        let run = after(&plan, [Begun { step: 0 }, ended]);
        json!(run.steps[0].state)["succeeded"].take()
    };
    let stored = with_warnings(&["seed was ignored"]);
    assert_eq!(stored["warnings"], json!(["seed was ignored"]));
    // A run without warnings is stored as an earlier build stores and reads it.
    let stored = with_warnings(&[]);
    assert_eq!(stored, json!({"task": task(0), "outputs": []}));
    let read: StepState = serde_json::from_value(json!({"succeeded": stored})).expect("a state");
    assert!(matches!(read, StepState::Succeeded { warnings, .. } if warnings.is_empty()));
}

#[test]
fn a_run_is_resumed_if_a_step_can_begin_again() {
    let plan = plan(&film());
    let state = |events: &[RunEvent]| {
        let run = after(&plan, events.iter().cloned());
        (run.state(), run.may_resume(&plan))
    };
    let begun = Begun { step: 0 };
    let failed = failed(0, "rejected");
    assert_eq!(state(&[]), (RunState::Running, false));
    assert_eq!(state(slice::from_ref(&begun)), (RunState::Running, false));
    assert_eq!(
        state(&[begun.clone(), failed.clone()]),
        (RunState::Failed, true)
    );
    assert_eq!(
        state(&[Stopped { error: None }]),
        (RunState::Cancelled, true)
    );
    // The steps that use it would wait forever.
    assert_eq!(
        state(&[begun.clone(), lost(0, "rejected")]),
        (RunState::Failed, false)
    );

    let resumed = after(&plan, [begun, failed, Resumed]);
    assert_eq!(
        resumed
            .steps
            .iter()
            .map(|run| run.attempt)
            .collect::<Vec<_>>(),
        [1, 1, 1]
    );
    assert_eq!(resumed.next(&plan), [begin(0)]);
}

#[test]
fn a_postponed_create_is_sent_again_later_unless_the_run_was_stopped() {
    let plan = plan(&film());
    let postponed = || Postponed { step: 0, until: 9 };
    let mut run = after(&plan, [Begun { step: 0 }, postponed()]);
    assert_eq!(
        run.next(&plan),
        [Begin {
            step: 0,
            not_before: Some(9)
        }]
    );
    assert!(run.steps[0].state.is_unsent());
    run.apply(&plan, Begun { step: 0 });
    assert_eq!(run.next(&plan), [SEND]);
    assert!(!run.steps[0].state.is_unsent());
    run.apply(&plan, postponed());
    let StepState::Creating {
        postponed: count, ..
    } = run.steps[0].state
    else {
        panic!("{run:?}")
    };
    assert_eq!(count, 2);

    let error = Some(json!({"reason": "timeout"}));
    let events = [
        Begun { step: 0 },
        Stopped {
            error: error.clone(),
        },
    ];
    let mut stopped = after(&plan, events);
    assert_eq!(stopped.next(&plan), [SEND], "it may have been sent");
    stopped.apply(&plan, postponed());
    assert_eq!(stopped.steps[0].state, StepState::Cancelled { error });
    assert_eq!(stopped.state(), RunState::Cancelled);
}

#[test]
fn an_event_that_comes_too_early_or_too_late_changes_nothing() {
    let plan = plan(&film());
    let fresh = Run::new(&plan);
    for event in [
        created(0),
        ended(0, json!([])),
        lost(0, "rejected"),
        Begun { step: 1 },
    ] {
        assert_eq!(after(&plan, [event.clone()]), fresh, "{event:?}");
    }
    for event in [
        Begun { step: 9 },
        created(9),
        Moved {
            step: 9,
            reference: 0,
            id: "f".into(),
        },
    ] {
        assert_eq!(after(&plan, [event.clone()]), fresh, "{event:?}");
    }
    let first = || {
        [
            Begun { step: 0 },
            created(0),
            ended(0, json!([output("image")])),
        ]
    };
    let run = after(&plan, first());
    for event in [
        failed(0, "rejected"),
        lost(0, "rejected"),
        created(0),
        ended(0, json!([])),
        Postponed { step: 0, until: 9 },
        // The step's reference has no id yet.
        Begun { step: 1 },
        Moved {
            step: 1,
            reference: 7,
            id: "f".into(),
        },
        Moved {
            step: 0,
            reference: 0,
            id: "f".into(),
        },
    ] {
        assert_eq!(
            after(&plan, first().into_iter().chain([event.clone()])),
            run,
            "{event:?}"
        );
    }
}

#[test]
fn a_failed_step_keeps_its_task_and_what_uses_it_is_skipped() {
    let plan = plan(&film());
    let begun = || [Begun { step: 0 }, created(0)];
    let run = after(&plan, begun().into_iter().chain([failed(0, "rejected")]));
    let failed = StepState::Failed {
        task: Some(task(0)),
        error: json!({"reason": "rejected"}),
    };
    assert_eq!(run.steps[0].state, failed);
    assert_eq!(names(&run), ["FAILED", "SKIPPED", "SKIPPED"]);

    // The state of the first step was stored, but its effect on the others was not.
    let mut restored = after(&plan, begun());
    assert_eq!(names(&restored), ["RUNNING", "WAITING", "WAITING"]);
    restored.steps[0].state = failed;
    restored.restore(&plan);
    assert_eq!(restored, run);
}

#[test]
fn an_output_that_is_not_there_fails_the_step_that_wants_it() {
    let plan = plan(&film());
    let run = after(
        &plan,
        [Begun { step: 0 }, ended(0, json!([output("video")]))],
    );
    let StepState::Failed { task: None, error } = &run.steps[1].state else {
        panic!("{run:?}")
    };
    assert_eq!(error["reason"], "unknown_output");
    assert_eq!(
        error["message"],
        "the input of clip refers to an output that is not there"
    );
    assert_eq!(error["errors"][0]["path"], "file_id");
    assert_eq!(run.state(), RunState::Failed);
}

#[test]
fn the_id_of_an_asset_is_taken_as_it_is() {
    let plan = plan(&json!({"steps": {
        "still": film()["steps"]["still"],
        "talk": {"capability": "text_driven", "input": {
            "avatar_asset_id": {"step": "still"}, "voice_asset_id": "a voice", "text": "Welcome.",
        }},
    }}));
    let outputs = json!([output("image"), {"asset_id": "a-1"}]);
    let mut run = after(&plan, [Begun { step: 0 }, ended(0, outputs)]);
    assert_eq!(run.next(&plan), [begin(1)], "nothing is moved");
    run.apply(&plan, Begun { step: 1 });
    assert_eq!(
        run.steps[1].state.body(),
        Some(&json!({"avatar_asset_id": "a-1", "voice_asset_id": "a voice", "text": "Welcome."}))
    );
}

#[test]
fn a_file_is_moved_though_its_output_has_an_asset_too() {
    let plan = plan(&film());
    let mut picture = output("image");
    picture["asset_id"] = json!("a-1");
    let run = after(&plan, [Begun { step: 0 }, ended(0, json!([picture]))]);
    assert_eq!(
        run.next(&plan),
        [Move {
            step: 1,
            reference: 0,
            task: task(0),
            output: 0
        }]
    );
}
