//! What a token allows.

use mediagate_core::Capability;

/// Space-separated capability names and groups; empty or unknown words allow nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope(String);

impl Scope {
    /// The word that allows uploads.
    pub const UPLOAD: &'static str = "upload";
    /// The word that a token has which an agent is configured with: it may live longer, for [`crate::mcp`] alone.
    pub const AGENT: &'static str = "mcp";
    /// Everything there is.
    pub const ALL: &'static str = "generate:* process:* upload";

    /// Takes the text of a token's `scope`.
    pub fn new(text: impl Into<String>) -> Self {
        Scope(text.into())
    }

    /// Whether it allows a capability, by its name or by its group.
    pub fn allows(&self, capability: &Capability) -> bool {
        let group = capability.group().name();
        self.words().any(|it| it == capability.name() || it.strip_suffix(":*") == Some(group))
    }

    /// Whether it allows to upload files.
    pub fn allows_upload(&self) -> bool {
        self.words().any(|it| it == Scope::UPLOAD)
    }

    /// Whether it is one that an agent is configured with.
    pub fn is_agent(&self) -> bool {
        self.words().any(|it| it == Scope::AGENT)
    }

    fn words(&self) -> impl Iterator<Item = &str> {
        self.0.split_ascii_whitespace()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mediagate_core::find;

    #[test]
    fn words_are_names_or_groups() {
        let allows = |scope: &str, name: &str| Scope::new(scope).allows(find(name).expect(name));
        assert!(allows("upload image_to_video", "image_to_video"));
        assert!(allows("generate:*", "mv_director") && allows(Scope::ALL, "split_pdf"));
        for scope in ["", "*", "process:*", "image_to_video:*", "Generate:*", "image_to", "generate:", "generate"] {
            assert!(!allows(scope, "image_to_video"), "{scope}");
        }
        assert!(!Scope::new("generate:* process:*").allows_upload());
    }
}
