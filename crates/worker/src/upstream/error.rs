//! What a failed request means for the caller, and what a create with it has done.

use mediagate_core::{Code, Outcome};
use serde_json::{Map, Value};

use super::UpstreamClient;
use super::response::Failure;
use crate::refusal::Refusal;

impl UpstreamClient<'_> {
    /// The refusal for a failed request, and what a create with this failure did to the account.
    pub(super) fn refusal(&self, failure: Failure, retry_after: Option<u32>) -> (Refusal, Outcome) {
        match failure {
            Failure::Deadline => (Refusal::deadline(), Outcome::Unknown),
            Failure::Unreadable(reason) => (Refusal::unreadable(reason), Outcome::Unknown),
            Failure::Error { code: Code::UNAUTHENTICATED, .. } => (key_refused(), Outcome::Rejected),
            Failure::Error { code, message, data } => {
                let mut refusal = Refusal::new(http_status(code), code, code.name(), message_or_default(code, message));
                refusal.retry_after = retry_after;
                for (name, value) in self.sealed_members(data) {
                    refusal.data.entry(name).or_insert(value);
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
    if message.trim().is_empty() { code.message().to_owned() } else { message }
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
        assert_eq!(Code::ALL.iter().map(|it| (it.0.0, http_status(it.0))).collect::<Vec<_>>(), statuses);
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
        assert_eq!(refusal.data, Map::from_iter([("reason".to_owned(), "upstream_credentials".into())]));
    }
}
