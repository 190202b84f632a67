//! What a refusal means for a step. Times are milliseconds since 1970.

use mediagate_core::Outcome;
use mediagate_pipeline::RunEvent;
use serde_json::{Value, json};

use crate::refusal::Refusal;

/// When a create is sent again that was refused for now, in seconds, where nothing says so.
const RETRY_S: u32 = 10;
/// How often a create is postponed before the time for which it waits at least is doubled.
const POSTPONED_TO_DOUBLE: u32 = 4;
/// The longest that it waits, in seconds, before it tries again.
const MAX_RETRY_S: u32 = 600;

/// What follows from a refused create that was postponed so often; `None` where the ledger has not said anything: it is to be sent again, under the same
/// key.
pub(super) fn of_create(
    step: usize,
    refusal: Refusal,
    postponed: u32,
    now: i64,
) -> Option<RunEvent> {
    let is = |name: &str, value: &str| refusal.data.get(name).is_some_and(|it| it == value);
    if is("outcome", Outcome::Unknown.name()) {
        let is_lost = !is("cause", "ledger");
        return is_lost.then(|| RunEvent::Lost {
            step,
            error: error(refusal),
        });
    }
    // A budget of a day may be used up for as long: a person is to decide. A slot becomes free.
    let is_passing = !is("reason", "budget") || is("limit", "in_flight");
    if !refusal.code.is_retryable() || !is_passing {
        return Some(RunEvent::Failed {
            step,
            error: error(refusal),
        });
    }
    // A slot becomes free before its time is over.
    let wanted = refusal
        .retry_after
        .filter(|_| !is("limit", "in_flight"))
        .unwrap_or(RETRY_S);
    // What was postponed often waits for longer.
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

/// A refusal as the error of a step.
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
    use crate::identity::{Limit, LimitName};

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
    fn what_may_pass_is_sent_again_and_nothing_else() {
        let sent = |refusal: Refusal| of_create(3, refusal, 0, 1_000);
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
        let often =
            [3, 4, 8, 12, 24, 1_000].map(|it| of_create(3, budget(LimitName::InFlight), it, 0));
        let until = [10, 20, 40, 80, 600, 600].map(|it| {
            Some(RunEvent::Postponed {
                step: 3,
                until: it * 1000,
            })
        });
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
        assert_eq!(of_create(0, unknown(Reason::LedgerSilent), 0, 0), None);
        let Some(RunEvent::Lost { error, .. }) = of_create(0, unknown(Reason::Interrupted), 0, 0)
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
