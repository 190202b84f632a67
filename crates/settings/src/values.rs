/// The way in which a page's bytes reach the storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UploadMode {
    /// The page PUTs to the upload URL itself.
    Direct,
    /// The page PUTs to the gateway, which streams the bytes on.
    Relay,
    /// The page PUTs to the operator's bucket, at a URL that the gateway signs. The upstream gets
    /// the URL of the file.
    Bucket,
}

impl UploadMode {
    pub(super) fn parse(text: &str) -> Result<Self, &'static str> {
        match text {
            "direct" => Ok(UploadMode::Direct),
            "relay" => Ok(UploadMode::Relay),
            "bucket" => Ok(UploadMode::Bucket),
            _ => Err("is neither direct nor relay nor bucket"),
        }
    }
}

/// The asset ids of the upstream that callers may use unsealed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PublicAssets {
    All,
    Listed(Vec<String>),
}

impl PublicAssets {
    pub fn contains(&self, id: &str) -> bool {
        match self {
            PublicAssets::All => true,
            PublicAssets::Listed(ids) => ids.iter().any(|listed| listed == id),
        }
    }
}
