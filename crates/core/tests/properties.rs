//! Everything valid survives a round trip; nothing, however malformed, panics.

use mediagate_core::grammar::{pages, time, volume};
use mediagate_core::schedule::{poll, retry};
use mediagate_core::{
    CAPABILITIES, Capability, Envelope, Expects, Field, Kind, Task, answer, validate, validate_upload,
};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Any JSON, with the members' names that the decoders look for among the random ones.
fn any_json() -> impl Strategy<Value = Value> {
    let name = prop_oneof![
        Just("code"),
        Just("data"),
        Just("task"),
        Just("id"),
        Just("task_id"),
        Just("status"),
        Just("progress"),
        Just("outputs"),
        Just("output_url"),
        Just("asset_id"),
        Just("prompt"),
        Just("segments"),
        Just("start_time"),
        Just("region"),
        Just("size"),
        Just("é\u{0}_"),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        Just(json!("https://h/x.mp4")),
    ];
    leaf.prop_recursive(5, 64, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((name.clone(), inner), 0..6).prop_map(|it| it
                .into_iter()
                .map(|(name, it)| (name.to_owned(), it))
                .collect::<Map<_, _>>()
                .into()),
        ]
    })
}

fn clock(seconds: u32) -> String {
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// Any valid value of a field.
fn valid(field: &Field) -> BoxedStrategy<Value> {
    let text = "[a-z0-9é]{1,12}";
    let texts = prop::collection::vec(text, 1..4).prop_map(Value::from);
    match field.kind {
        Kind::Text | Kind::File(_) | Kind::Asset(_) => text.prop_map(Value::from).boxed(),
        Kind::Files(_) | Kind::TextList => texts.boxed(),
        Kind::FileOrFiles(_) => prop_oneof![text.prop_map(Value::from), texts].boxed(),
        Kind::Integer(least) => (least..=i32::MAX).prop_map(Value::from).boxed(),
        Kind::Number => (-1e9..1e9).prop_map(Value::from).boxed(),
        Kind::Boolean => any::<bool>().prop_map(Value::from).boxed(),
        Kind::Segments => prop::collection::vec((0..359_000_u32, 1..900_u32), 1..4)
            .prop_map(|it| {
                it.iter()
                    .map(|(from, length)| json!({"start_time": clock(*from), "end_time": clock(from + length)}))
                    .collect()
            })
            .boxed(),
        Kind::PageRange => prop::collection::vec((1..999_u32, 0..9_u32), 1..4)
            .prop_map(|it| {
                it.iter().map(|(from, more)| format!("{from}-{}", from + more)).collect::<Vec<_>>().join(",").into()
            })
            .boxed(),
        Kind::Volume => (0..999_u32, any::<bool>())
            .prop_map(|(it, db)| format!("{it}{}", if db { "dB" } else { ".5" }).into())
            .boxed(),
        Kind::Region => {
            (0..9_i32, 1..9_i32).prop_map(|(a, b)| json!({"x": a, "y": a, "width": b, "height": b})).boxed()
        }
        Kind::VideoSize => (1..9_i32, 1..i32::MAX).prop_map(|(a, b)| json!([a, b])).boxed(),
    }
}

/// A capability with any valid request.
fn valid_request() -> impl Strategy<Value = (&'static Capability, Value)> {
    (0..CAPABILITIES.len()).prop_flat_map(|index| {
        let capability = CAPABILITIES[index];
        let members: Vec<_> = capability
            .fields()
            .map(|field| {
                let needed = field.required || capability.any_of.contains(&field.name);
                (Just(field.name.to_owned()), valid(field), any::<bool>().prop_map(move |it| it || needed))
            })
            .collect();
        members.prop_map(move |it| {
            let given = it.into_iter().filter(|it| it.2).map(|(name, value, _)| (name, value));
            (capability, Value::Object(given.collect()))
        })
    })
}

proptest! {
    #[test]
    fn everything_valid_is_accepted_and_survives_a_round_trip((capability, body) in valid_request()) {
        prop_assert_eq!(validate(capability, &&body), vec![]);
        let again: Value = serde_json::from_str(&body.to_string()).expect("JSON");
        prop_assert_eq!(validate(capability, &&again), vec![]);
        prop_assert_eq!(again, body);
    }

    #[test]
    fn one_unknown_member_is_always_found((capability, mut body) in valid_request()) {
        body["zzz"] = json!(1);
        let issues = validate(capability, &&body);
        prop_assert_eq!(issues.len(), 1);
        prop_assert_eq!(issues[0].reason, "unknown_field");
    }

    #[test]
    fn nothing_panics(body in any_json(), status in any::<u16>()) {
        for capability in CAPABILITIES {
            validate(capability, &&body);
        }
        validate_upload(&&body);
        for expects in [Expects::Task, Expects::TaskOrResult, Expects::Data] {
            answer::read(status, Some(&body), expects);
        }
        let task = Task::decode(&&body);
        prop_assert!(task.progress.is_none_or(|it| (0.0..=1.0).contains(&it)));
        prop_assert!(task.outputs().len() <= 100);
        let _ = task.is_terminal();
    }

    #[test]
    fn envelopes_survive_a_round_trip(code in any::<i32>(), message in ".*", data in any_json()) {
        let body = json!({"code": code, "message": message, "data": data});
        let envelope = Envelope::decode(&&body).expect("an envelope");
        prop_assert_eq!(envelope.code.0, code);
        prop_assert_eq!(envelope.message, message);
        prop_assert_eq!(envelope.data, Some(&data).filter(|it| !it.is_null()));
    }

    #[test]
    fn grammars_take_any_text(text in "[0-9:,.eEdB+-]{0,12}|.{0,20}") {
        if let Some(seconds) = time::parse(&text) {
            prop_assert_eq!(clock(seconds), text.clone());
        }
        if let Some(ranges) = pages::parse(&text) {
            prop_assert!(ranges.iter().all(|it| 1 <= it.0 && it.0 <= it.1));
        }
        if volume::parse(&text).is_some() {
            let number: f64 = text.trim_end_matches("dB").parse().expect("a float");
            prop_assert!(number.is_finite());
        }
    }

    #[test]
    fn schedules_stay_within_their_bounds(n in any::<u32>(), after in any::<Option<u32>>(), random in any::<f64>()) {
        let wait = poll::delay(n, after, random);
        prop_assert!((750..=poll::LONGEST_WAIT_MS).contains(&wait));
        if let Some(wait) = retry::delay(n, after, random) {
            prop_assert!(n < retry::ATTEMPTS && wait <= retry::LONGEST_WAIT_MS && wait >= after.unwrap_or(0));
        }
    }
}
