use std::{fmt, str::FromStr};

use subtle::ConstantTimeEq;

/// The API key that callers must send as a bearer token (§5).
///
/// It has at least one character: [`FromStr`] rejects an empty string. It is compared in constant
/// time, and its `Debug` output does not contain it.
#[derive(Clone)]
pub struct ApiKey(pub(super) String);

impl ApiKey {
    pub(crate) fn matches(&self, presented: &str) -> bool {
        self.0.as_bytes().ct_eq(presented.as_bytes()).into()
    }
}

impl FromStr for ApiKey {
    type Err = &'static str;

    fn from_str(key: &str) -> Result<Self, Self::Err> {
        if key.is_empty() {
            Err("the API key is empty; give at least one character")
        } else {
            Ok(ApiKey(key.into()))
        }
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ApiKey(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_output_does_not_contain_the_key() {
        let key: ApiKey = "sk-secret".parse().unwrap();
        assert!(!format!("{key:?}").contains("sk-secret"));
        assert!(key.matches("sk-secret") && !key.matches("sk-secreT") && !key.matches(""));
    }
}
