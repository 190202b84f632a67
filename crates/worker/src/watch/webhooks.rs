//! Telling the app's own backend that a task has ended, as Standard Webhooks says: signed, repeated until it is taken,
//! at least once, under one id.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use mediagate_core::schedule::jitter;
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use web_sys::{Headers, Request, RequestInit, RequestRedirect};

use crate::Secret;
use crate::http::deadline;
use crate::session::hash;
use crate::upstream::send;

/// Seconds before each attempt but the first, about a day in all.
const WAITS: [u32; 8] = [5, 300, 1_800, 7_200, 18_000, 18_000, 18_000, 18_000];
/// What a target answers that wants no more.
pub(super) const GONE: u16 = 410;

/// What is still to be delivered to one target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivery {
    /// Where to.
    pub url: String,
    /// How often it was tried.
    pub attempts: usize,
    /// When it is tried next, in milliseconds since 1970.
    pub due: i64,
}

impl Delivery {
    /// One that is due now.
    pub fn new(url: &str, now: i64) -> Self {
        Delivery { url: url.to_owned(), attempts: 0, due: now }
    }

    /// What is left after an attempt with this status; nothing where it was taken, is not wanted, or was tried for a day.
    /// `random` is from 0 to 1.
    pub fn after(self, status: Option<u16>, now: i64, random: f64) -> Option<Self> {
        if status.is_some_and(|it| (200..300).contains(&it) || it == GONE) {
            return None;
        }
        let wait = WAITS.get(self.attempts)?;
        let due = now + i64::from(jitter(wait * 1000, random));
        Some(Delivery { attempts: self.attempts + 1, due, ..self })
    }

    /// Tries once; the status, where there was an answer. Redirects are not followed, and the answer is not read.
    pub(super) async fn attempt(&self, secrets: &[Secret], message: &Message<'_>, now: i64) -> Option<u16> {
        let request = self.request(secrets, message, now / 1000)?;
        deadline(send(&request)).await?.map(|it| it.status())
    }

    fn request(&self, secrets: &[Secret], message: &Message<'_>, timestamp: i64) -> Option<Request> {
        let id = message.id(&self.url);
        let signatures: Vec<_> = secrets.iter().filter_map(|it| sign(it, &id, timestamp, message.payload)).collect();
        let headers = Headers::new().ok()?;
        headers.set("content-type", "application/json").ok()?;
        headers.set("webhook-id", &id).ok()?;
        headers.set("webhook-timestamp", &timestamp.to_string()).ok()?;
        headers.set("webhook-signature", &signatures.join(" ")).ok()?;
        let init = RequestInit::new();
        init.set_method("POST");
        init.set_redirect(RequestRedirect::Manual);
        init.set_headers(&headers);
        init.set_body(&message.payload.into());
        Request::new_with_str_and_init(&self.url, &init).ok()
    }
}

/// What is delivered.
pub(super) struct Message<'a> {
    /// What it is about: tenant, group and task.
    pub(super) about: [&'a str; 3],
    /// The body, to the byte.
    pub(super) payload: &'a str,
}

impl Message<'_> {
    /// The same for every attempt, so that a receiver can tell a repetition.
    fn id(&self, url: &str) -> String {
        let [tenant, group, task] = self.about;
        let name = hash(&["webhook", tenant, group, task, url]);
        ["msg_", name.get(..32).unwrap_or(&name)].concat()
    }
}

/// One signature: `v1,` and the base64 of HMAC-SHA256 over id, timestamp and payload. `None` for a secret that is none.
fn sign(secret: &Secret, id: &str, timestamp: i64, payload: &str) -> Option<String> {
    let key = key(secret)?;
    let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(&key).ok()?;
    mac.update(format!("{id}.{timestamp}.{payload}").as_bytes());
    Some(["v1,", &STANDARD.encode(mac.finalize().into_bytes())].concat())
}

/// The bytes of a secret, which is written as `whsec_` and 24 to 64 bytes in base64.
pub(crate) fn key(secret: &Secret) -> Option<Vec<u8>> {
    let key = STANDARD.decode(secret.expose().strip_prefix("whsec_")?).ok()?;
    (24..=64).contains(&key.len()).then_some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_tried_for_about_a_day_and_then_no_more() {
        let mut delivery = Some(Delivery::new("https://a.example", 0));
        let (mut now, mut attempts) = (0, 0);
        while let Some(it) = delivery {
            now = it.due;
            attempts += 1;
            delivery = it.after(Some(500), now, 0.5);
        }
        assert_eq!(attempts, 9);
        assert!((20 * 3_600_000..30 * 3_600_000).contains(&now), "{now}");
    }

    #[test]
    fn what_was_taken_or_is_not_wanted_is_not_repeated() {
        let delivery = || Delivery::new("https://a.example", 0);
        for status in [200, 204, 299, 410] {
            assert_eq!(delivery().after(Some(status), 0, 0.5), None);
        }
        for status in [None, Some(199), Some(302), Some(404), Some(429), Some(503)] {
            assert_eq!(delivery().after(status, 0, 0.5).map(|it| it.attempts), Some(1), "{status:?}");
        }
    }

    #[test]
    fn secrets_have_one_form() {
        let secret = |it: &str| key(&Secret::new(it.to_owned())).map(|it| it.len());
        assert_eq!(secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"), Some(24));
        for wrong in ["MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_", "whsec_MfKQ", "whsec_!!"] {
            assert_eq!(secret(wrong), None, "{wrong}");
        }
    }
}
