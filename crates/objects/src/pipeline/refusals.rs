//! The effect of a refusal on a step. Times are milliseconds since 1970.

use mediagate_access::refusal::Refusal;
use mediagate_core::Outcome;
use mediagate_pipeline::RunEvent;
use serde_json::{Value, json};

/// The seconds before a create is sent again, if the refusal does not state them.
const RETRY_S: u32 = 10;
/// The number of postponements after which the shortest wait doubles.
const POSTPONED_TO_DOUBLE: u32 = 4;
const MAX_RETRY_S: u32 = 600;

/// Returns the event of a refused create. `postponed` is the number of earlier postponements.
/// `None` if the ledger did not respond: send the create again under its key.
pub(super) fn event_of(
    step: usize,
    refusal: Refusal,
    postponed: u32,
    now: i64,
) -> Option<RunEvent> {
    if has(&refusal, "outcome", Outcome::Unknown.name()) {
        let is_lost = !has(&refusal, "cause", "ledger");
        return is_lost.then(|| RunEvent::Lost {
            step,
            error: error(refusal),
        });
    }
    // The budget of a day may be used up for a day, so a person must decide. A slot becomes free
    // when a task ends.
    let is_slot = has(&refusal, "limit", "in_flight");
    let is_passing = !has(&refusal, "reason", "budget") || is_slot;
    if !refusal.code.is_retryable() || !is_passing {
        return Some(RunEvent::Failed {
            step,
            error: error(refusal),
        });
    }
    // `retry_after` of a slot is its expiry, but its task usually ends much earlier.
    let wanted = refusal.retry_after.filter(|_| !is_slot).unwrap_or(RETRY_S);
    // Wait longer after many postponements. Six doublings exceed the maximum.
    let longer = RETRY_S.saturating_mul(1 << (postponed / POSTPONED_TO_DOUBLE).min(6));
    let wait = if postponed < POSTPONED_TO_DOUBLE {
        wanted
    } else {
        wanted.max(longer)
    }
    .clamp(1, MAX_RETRY_S);
    Some(RunEvent::Postponed {
        step,
        until: now + i64::from(wait) * 1000,
    })
}

fn has(refusal: &Refusal, name: &str, value: &str) -> bool {
    refusal.data.get(name).is_some_and(|data| data == value)
}

pub(super) fn error(refusal: Refusal) -> Value {
    let Refusal {
        code,
        message,
        mut data,
        ..
    } = refusal;
    data.insert("code".to_owned(), json!(code.0));
    data.insert("message".to_owned(), json!(message));
    Value::Object(data)
}

#[cfg(test)]
mod tests {
    use mediagate_core::Reason;

    use super::*;
    use mediagate_access::identity::{Limit, LimitName};

    fn budget(name: LimitName) -> Refusal {
        Limit {
            name,
            max: 2,
            left: 0,
            reset: 1_800,
        }
        .refusal()
        .of_create(Outcome::NotSent)
    }

    #[test]
    fn only_a_passing_refusal_is_sent_again() {
        let sent = |refusal: Refusal| event_of(3, refusal, 0, 1_000);
        let at = |until| Some(RunEvent::Postponed { step: 3, until });
        assert_eq!(
            sent(Refusal::too_many(7).of_create(Outcome::Rejected)),
            at(8_000)
        );
        assert_eq!(
            sent(Refusal::too_many(90_000).of_create(Outcome::Rejected)),
            at(601_000)
        );
        assert_eq!(
            sent(Refusal::from(Reason::LedgerFailed).of_create(Outcome::NotSent)),
            at(11_000)
        );
        assert_eq!(sent(budget(LimitName::InFlight)), at(11_000));
        let often = [3, 4, 8, 12, 24, 1_000]
            .map(|postponed| event_of(3, budget(LimitName::InFlight), postponed, 0));
        let until = [10, 20, 40, 80, 600, 600].map(|seconds| at(seconds * 1000));
        assert_eq!(often, until);
        for refusal in [
            budget(LimitName::Creates),
            Refusal::new(Reason::InvalidFields, "x").of_create(Outcome::NotSent),
            Refusal::from(Reason::InvalidModel).of_create(Outcome::Rejected),
        ] {
            assert!(matches!(
                sent(refusal),
                Some(RunEvent::Failed { step: 3, .. })
            ));
        }
    }

    #[test]
    fn an_unknown_outcome_is_final_unless_the_ledger_is_silent() {
        let unknown = |reason: Reason| Refusal::from(reason).of_create(Outcome::Unknown);
        assert_eq!(event_of(0, unknown(Reason::LedgerSilent), 0, 0), None);
        let Some(RunEvent::Lost { error, .. }) = event_of(0, unknown(Reason::Interrupted), 0, 0)
        else {
            unreachable!("it is lost")
        };
        assert_eq!(
            (&error["reason"], &error["code"]),
            (&json!("outcome_unknown"), &json!(99))
        );
        assert!(error["message"].is_string());
    }
}
