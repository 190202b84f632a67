//! What a token allows.

use mediagate_core::{CAPABILITIES, Capability};

/// The claim `scope`: space-separated names of capabilities and groups, such as `upload image_to_video process:*`.
/// Unknown words allow nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope(String);

impl Scope {
    /// The word that allows uploads.
    pub const UPLOAD: &'static str = "upload";
    /// The word in the token of a configured agent: such a token may live longer, and is valid at `/mcp` alone.
    pub const AGENT: &'static str = "mcp";
    /// Every capability, and uploads.
    pub const ALL: &'static str = "generate:* process:* upload";

    /// A scope, from the text of the claim.
    pub fn new(text: impl Into<String>) -> Self {
        Scope(text.into())
    }

    /// Whether it allows a capability, by its name or by its group.
    pub fn allows(&self, capability: &Capability) -> bool {
        let group = capability.group().name();
        self.words()
            .any(|it| it == capability.name() || it.strip_suffix(":*") == Some(group))
    }

    /// Whether it allows to upload files.
    pub fn allows_upload(&self) -> bool {
        self.words().any(|it| it == Scope::UPLOAD)
    }

    /// Whether it is a configured agent's.
    pub fn is_agent(&self) -> bool {
        self.words().any(|it| it == Scope::AGENT)
    }

    /// Its known words, each once, in order.
    pub(crate) fn known(&self) -> Vec<&str> {
        let mut known: Vec<&str> = self
            .words()
            .filter(|it| *it == Scope::AGENT || Scope::is_word(it))
            .collect();
        known.sort_unstable();
        known.dedup();
        known
    }

    /// Whether a word allows something, `mcp` aside.
    pub(crate) fn is_word(word: &str) -> bool {
        matches!(word, Scope::UPLOAD | "generate:*" | "process:*")
            || CAPABILITIES.iter().any(|it| it.name() == word)
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
        for scope in [
            "",
            "*",
            "process:*",
            "image_to_video:*",
            "Generate:*",
            "image_to",
            "generate:",
            "generate",
        ] {
            assert!(!allows(scope, "image_to_video"), "{scope}");
        }
    }

    #[test]
    fn uploads_and_agents_have_words_of_their_own() {
        for (scope, allows_upload, is_agent) in [
            (Scope::ALL, true, false),
            ("mcp generate:*", false, true),
            (" upload\tmcp ", true, true),
            ("generate:* process:*", false, false),
            ("uploads mcp:* Upload MCP", false, false),
            ("", false, false),
        ] {
            let it = Scope::new(scope);
            assert_eq!(
                (it.allows_upload(), it.is_agent()),
                (allows_upload, is_agent),
                "{scope:?}"
            );
        }
    }

    #[test]
    fn unknown_words_are_left_out() {
        let scope = Scope::new(
            "upload mcp openid \"x\" upload process:* é Generate:* image_to_video image_to_videos",
        );
        assert_eq!(
            scope.known(),
            ["image_to_video", "mcp", "process:*", "upload"]
        );
    }
}
