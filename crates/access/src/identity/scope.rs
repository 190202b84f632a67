use mediagate_core::{Capability, scope};

/// The claim `scope`: space-separated names of capabilities and groups, such as
/// `upload image_to_video process:*`. Unknown words allow nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope(String);

impl Scope {
    /// The scope of every capability, and of uploads.
    pub const ALL: &'static str = "generate:* process:* upload";

    /// Takes a claim's text.
    pub fn new(text: impl Into<String>) -> Self {
        Scope(text.into())
    }

    /// Returns true if the scope names a capability or its group.
    pub fn allows(&self, capability: &Capability) -> bool {
        let group = scope::of_group(capability.group());
        self.words()
            .any(|word| word == capability.name() || word == group)
    }

    /// Returns true if the scope allows uploads.
    pub fn allows_upload(&self) -> bool {
        self.words().any(|word| word == scope::UPLOAD)
    }

    /// Returns true for the scope of a configured agent.
    pub fn is_agent(&self) -> bool {
        self.words().any(|word| word == scope::AGENT)
    }

    /// The words that the gateway knows.
    pub fn known(&self) -> Vec<&str> {
        let mut known: Vec<&str> = self
            .words()
            .filter(|word| scope::words().any(|known| known == *word))
            .collect();
        known.sort_unstable();
        known.dedup();
        known
    }

    /// Returns true if a word allows capabilities or uploads. `mcp` does not.
    pub fn is_word(word: &str) -> bool {
        word != scope::AGENT && scope::words().any(|known| known == word)
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
        for (text, allows_upload, is_agent) in [
            (Scope::ALL, true, false),
            ("mcp generate:*", false, true),
            (" upload\tmcp ", true, true),
            ("generate:* process:*", false, false),
            ("uploads mcp:* Upload MCP", false, false),
            ("", false, false),
        ] {
            let scope = Scope::new(text);
            assert_eq!(
                (scope.allows_upload(), scope.is_agent()),
                (allows_upload, is_agent),
                "{text:?}"
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
