use mediagate_access::refusal::Refusal;
use mediagate_core::{Outcome, Reason};
use mediagate_messages::ledger::cost_of;
use mediagate_upstream_client::{Submission, short_members};
use serde_json::{Value, json};

use super::policy::Settlement;
use super::store::KeptCreate;

/// The longest outcome, and the longest result, that is stored whole. Together they must fit into a
/// row, which SQLite limits to 2 MB.
const MAX_OUTCOME_BYTES: usize = 1_000_000;
const MAX_RESULT_BYTES: usize = 900_000;

pub(super) fn settlement(submission: &Submission, now: i64) -> Settlement {
    if !submission.may_be_charged {
        return Settlement::Released;
    }
    let mut kept = KeptCreate {
        outcome: Some(outcome_text(&submission.outcome, MAX_OUTCOME_BYTES)),
        task: submission.task.as_ref().map(|task| task.id.clone()),
        is_running: submission.is_running,
        cost: submission.summary.as_ref().and_then(cost_of),
        ..KeptCreate::default()
    };
    // Without a readable response, the history shows nothing of the create.
    if let Some(summary) = &submission.summary {
        let origin = submission.task.as_ref().map(|task| json!(task.origin));
        kept.origin = origin.map(|origin| origin.to_string());
        kept.summary = Some(summary.to_string());
        kept.result = submission.result.as_ref().map(|result| {
            let whole = result.to_string();
            if whole.len() <= MAX_RESULT_BYTES {
                whole
            } else {
                json!({"task": summary}).to_string()
            }
        });
        kept.ended_at = (!submission.is_running).then_some(now);
    }
    Settlement::Kept(kept)
}

/// Returns the outcome as JSON. If it is longer than `max_bytes`, it has only the task's id, state,
/// outputs and error.
fn outcome_text(outcome: &Result<Value, Refusal>, max_bytes: usize) -> String {
    // Serialising strings and numbers into memory can't fail.
    let text = |outcome: &Result<_, _>| serde_json::to_string(outcome).unwrap_or_default();
    let whole = text(outcome);
    if whole.len() <= max_bytes {
        return whole;
    }
    let members = ["id", "state", "outputs", "error"];
    let task = outcome
        .as_ref()
        .map(|data| short_members(&data["task"], &members))
        .unwrap_or_default();
    if !task.is_empty() {
        return text(&Ok(json!({ "task": task })));
    }
    let message = "this was created, but its response is too long to be stored for a repetition";
    let refusal = Refusal::new(Reason::AnswerTooLarge, message);
    text(&Err(refusal.of_create(Outcome::Unknown)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mediagate_upstream_client::MAX_MEMBER_BYTES;

    /// Returns the outcome as a repetition reads it from the ledger.
    fn stored(outcome: &Result<Value, Refusal>, max_bytes: usize) -> Result<Value, Refusal> {
        serde_json::from_str(&outcome_text(outcome, max_bytes)).expect("JSON of an outcome")
    }

    #[test]
    fn a_repetition_gets_the_same_outcome() {
        for outcome in [
            Ok(json!({"task": {"id": "t", "outputs": []}, "queue": 3})),
            Err(Refusal::too_many(9).of_create(Outcome::Rejected)),
            Err(Refusal::too_many(9).of_create(Outcome::Unknown)),
        ] {
            assert_eq!(stored(&outcome, usize::MAX), outcome);
        }
    }

    #[test]
    fn a_long_outcome_is_stored_as_the_most_important_members() {
        let long = "x".repeat(MAX_MEMBER_BYTES);
        let task = json!({"id": "t", "state": "QUEUED", "outputs": [], "prompt": long});
        let outcome = Ok(json!({ "task": task }));
        let length = outcome_text(&outcome, usize::MAX).len();
        assert_eq!(stored(&outcome, length), outcome, "not too long");
        assert_eq!(
            stored(&outcome, length - 1),
            Ok(json!({"task": {"id": "t", "state": "QUEUED", "outputs": []}}))
        );
    }

    #[test]
    fn a_member_is_stored_up_to_its_limit() {
        let state = |bytes: usize| "x".repeat(bytes - 2);
        for (bytes, is_stored) in [(MAX_MEMBER_BYTES - 1, true), (MAX_MEMBER_BYTES, false)] {
            let data = json!({"task": {"id": "t", "state": state(bytes)}});
            let task = stored(&Ok(data), 0).expect("a success")["task"].take();
            assert_eq!(task.get("state").is_some(), is_stored, "{bytes}");
        }
        let all_too_long = json!({"task": {"id": state(MAX_MEMBER_BYTES)}});
        let refusal = stored(&Ok(all_too_long), 0).expect_err("nothing is short enough");
        assert_eq!(
            (refusal.status, &refusal.data["cause"]),
            (502, &json!("answer_too_large"))
        );
    }
}
