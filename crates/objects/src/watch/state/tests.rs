use super::*;
use mediagate_core::Reason;
use serde_json::json;

fn data(state: &str) -> Value {
    json!({"task": {"id": "t", "state": state}})
}

fn watch(now: i64) -> WatchState {
    WatchState::new(TaskRef::new(Group::Generate, "t"), Subject::default(), now)
}

fn refused(retry_after: Option<u32>) -> Refusal {
    Refusal {
        retry_after,
        ..Refusal::too_many(0)
    }
}

#[test]
fn each_change_is_one_event_and_the_end_is_the_last() {
    let mut task = watch(0);
    let changed: Vec<_> = [
        "QUEUED",
        "QUEUED",
        "ODD",
        "QUEUED",
        "FAILED",
        "FAILED",
        "SUCCEEDED",
        "QUEUED",
    ]
    .into_iter()
    .map(|state| task.set_record(data(state), 7))
    .collect();
    assert_eq!(
        changed,
        [true, false, true, true, true, false, false, false]
    );
    assert_eq!((task.version, task.ended_at), (4, Some(7)));
    assert_eq!(task.record, Some(data("FAILED")));
}

#[test]
fn a_watcher_that_begins_again_repeats_no_event_id() {
    let mut before = watch(1_000);
    let mut after = watch(9_000);
    for state in ["QUEUED", "ODD", "QUEUED"] {
        before.set_record(data(state), 0);
    }
    after.set_record(data("QUEUED"), 0);
    assert_eq!((before.version, after.version), (1_003, 9_001));
}

#[test]
fn each_target_is_notified_once_of_the_end() {
    let targets = [
        "https://a.example".to_owned(),
        "https://b.example".to_owned(),
    ];
    let mut task = watch(0);
    assert_eq!(
        task.until_alarm(false, 0),
        None,
        "no subscriber, and not watched to its end"
    );
    task.watch_to_end(&targets, 0);
    assert_eq!(task.until_alarm(false, 0), Some(0));
    task.polled(0, None, 0.5);
    assert!(task.set_record(data("SUCCEEDED"), 5));
    task.schedule_deliveries(&targets, 5);
    task.watch_to_end(&targets, 6);
    assert_eq!(
        (task.deliveries.len(), task.until_alarm(false, 5)),
        (2, Some(0))
    );
    let first = task.deliveries[0].clone();
    task.delivered(&first, None);
    let second = task.deliveries[0].clone();
    task.delivered(&second, second.clone().after(Some(500), 6, 0.5));
    assert_eq!(
        (task.deliveries.len(), task.until_alarm(false, 6)),
        (1, Some(5_000))
    );
    task.delivered(&task.deliveries[0].clone(), None);
    assert_eq!(task.until_alarm(true, 7), None);
}

#[test]
fn an_alarm_that_fires_twice_has_nothing_to_do() {
    let mut task = watch(0);
    task.watch_to_end(&["https://a.example".to_owned()], 0);
    let poll = |task: &mut WatchState| {
        task.polled(5, None, 0.5);
        let changed = task.set_record(data("SUCCEEDED"), 5);
        if changed {
            task.schedule_deliveries(&["https://a.example".to_owned()], 5);
        }
        changed
    };
    assert!(poll(&mut task));
    task.delivered(&task.deliveries[0].clone(), None);
    assert!(!poll(&mut task), "the same end is no change");
    assert_eq!(
        (
            task.version,
            task.deliveries.len(),
            task.until_alarm(true, 6)
        ),
        (1, 0, None)
    );
    assert!(!task.is_polled(true), "and is not polled again");
}

#[test]
fn polls_become_rarer_whatever_the_subscribers_do() {
    let mut task = watch(1_000);
    assert_eq!(task.until_poll(1_000), 0);
    let mut waits = Vec::new();
    for _ in 0..20 {
        task.polled(1_000, None, 0.5);
        waits.push(task.until_poll(1_000));
    }
    assert!(waits.is_sorted() && waits[19] > waits[0], "{waits:?}");
    assert_eq!(task.until_poll(1_000_000), 0);
    task.polled(1_000, Some(&refused(Some(30))), 0.5);
    assert_eq!(task.until_poll(1_000), 30_000);
    task.polled(1_000, Some(&refused(Some(u32::MAX))), 0.5);
    assert!(
        task.until_poll(1_000) <= 60_000,
        "an absurd Retry-After is bounded"
    );
    assert_eq!(
        task.until_alarm(true, 1_000),
        Some(HEARTBEAT_MS),
        "a subscriber receives a heartbeat meanwhile"
    );
    task.watched_to_end = true;
    assert!(task.until_alarm(false, 1_000) > Some(HEARTBEAT_MS));
}

#[test]
fn a_task_of_a_known_kind_is_polled_around_its_expected_end() {
    let origin = Origin {
        created_at: 1_000_000,
        capability: "c".into(),
        variant: "v".into(),
    };
    let mut task = WatchState {
        origin: Some(origin),
        ..watch(1_000_000)
    };
    let mut durations = Durations::default();
    (0..20).for_each(|_| durations.learn(29.0, 31.0, 15));
    task.polled(1_001_000, None, 0.5);
    assert!(
        task.until_poll(1_001_000) < 2_000 && task.forecast(1_001_000).is_none(),
        "nothing is known"
    );
    task.durations = Some(durations);
    task.polled(1_001_000, None, 0.5);
    assert!(task.until_poll(1_001_000) > 5_000);
    assert!(
        task.forecast(1_010_000)
            .and_then(|forecast| forecast.eta())
            .is_some_and(|eta| (18.0..22.0).contains(&eta.seconds))
    );
    task.polled(1_030_000, None, 0.5);
    assert!(task.until_poll(1_030_000) < 1_000);
    let mut failed = task.clone();
    failed.polled(1_030_000, Some(&refused(None)), 0.5);
    assert!(
        failed.until_poll(1_030_000) > 1_000,
        "an upstream that fails is not polled close together"
    );
    assert_eq!(task.duration(1_030_500), None, "it has not ended");
    task.set_record(data("SUCCEEDED"), 1_030_500);
    assert_eq!(task.duration(1_030_500), Some((30.0, 30.5)));
    assert!(task.forecast(1_030_500).is_none());
}

#[test]
fn a_failed_task_or_one_of_unknown_origin_has_no_duration() {
    let origin = Origin {
        created_at: 0,
        capability: String::new(),
        variant: String::new(),
    };
    let mut failed = WatchState {
        origin: Some(origin.clone()),
        ..watch(0)
    };
    failed.set_record(data("FAILED"), 9_000);
    let mut expired = WatchState {
        origin: Some(origin),
        ..watch(0)
    };
    expired.set_record(data("Expired"), 9_000);
    let mut unknown = watch(0);
    unknown.set_record(data("SUCCEEDED"), 9_000);
    assert_eq!(
        [failed, expired, unknown].map(|task| task.duration(9_000)),
        [None, None, None]
    );
}

#[test]
fn a_poll_that_is_held_waits_for_its_turn_once() {
    let mut task = watch(0);
    task.polled(1_000, None, 0.5);
    task.hold(2_000, 5_000.0, true);
    assert_eq!((task.until_poll(2_000), task.until_poll(7_000)), (5_000, 0));
    assert_eq!(
        [7_000, 66_999, 67_000].map(|now| task.may_take_turn(now)),
        [true, true, false]
    );
    task.polled(7_000, None, 0.5);
    assert!(!task.has_turn && task.until_poll(7_000) < 2_000);
}

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

#[test]
fn a_task_that_has_not_ended_in_time_is_given_up_and_its_targets_notified_once() {
    let targets = ["https://a.example".to_owned()];
    let mut task = watch(1_000);
    task.watch_to_end(&targets, 1_000);
    task.set_record(data("RUNNING"), 2_000);
    assert!(!task.give_up(&targets, DAY_MS, DAY_MS + 999));
    assert!(task.is_polled(false) && task.deliveries.is_empty());
    let version = task.version;
    assert!(task.give_up(&targets, DAY_MS, DAY_MS + 1_000));
    assert_eq!(task.unfinished_at, Some(DAY_MS + 1_000));
    assert!(!task.is_polled(true) && task.version > version && task.deliveries.len() == 1);
    task.deliveries.clear();

    task.resume();
    assert!(task.is_polled(true), "a new subscriber has it polled again");
    assert!(task.give_up(&targets, DAY_MS, DAY_MS + 9_000));
    assert_eq!(task.deliveries, []);

    task.resume();
    task.set_record(data("SUCCEEDED"), DAY_MS + 10_000);
    task.schedule_deliveries(&targets, DAY_MS + 10_000);
    assert!(!task.give_up(&targets, DAY_MS, DAY_MS + 10_000));
    assert_eq!(task.deliveries.len(), 1, "its end is told too");
}

#[test]
fn the_time_of_a_task_begins_with_its_create() {
    let mut task = watch(5_000);
    task.origin = Some(Origin {
        created_at: 1_000,
        capability: "c".into(),
        variant: "v".into(),
    });
    assert!(!task.give_up(&[], 60_000, 60_999) && task.give_up(&[], 60_000, 61_000));
}

#[test]
fn subscribers_are_told_that_the_upstream_does_not_answer_and_that_it_does_again() {
    let mut task = watch(0);
    let first = task.version;
    let silence = Refusal::from(Reason::Unreachable);
    task.polled(1_000, Some(&silence), 0.5);
    assert!(!task.has_news() && task.unanswered_since().is_none());
    task.polled(3_000, Some(&silence), 0.5);
    assert_eq!(
        (task.unanswered_since(), task.has_news()),
        (Some(1_000), true)
    );
    assert_eq!(task.version, first + 1);
    task.polled(9_000, Some(&silence), 0.5);
    assert_eq!(
        (task.unanswered_since(), task.version),
        (Some(1_000), first + 1)
    );
    task.set_record(data("RUNNING"), 10_000);
    task.polled(10_000, None, 0.5);
    assert_eq!(task.unanswered_since(), None);
    assert_eq!((task.changed_at, task.version), (Some(10_000), first + 3));
}

#[test]
fn each_delivery_is_attempted_when_it_is_due() {
    let mut task = watch(0);
    task.watched_to_end = true;
    task.schedule_deliveries(&["https://a.example".to_owned()], 0);
    assert_eq!(task.deliveries, [], "the task has not ended");
    task.set_record(data("FAILED"), 0);
    task.deliveries = [10, 20, 30]
        .map(|due| Delivery::new("https://a.example", due))
        .to_vec();
    for (now, due, wait) in [(9, 0, 1), (10, 1, 0), (19, 1, 0), (20, 2, 0), (31, 3, 0)] {
        assert_eq!(
            (task.due_deliveries(now).len(), task.until_alarm(true, now)),
            (due, Some(wait)),
            "at {now}"
        );
    }
    task.deliveries.remove(0);
    assert_eq!(task.until_alarm(true, 9), Some(11));
}

#[test]
fn a_task_without_subscribers_is_polled_only_if_it_is_watched_to_its_end() {
    let mut task = watch(0);
    task.polled(0, Some(&refused(Some(40))), 0.5);
    assert_eq!(
        (task.until_alarm(true, 0), task.until_alarm(false, 0)),
        (Some(HEARTBEAT_MS), None)
    );
    task.watch_to_end(&[], 0);
    assert_eq!(
        (task.until_alarm(true, 30_000), task.until_alarm(false, 0)),
        (Some(10_000), Some(40_000))
    );
    task.leave(&[], 50_000);
    assert_eq!(
        (
            task.until_alarm(true, DAY_MS),
            task.until_alarm(false, DAY_MS)
        ),
        (None, None)
    );
}
