use std::fmt;

/// A key. It prints as `[secret]`. Only [`Secret::expose`] returns the string.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// Wraps a key.
    pub fn new(key: impl Into<String>) -> Self {
        Secret(key.into())
    }

    /// Returns the key itself, for the code that uses it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[secret]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_expose_shows_a_secret() {
        let secret = Secret::new("key-of-the-upstream");
        assert_eq!(secret.expose(), "key-of-the-upstream");
        assert_eq!(
            format!("{secret:?} {:?}", Some(&secret)),
            "[secret] Some([secret])"
        );
    }
}
