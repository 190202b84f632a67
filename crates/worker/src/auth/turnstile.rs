//! Verifies with Turnstile that a person requests an anonymous session.

use mediagate_platform::http::{deadline, post_json, read_body, send};
use mediagate_settings::TurnstileSettings;
use mediagate_settings::origins::has_host;
use serde_json::{Value, json};

/// The longest response token, in characters, according to Cloudflare.
const MAX_TOKEN_LEN: usize = 2048;
const MAX_RESPONSE_BYTES: usize = 16_384;

/// Returns true if Turnstile verifies the token, and it was made on a page of this app with this
/// app's action. Returns false if Turnstile does not respond in time or readably.
pub(crate) async fn verifies(
    settings: &TurnstileSettings,
    response: &str,
    address: Option<&str>,
) -> bool {
    if response.is_empty() || response.len() > MAX_TOKEN_LEN {
        return false;
    }
    let message =
        json!({"secret": settings.secret.expose(), "response": response, "remoteip": address});
    let verdict = deadline(post(&settings.url, &message)).await.flatten();
    verdict.is_some_and(|verdict| verdict["success"] == true && is_ours(settings, &verdict))
}

/// Returns true if the widget is on one of the app's hosts, and has the app's action if there is
/// one.
fn is_ours(settings: &TurnstileSettings, verdict: &Value) -> bool {
    // The widget's key is public, so the token may come from a page of another site.
    let hostname = verdict["hostname"].as_str().unwrap_or_default();
    let mut hostnames = settings.hostnames.iter();
    let action = settings.action.as_ref();
    hostnames.any(|listed| has_host(listed, hostname))
        && action.is_none_or(|action| verdict["action"] == **action)
}

async fn post(url: &str, message: &Value) -> Option<Value> {
    let request = post_json(url, &[], &message.to_string()).ok()?;
    let result = send(&request).await.filter(web_sys::Response::ok)?;
    let bytes = read_body(&result, MAX_RESPONSE_BYTES).await.ok()?;
    serde_json::from_slice(&bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mediagate_access::crypto::Secret;

    #[test]
    fn a_verdict_names_one_of_the_hosts_and_the_action() {
        let settings = |action: Option<&str>| TurnstileSettings {
            secret: Secret::new("secret"),
            url: String::new(),
            hostnames: vec!["www.example.com".into()],
            action: action.map(Into::into),
        };
        let any = settings(None);
        let session = settings(Some("session"));
        for (hostname, action, expected) in [
            (json!("www.example.com"), json!("session"), [true, true]),
            (json!("WWW.example.com"), json!("other"), [true, false]),
            (json!("www.example.com"), json!(null), [true, false]),
            (json!("example.com"), json!("session"), [false, false]),
            (json!(""), json!("session"), [false, false]),
            (json!(null), json!("session"), [false, false]),
        ] {
            let verdict = json!({"success": true, "hostname": hostname, "action": action});
            assert_eq!(
                [is_ours(&any, &verdict), is_ours(&session, &verdict)],
                expected,
                "{verdict}"
            );
        }
    }
}
