//! Random JSON, and random valid requests.

use mediagate_core::{CAPABILITIES, Capability, Field, Kind};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Generates any JSON, with member names that the decoders read among the random ones.
pub(crate) fn any_json() -> impl Strategy<Value = Value> {
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
            prop::collection::vec((name.clone(), inner), 0..6).prop_map(|members| members
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect::<Map<_, _>>()
                .into()),
        ]
    })
}

pub(crate) fn clock(seconds: u32) -> String {
    format!(
        "{:02}:{:02}:{:02}",
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    )
}

fn valid(field: &Field) -> BoxedStrategy<Value> {
    let text = "[a-z0-9é]{1,12}";
    let strings = prop::collection::vec(text, 1..4).prop_map(Value::from);
    match field.kind {
        Kind::Text | Kind::FilledText | Kind::Choice | Kind::File(_) | Kind::Asset(_) => {
            text.prop_map(Value::from).boxed()
        }
        Kind::Files(_) | Kind::TextList => strings.boxed(),
        Kind::FileOrFiles(_) => prop_oneof![text.prop_map(Value::from), strings].boxed(),
        Kind::Integer => any::<i64>().prop_map(Value::from).boxed(),
        Kind::Size => (1..1_i64 << 53).prop_map(Value::from).boxed(),
        Kind::PositiveInteger => (1..i64::MAX).prop_map(Value::from).boxed(),
        Kind::Int32 => any::<i32>().prop_map(Value::from).boxed(),
        Kind::PositiveInt32 => (1..=i32::MAX).prop_map(Value::from).boxed(),
        Kind::Number => (-1e9..1e9).prop_map(Value::from).boxed(),
        Kind::Boolean => any::<bool>().prop_map(Value::from).boxed(),
        Kind::Time | Kind::Segment => unreachable!("no field is a part of a video alone"),
        Kind::Segments => prop::collection::vec((0..359_000_u32, 1..900_u32), 1..4)
            .prop_map(|segments| {
                let segment = |(from, length): &(u32, u32)| {
                    json!({
                        "start_time": clock(*from),
                        "end_time": clock(from + length),
                    })
                };
                segments.iter().map(segment).collect()
            })
            .boxed(),
        Kind::PageRange => prop::collection::vec((1..999_u32, 0..9_u32), 1..4)
            .prop_map(|ranges| {
                let ranges = ranges
                    .iter()
                    .map(|(from, more)| format!("{from}-{}", from + more));
                ranges.collect::<Vec<_>>().join(",").into()
            })
            .boxed(),
        Kind::Volume => (0..999_u32, any::<bool>())
            .prop_map(|(number, db)| format!("{number}{}", if db { "dB" } else { ".5" }).into())
            .boxed(),
        Kind::Region => (0..9_i32, 1..9_i32)
            .prop_map(|(at, side)| json!({"x": at, "y": at, "width": side, "height": side}))
            .boxed(),
        Kind::VideoSize => (1..9_i32, 1..i32::MAX)
            .prop_map(|(a, b)| json!([a, b]))
            .boxed(),
    }
}

pub(crate) fn valid_request() -> impl Strategy<Value = (&'static Capability, Value)> {
    (0..CAPABILITIES.len()).prop_flat_map(|index| {
        let capability = CAPABILITIES[index];
        let members: Vec<_> = capability
            .fields()
            .map(|field| {
                let is_required = field.required || capability.any_of.contains(&field.name);
                (
                    Just(field.name.to_owned()),
                    valid(field),
                    any::<bool>().prop_map(move |is_present| is_present || is_required),
                )
            })
            .collect();
        members.prop_map(move |members| {
            let present = members
                .into_iter()
                .filter(|member| member.2)
                .map(|(name, value, _)| (name, value));
            (capability, Value::Object(present.collect()))
        })
    })
}
