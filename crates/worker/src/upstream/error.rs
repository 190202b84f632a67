//! What a failed request means for the caller, and what a create with it has done.

use mediagate_core::{Code, Outcome};
use serde_json::{Map, Value};

use super::UpstreamClient;
use super::response::Failure;
use crate::refusal::Refusal;

/// What the gateway writes into a refusal's `data`; `raw` has the upstream's values of these.
const OWN_MEMBERS: [&str; 5] = ["reason", "cause", "outcome", "request_id", "raw"];

impl UpstreamClient<'_> {
    /// The refusal for a failed request, and what a create with this failure did to the account.
    pub(super) fn refusal(&self, failure: Failure, retry_after: Option<u32>) -> (Refusal, Outcome) {
        match failure {
            Failure::Deadline => (Refusal::deadline(), Outcome::Unknown),
            Failure::Unreadable(reason) => (Refusal::unreadable(reason), Outcome::Unknown),
            Failure::Error {
                code: Code::UNAUTHENTICATED,
                ..
            } => (key_refused(), Outcome::Rejected),
            Failure::Error {
                code,
                message,
                data,
            } => {
                let mut refusal = Refusal::new(
                    http_status(code),
                    code,
                    code.name(),
                    message_or_default(code, message),
                );
                refusal.retry_after = retry_after;
                // The gateway's own members come first; the upstream's of the same name are kept beside them.
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

/// The upstream's message, or the documented one where it sent none (§7).
fn message_or_default(code: Code, message: String) -> String {
    if message.trim().is_empty() {
        code.message().to_owned()
    } else {
        message
    }
}

/// Code 13 of the upstream is about the gateway's key: the caller can do nothing about it, and the refusal has no detail.
fn key_refused() -> Refusal {
    let message = "the media service did not accept this gateway's credentials; tell its operator";
    Refusal::new(502, Code::UNAUTHENTICATED, "upstream_credentials", message)
}

/// The HTTP status for a code of the upstream; the document shows none (§7).
pub(crate) fn http_status(code: Code) -> u16 {
    match code {
        Code::INVALID_INPUT => 400,
        Code::INSUFFICIENT_CREDITS | Code::PAID_PLAN_REQUIRED => 402,
        Code::ASSET_CATEGORY_MISMATCH | Code::ASSET_LOCKED => 409,
        Code::ASSET_EXPIRED => 410,
        Code::VOICE_ASSET_REQUIRED | Code::INVALID_MODEL => 422,
        Code::RATE_LIMIT => 429,
        Code::PROVIDER_TIMEOUT => 504,
        _ => 502,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::Subject;
    use crate::settings::Settings;
    use crate::upstream::Upstream;
    use serde_json::json;
    use std::cell::Cell;

    #[test]
    fn the_data_of_an_error_is_passed_on_with_sealed_ids_and_the_gateways_reason() {
        let settings = Settings::read(|name| match name {
            "UPSTREAM_BASE_URL" => Some("https://api.example.com".to_owned()),
            "UPSTREAM_API_KEY" | "SESSION_SECRET" | "SEAL_SECRET" => {
                Some("0123456789abcdef".repeat(2))
            }
            _ => None,
        });
        let upstream = Upstream::new(settings.expect("complete"));
        let (owner, upstream_ms) = (Subject::default(), Cell::new(0.0));
        let sealed = upstream.sealer.seal(&owner, "asset", "a");
        for (data, expected) in [
            (
                Some(json!({"asset": {"id": "a"}, "until": 5, "reason": "other"})),
                json!({"asset": {"id": sealed}, "until": 5, "reason": "asset_locked", "raw": {"reason": "other"}}),
            ),
            (
                Some(json!(["text"])),
                json!({"details": ["text"], "reason": "asset_locked"}),
            ),
            (None, json!({"reason": "asset_locked"})),
        ] {
            let failure = Failure::Error {
                code: Code::ASSET_LOCKED,
                message: String::new(),
                data,
            };
            let (refusal, _) = upstream.client(&owner, &upstream_ms).refusal(failure, None);
            assert_eq!(Value::Object(refusal.data), expected);
        }
    }

    #[test]
    fn each_code_has_its_status() {
        let statuses = [
            (0, 502),
            (12, 400),
            (13, 502),
            (16, 429),
            (99, 502),
            (1401, 402),
            (1402, 409),
            (1403, 422),
            (1404, 502),
            (1405, 504),
            (1407, 409),
            (1408, 410),
            (1409, 402),
            (1410, 422),
        ];
        assert_eq!(
            Code::ALL
                .iter()
                .map(|it| (it.0.0, http_status(it.0)))
                .collect::<Vec<_>>(),
            statuses
        );
        assert_eq!(http_status(Code(-1)), 502);
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

    #[test]
    fn the_caller_does_not_learn_about_the_gateways_key() {
        let refusal = key_refused();
        assert_eq!((refusal.status, refusal.code), (502, Code::UNAUTHENTICATED));
        assert_eq!(
            refusal.data,
            Map::from_iter([("reason".to_owned(), "upstream_credentials".into())])
        );
    }
}
