//! Keeps the key out of whatever the service says, also where the service repeats it.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use serde_json::{Map, Value};

use crate::Secret;

/// What stands where the key stood.
const MARK: &str = "[redacted]";

/// Finds a key in text: raw, percent-encoded, in hex, and in base64 at any alignment.
pub(crate) struct Redactor {
    raw: String,
    /// Forms to find with letters' case ignored.
    hex: String,
    base64: Vec<String>,
}

impl Redactor {
    /// A redactor of this key.
    pub(crate) fn new(key: &Secret) -> Self {
        let key = key.expose();
        Redactor {
            raw: key.to_owned(),
            hex: key.bytes().map(|it| format!("{it:02x}")).collect(),
            base64: base64_forms(key.as_bytes()),
        }
    }

    /// Replaces the key in every string and every member's name, at any depth.
    pub(crate) fn clean(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                if let Some(clean) = self.cleaned(text) {
                    *text = clean;
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|it| self.clean(it)),
            Value::Object(members) => {
                members.values_mut().for_each(|it| self.clean(it));
                if members.keys().any(|it| self.cleaned(it).is_some()) {
                    let renamed = std::mem::take(members).into_iter();
                    *members =
                        renamed.map(|(name, it)| (self.cleaned(&name).unwrap_or(name), it)).collect::<Map<_, _>>();
                }
            }
            // A number that spells the key is as bad as a string that does.
            Value::Number(number) if self.cleaned(&number.to_string()).is_some() => *value = Value::String(MARK.into()),
            _ => {}
        }
    }

    /// The text without the key, where the key is in it.
    pub(crate) fn cleaned(&self, text: &str) -> Option<String> {
        if text.contains(&self.raw) {
            let replaced = text.replace(&self.raw, MARK);
            return Some(self.cleaned(&replaced).unwrap_or(replaced));
        }
        let lower = text.to_ascii_lowercase();
        let encoded = lower.contains(&self.hex)
            || self.base64.iter().any(|it| text.contains(it))
            || (text.contains('%') && percent_decoded(text).contains(&self.raw));
        // An encoded key has no edges that could be told, so the whole text goes.
        encoded.then(|| MARK.to_owned())
    }
}

/// What base64 of any text around the key must contain, for each of the three ways the key can fall on its groups. The
/// characters that share bits with a neighbour are left out.
fn base64_forms(key: &[u8]) -> Vec<String> {
    let mut forms = Vec::new();
    for shift in 0..3 {
        let mut bytes = vec![0; shift];
        bytes.extend_from_slice(key);
        let first = [0, 2, 3][shift];
        let last = bytes.len() * 8 / 6;
        for engine in [&STANDARD_NO_PAD, &URL_SAFE_NO_PAD] {
            forms.extend(engine.encode(&bytes).get(first..last).map(str::to_owned));
        }
    }
    forms
}

fn percent_decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let code =
            (*byte == b'%').then(|| text.get(at + 1..at + 3)).flatten().and_then(|it| u8::from_str_radix(it, 16).ok());
        decoded.push(code.unwrap_or(*byte));
        at += if code.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const KEY: &str = "sk-Canary_0123456789/+x";

    fn hidden(text: String) -> bool {
        let mut value = json!({"message": text.clone(), "nested": [{text: 1}]});
        Redactor::new(&Secret::new(KEY)).clean(&mut value);
        let printed = value.to_string();
        printed.matches(MARK).count() >= 2 && !printed.contains(KEY)
    }

    #[test]
    fn every_form_of_the_key_is_found() {
        assert!(hidden(format!("Bearer {KEY} is wrong")));
        assert!(hidden(format!("{KEY}{KEY}")));
        let hex: String = KEY.bytes().map(|it| format!("{it:02X}")).collect();
        assert!(hidden(format!("0x{hex}!")));
        assert!(hidden(KEY.bytes().map(|it| format!("%{it:02x}")).collect()));
        assert!(hidden(KEY.replace('/', "%2F").replace('+', "%2b")));
        for before in ["", "a", "ab", "abc", "Bearer "] {
            for after in ["", "z", "zz", "zzz"] {
                let text = format!("{before}{KEY}{after}");
                assert!(hidden(STANDARD_NO_PAD.encode(&text)), "{text}");
                assert!(hidden(URL_SAFE_NO_PAD.encode(&text)), "{text}");
            }
        }
    }

    #[test]
    fn everything_else_stays() {
        let value = json!({"a": "100%", "b": "%zz%4", "c": "sk-", "é": ["ü%", 5, null, true]});
        let mut cleaned = value.clone();
        Redactor::new(&Secret::new(KEY)).clean(&mut cleaned);
        assert_eq!(value, cleaned);
    }
}
