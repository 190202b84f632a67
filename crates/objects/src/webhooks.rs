//! Notifies the app's backend of the end of a task or a pipeline, as Standard Webhooks defines it.
//! A message is signed, and has the same id in every attempt. It is sent at least once, and again
//! until it is accepted.

use std::time::Duration;

use mediagate_access::crypto::{WebhookKey, hash};
use mediagate_core::schedule::jitter;
use mediagate_platform::http::{post_json, send_within};
use mediagate_platform::{date, log, timestamp_ms};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use web_sys::Request;

/// The seconds before each retry, about a day in all.
const RETRY_SECONDS: [u32; 8] = [5, 300, 1_800, 7_200, 18_000, 18_000, 18_000, 18_000];
const GONE: u16 = 410;
/// The time that a receiver has for its response, as Standard Webhooks recommends.
const DEADLINE: Duration = Duration::from_secs(15);

/// A pending delivery to one target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivery {
    pub url: String,
    pub attempts: usize,
    /// The time of the next attempt, in milliseconds since 1970.
    pub due: i64,
}

const USER_AGENT: &str = "Mediagate-Webhook/1";

impl Delivery {
    /// Returns a delivery that is due now. `now` is in milliseconds since 1970.
    pub fn new(url: &str, now: i64) -> Self {
        Delivery {
            url: url.to_owned(),
            attempts: 0,
            due: now,
        }
    }

    /// Returns the next delivery after an attempt with this HTTP status, which is `None` if there
    /// was no response. Returns `None` if the message was accepted, is not wanted, or has been
    /// retried for a day. `now` is in milliseconds since 1970, `random` from 0 to 1.
    pub fn after(self, status: Option<u16>, now: i64, random: f64) -> Option<Self> {
        if status.is_some_and(|status| (200..300).contains(&status) || status == GONE) {
            return None;
        }
        let wait = RETRY_SECONDS.get(self.attempts)?;
        let due = now + i64::from(jitter(wait * 1000, random));
        Some(Delivery {
            attempts: self.attempts + 1,
            due,
            ..self
        })
    }

    pub fn due(all: &[Self], now: i64) -> Vec<Self> {
        let due = all.iter().filter(|delivery| delivery.due <= now);
        due.cloned().collect()
    }

    /// Replaces an attempted delivery. `next` is the next attempt, if there is one.
    pub fn record(all: &mut Vec<Self>, attempted: &Self, next: Option<Self>) {
        let Some(index) = all.iter().position(|delivery| delivery == attempted) else {
            return;
        };
        all.remove(index);
        all.extend(next);
    }

    /// Attempts the delivery, if the settings still list the target in `targets`. Returns the next
    /// attempt, if there is one. Redirects are not followed, since the settings do not list their
    /// targets.
    pub(crate) async fn attempt_to(
        &self,
        targets: &[String],
        keys: &[WebhookKey],
        message: &Message<'_>,
    ) -> Option<Self> {
        if !targets.contains(&self.url) {
            return None;
        }
        let response = match self.request(keys, message, timestamp_ms() / 1000) {
            Some(request) => send_within(DEADLINE, &request, None).await.flatten(),
            None => None,
        };
        let status = response.map(|response| {
            // Nobody reads the body, which may be endless.
            let _ = response.body().map(|body| body.cancel());
            response.status()
        });
        let now = timestamp_ms();
        let next = self.clone().after(status, now, js_sys::Math::random());
        if !status.is_some_and(|status| (200..300).contains(&status)) {
            let line = json!({
                "attempt": self.attempts + 1,
                "next": next.as_ref().map(|next| date(next.due as f64)),
                "operation": "webhook",
                "status": status,
                "time": date(now as f64),
            });
            log(&line.to_string());
        }
        next
    }

    fn request(
        &self,
        keys: &[WebhookKey],
        message: &Message<'_>,
        timestamp: i64,
    ) -> Option<Request> {
        let id = message.id(&self.url);
        // While keys change, a receiver may have only one of them.
        let signatures = keys
            .iter()
            .filter_map(|key| key.sign(&id, timestamp, message.payload));
        let headers = [
            ("user-agent", USER_AGENT),
            ("webhook-id", &id),
            ("webhook-timestamp", &timestamp.to_string()),
            (
                "webhook-signature",
                &signatures.collect::<Vec<_>>().join(" "),
            ),
        ];
        post_json(&self.url, &headers, message.payload).ok()
    }
}

/// Returns the body of a webhook: `{type, timestamp, data}`. `ended_at` is in milliseconds since
/// 1970.
pub fn payload(kind: &str, ended_at: i64, data: &Value) -> String {
    json!({"type": kind, "timestamp": date(ended_at as f64), "data": data}).to_string()
}

pub struct Message<'a> {
    /// The task or pipeline that ended: tenant, group or kind, and id.
    pub about: [&'a str; 3],
    /// The body, byte for byte.
    pub payload: &'a str,
}

impl Message<'_> {
    /// Returns the id of the message to a target. Every attempt has this id, so that a receiver
    /// recognises a repetition.
    fn id(&self, url: &str) -> String {
        let [tenant, group, task] = self.about;
        let name = hash(&["webhook", tenant, group, task, url]);
        ["msg_", name.get(..32).unwrap_or(&name)].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_accepted_or_unwanted_delivery_is_not_repeated() {
        let delivery = || Delivery::new("https://a.example", 0);
        for status in [200, 204, 299, 410] {
            assert_eq!(delivery().after(Some(status), 0, 0.5), None);
        }
        for status in [None, Some(199), Some(302), Some(404), Some(429), Some(503)] {
            let after = delivery().after(status, 0, 0.5);
            assert_eq!(
                after.map(|delivery| delivery.attempts),
                Some(1),
                "{status:?}"
            );
        }
    }

    #[test]
    fn a_retry_is_due_after_its_wait() {
        let mut delivery = Delivery::new("https://a.example", 7);
        assert_eq!((delivery.attempts, delivery.due), (0, 7));
        for (attempt, seconds) in RETRY_SECONDS.into_iter().enumerate() {
            let now = 1_000_000;
            delivery = delivery.after(None, now, 0.5).expect("a retry");
            let due = now + i64::from(seconds) * 1000;
            assert_eq!((delivery.attempts, delivery.due), (attempt + 1, due));
        }
        assert_eq!(delivery.after(None, 0, 0.5), None);
    }

    #[test]
    fn a_message_has_one_id_for_each_task_and_target() {
        let id = |about: [&str; 3], url: &str| {
            let payload = "{}";
            Message { about, payload }.id(url)
        };
        let [one, other] = ["https://a.example", "https://b.example"];
        let task = ["tenant", "generate", "task"];
        let first = id(task, one);
        assert_eq!((&first[..4], first.len()), ("msg_", 36));
        assert_eq!(id(task, one), first);
        for (about, url) in [
            (["other", "generate", "task"], one),
            (["tenant", "process", "task"], one),
            (["tenant", "generate", "other"], one),
            (task, other),
        ] {
            assert_ne!(id(about, url), first);
        }
    }
}
