//! Valid requests survive a round trip, and no input causes a panic.

use crate::strategies::{any_json, clock, valid_request};
use mediagate_core::grammar::{pages, time, volume};
use mediagate_core::schedule::{poll, retry};
use mediagate_core::{
    CAPABILITIES, DecodedTask, Envelope, Expects, is_valid, response, validate, validate_strictly,
    validate_upload,
};
use proptest::prelude::*;
use serde_json::{Value, json};

proptest! {
    #![proptest_config(crate::seed::config(256))]

    #[test]
    fn valid_requests_are_accepted_and_survive_a_round_trip((capability, body) in valid_request()) {
        prop_assert_eq!(validate(capability, &body), vec![]);
        let again: Value = serde_json::from_str(&body.to_string()).expect("JSON");
        prop_assert_eq!(validate(capability, &again), vec![]);
        prop_assert_eq!(again, body);
    }

    #[test]
    fn an_unknown_member_passes_or_is_found((capability, mut body) in valid_request()) {
        body["zzz"] = json!(1);
        prop_assert_eq!(validate(capability, &body), vec![]);
        let issues = validate_strictly(capability, &body);
        prop_assert_eq!(issues.len(), 1);
        prop_assert_eq!(issues[0].reason.name(), "unknown_field");
        prop_assert!(!is_valid(&issues));
    }

    #[test]
    fn nothing_panics(body in any_json(), status in any::<u16>()) {
        for capability in CAPABILITIES {
            let open = validate(capability, &body);
            let strict = validate_strictly(capability, &body);
            prop_assert!(is_valid(&open) || !is_valid(&strict));
        }
        validate_upload(&body);
        for expects in [Expects::Task, Expects::Status, Expects::TaskOrResult, Expects::Data] {
            response::decode(status, Some(&body), expects);
        }
        let task = DecodedTask::decode(&body);
        prop_assert!(task.progress.is_none_or(|progress| (0.0..=1.0).contains(&progress)));
        let _ = task.is_terminal();
    }

    #[test]
    fn envelopes_survive_a_round_trip(code in any::<i32>(), message in ".*", data in any_json()) {
        let body = json!({"code": code, "message": message, "data": data});
        let envelope = Envelope::decode(&body).expect("an envelope");
        prop_assert_eq!(envelope.code.0, code);
        let decoded = envelope.message.and_then(Value::as_str);
        prop_assert!(decoded == Some(message.as_str()));
        prop_assert_eq!(envelope.data, Some(&data).filter(|data| !data.is_null()));
    }

    #[test]
    fn grammars_accept_any_string(text in "[0-9:,.eEdB+-]{0,12}|.{0,20}") {
        if let Some(seconds) = time::parse(&text) {
            prop_assert_eq!(clock(seconds), text.clone());
        }
        let has_digit = text.contains(|letter: char| letter.is_ascii_digit());
        prop_assert!(pages::is_doubtful(&text) || has_digit);
        if !volume::is_doubtful(&text) {
            let number: f64 = text.trim().trim_end_matches("dB").parse().expect("a float");
            prop_assert!(number.is_finite());
        }
    }

    #[test]
    fn schedules_stay_within_their_bounds(
        n in any::<u32>(),
        after in any::<Option<u32>>(),
        random in any::<f64>(),
    ) {
        let wait = poll::delay(n, after, random);
        prop_assert!((750..=poll::MAX_WAIT_MS).contains(&wait));
        if let Some(wait) = retry::delay(n, retry::RETRIES, after, random) {
            prop_assert!(n <= retry::RETRIES);
            prop_assert!((after.unwrap_or(0)..=retry::MAX_WAIT_MS).contains(&wait));
        }
    }
}
