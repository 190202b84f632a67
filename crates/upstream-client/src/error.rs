use mediagate_access::refusal::Refusal;
use mediagate_core::{Code, Outcome, Reason};
use mediagate_upstream::{UpstreamError, refused_content};
use serde_json::{Map, Value};

use super::UpstreamClient;
use super::response::UpstreamFailure;

/// The members that the gateway writes. `raw` has the upstream's values of these names.
const OWN_MEMBERS: [&str; 5] = ["reason", "cause", "outcome", "request_id", "raw"];

impl UpstreamClient<'_> {
    /// Returns the refusal, and the effect of a create with this failure on the account.
    pub(super) fn refusal(&self, failure: UpstreamFailure) -> (Refusal, Outcome) {
        match failure {
            UpstreamFailure::Unreadable {
                reason,
                retry_after,
            } => {
                let mut refusal = Refusal::from(reason);
                refusal.retry_after = retry_after;
                (refusal, Outcome::Unknown)
            }
            UpstreamFailure::Error { error, .. } if error.code == Code::UNAUTHENTICATED => (
                Refusal::from(Reason::UpstreamCredentials),
                Outcome::Rejected,
            ),
            UpstreamFailure::Error { error, retry_after } => {
                let UpstreamError {
                    code,
                    message,
                    data,
                } = error;
                let is_content = data
                    .as_ref()
                    .is_some_and(|data| refused_content(data).is_some());
                let mut refusal = match is_content {
                    true if message.trim().is_empty() => Refusal::from(Reason::ContentRefused),
                    true => Refusal::new(Reason::ContentRefused, message),
                    false => Refusal::of_upstream(code, message_or_default(code, message)),
                };
                refusal.retry_after = retry_after;
                // The page must be able to trust the gateway's own members, so the upstream's go
                // beside them.
                let (own, others): (Map<_, _>, Map<_, _>) = self
                    .sealed_members(data)
                    .into_iter()
                    .partition(|(name, _)| OWN_MEMBERS.contains(&name.as_str()));
                refusal.data.extend(others);
                if !own.is_empty() {
                    refusal.data.insert("raw".to_owned(), Value::Object(own));
                }
                (refusal, code.outcome())
            }
        }
    }

    fn sealed_members(&self, data: Option<Value>) -> Map<String, Value> {
        let mut data = data.unwrap_or_default();
        self.seal(&mut data, None);
        match data {
            Value::Object(members) => members,
            Value::Null => Map::new(),
            other => Map::from_iter([("details".to_owned(), other)]),
        }
    }
}

/// Returns the upstream's message, or the documented message if the upstream sent none (§7).
fn message_or_default(code: Code, message: String) -> String {
    if message.trim().is_empty() {
        code.message().to_owned()
    } else {
        message
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Upstream;
    use mediagate_access::identity::Subject;
    use mediagate_settings::Settings;
    use serde_json::json;
    use std::cell::Cell;

    #[test]
    fn the_data_of_an_error_is_passed_on_with_sealed_ids_and_the_gateways_reason() {
        let upstream = Upstream::new(Settings::for_tests(&[]));
        let owner = Subject::default();
        let upstream_ms = Cell::new(0.0);
        let sealed = upstream.sealer.seal(&owner, "asset", "a");
        for (data, expected) in [
            (
                Some(json!({"asset": {"id": "a"}, "until": 5, "reason": "other"})),
                json!({
                    "asset": {"id": sealed}, "until": 5,
                    "reason": "asset_locked", "raw": {"reason": "other"},
                }),
            ),
            (
                Some(json!(["text"])),
                json!({"details": ["text"], "reason": "asset_locked"}),
            ),
            (None, json!({"reason": "asset_locked"})),
        ] {
            let error = UpstreamError {
                code: Code::ASSET_LOCKED,
                message: String::new(),
                data,
            };
            let failure = UpstreamFailure::Error {
                error,
                retry_after: None,
            };
            let (refusal, _) = upstream.client(&owner, "", &upstream_ms).refusal(failure);
            assert_eq!(Value::Object(refusal.data), expected);
        }
    }

    #[test]
    fn a_blank_message_is_the_documented_one() {
        for (code, message, expected) in [
            (Code::INSUFFICIENT_CREDITS, "", "insufficient credits"),
            (Code::INSUFFICIENT_CREDITS, " \n", "insufficient credits"),
            (Code::INSUFFICIENT_CREDITS, "no more", "no more"),
            (Code(5), "", ""),
        ] {
            assert_eq!(message_or_default(code, message.to_owned()), expected);
        }
    }
}
