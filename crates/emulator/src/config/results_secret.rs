use std::{fmt, str::FromStr};

use uuid::Uuid;

/// The secret that signs URLs of the bucket for results.
///
/// It has at least one character: [`FromStr`] rejects an empty string. Its `Debug` output does not
/// contain it.
#[derive(Clone)]
pub struct ResultsSecret(String);

impl ResultsSecret {
    pub(crate) fn random() -> Self {
        ResultsSecret(format!(
            "{}{}",
            Uuid::new_v4().simple(),
            Uuid::new_v4().simple()
        ))
    }

    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl FromStr for ResultsSecret {
    type Err = &'static str;

    fn from_str(secret: &str) -> Result<Self, Self::Err> {
        if secret.is_empty() {
            Err("the secret of the bucket is empty; give at least one character")
        } else {
            Ok(ResultsSecret(secret.into()))
        }
    }
}

impl fmt::Debug for ResultsSecret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ResultsSecret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_random_secret_is_long_and_never_printed() {
        let [one, other] = [ResultsSecret::random(), ResultsSecret::random()];
        assert_eq!(one.expose().len(), 64);
        assert_ne!(one.expose(), other.expose());
        assert!(!format!("{one:?}").contains(one.expose()));
        assert!("".parse::<ResultsSecret>().is_err());
    }
}
