//! Explanations of the codes of a refusal for the person who runs the probe (§7).

use serde_json::Value;

use super::show::shown_json;
use super::step::DecodedResponse;
use mediagate_core::Code;

/// Describes a response, its meaning, and the remedy.
pub(super) fn explained(response: &DecodedResponse) -> String {
    let code = response.code.map(Code);
    let meaning = match code {
        Some(Code::UNAUTHENTICATED) => {
            "the key is missing, wrong or revoked. Create one in the account that is to pay, and \
             run it again."
                .to_string()
        }
        Some(Code::INSUFFICIENT_CREDITS) => {
            "the account has too few credits. Nothing was charged. Buy some, and run it again."
                .to_string()
        }
        Some(Code::PAID_PLAN_REQUIRED) => {
            let plan = response
                .body
                .as_ref()
                .and_then(|body| body.pointer("/data/paid_plan_required"));
            let plan = plan
                .map(|plan| format!(" ({})", shown_json(plan)))
                .unwrap_or_default();
            format!(
                "the model needs a higher plan than the account has{plan}. Nothing was charged."
            )
        }
        Some(Code::INVALID_INPUT) => {
            let refusal = shown_json(response.body.as_ref().unwrap_or(&Value::Null));
            format!(
                "the request was refused as invalid, though it has what the document requires: \
                 {refusal}"
            )
        }
        Some(Code::RATE_LIMIT) => {
            "the rate limit was reached. Run it again in some minutes.".to_string()
        }
        Some(code) if code.is_documented() => format!("{}.", code.message()),
        Some(_) => "the document does not have this code.".to_string(),
        None => "the response does not come from the media service.".to_string(),
    };
    format!("{} — {meaning}", described(response))
}

/// Describes a response in a few words.
pub(super) fn described(response: &DecodedResponse) -> String {
    match response.code {
        Some(code) => format!("HTTP {}, code {code}", response.status),
        None if response.status == 0 => "no response".into(),
        None if response.body.is_none() => format!(
            "HTTP {}, a page and not JSON; perhaps a proxy's",
            response.status
        ),
        None => format!("HTTP {}", response.status),
    }
}
