use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// A signing key: `whsec_` and 24 to 64 bytes in base64. It prints as `[secret]`.
#[derive(Clone)]
pub struct WebhookKey(Vec<u8>);

impl WebhookKey {
    /// Reads a key. Returns `None` for any other form.
    pub fn parse(text: &str) -> Option<Self> {
        let key = STANDARD.decode(text.strip_prefix("whsec_")?).ok()?;
        (24..=64).contains(&key.len()).then_some(WebhookKey(key))
    }

    /// Signs a message. The signature is `v1,` and the base64 of HMAC-SHA256 over id, timestamp and
    /// payload. `timestamp` is in seconds since 1970.
    pub fn sign(&self, id: &str, timestamp: i64, payload: &str) -> Option<String> {
        let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(&self.0).ok()?;
        mac.update(format!("{id}.{timestamp}.{payload}").as_bytes());
        Some(["v1,", &STANDARD.encode(mac.finalize().into_bytes())].concat())
    }
}

impl fmt::Debug for WebhookKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[secret]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_one_form() {
        let length = |text: &str| WebhookKey::parse(text).map(|key| key.0.len());
        assert_eq!(length("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"), Some(24));
        for wrong in [
            "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            "whsec_",
            "whsec_MfKQ",
            "whsec_!!",
        ] {
            assert_eq!(length(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_key_has_24_to_64_bytes_and_is_not_printed() {
        let of = |length: usize| {
            WebhookKey::parse(&format!("whsec_{}", STANDARD.encode(vec![7; length])))
        };
        assert_eq!(
            [23, 24, 64, 65].map(|length| of(length).is_some()),
            [false, true, true, false]
        );
        assert_eq!(format!("{:?}", of(24)), "Some([secret])");
    }

    #[test]
    fn a_signature_is_that_of_standard_webhooks() {
        // The example in the tests of the libraries of Standard Webhooks.
        let key = WebhookKey::parse("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").expect("a key");
        let signature = key.sign(
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            1_614_265_330,
            r#"{"test": 2432232314}"#,
        );
        assert_eq!(
            signature.as_deref(),
            Some("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
        );
    }
}
