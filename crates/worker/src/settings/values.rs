//! Settings that are neither numbers nor strings.

/// How a page's bytes reach the storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UploadMode {
    /// The page PUTs to the upload URL itself.
    Direct,
    /// The page PUTs to the gateway, which streams the bytes on.
    Relay,
}

/// Which of the upstream's asset ids callers may use as they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PublicAssets {
    /// Every one.
    All,
    /// These.
    Listed(Vec<String>),
}

impl PublicAssets {
    /// Whether any caller may use this id.
    pub fn contains(&self, id: &str) -> bool {
        match self {
            PublicAssets::All => true,
            PublicAssets::Listed(ids) => ids.iter().any(|it| it == id),
        }
    }
}
