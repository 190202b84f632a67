//! One field of a request, as constant data.

/// What kind of file a field takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A picture.
    Image,
    /// A video.
    Video,
    /// A sound.
    Audio,
    /// A PDF document.
    Pdf,
}

impl FileKind {
    /// The media types, in the syntax of an HTML file input's `accept`.
    pub const fn accept(self) -> &'static str {
        match self {
            FileKind::Image => "image/*",
            FileKind::Video => "video/*",
            FileKind::Audio => "audio/*",
            FileKind::Pdf => "application/pdf",
        }
    }
}

/// What a reusable asset is (§2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssetCategory {
    /// A face and body that talks.
    Avatar,
    /// A voice that reads a script.
    Voice,
}

/// The type of a field, with the rule for its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A string.
    Text,
    /// The id of one uploaded file.
    File(FileKind),
    /// Ids of uploaded files.
    Files(FileKind),
    /// One id of an uploaded file, or a list of them; sent as a list.
    FileOrFiles(FileKind),
    /// The id of a reusable asset.
    Asset(AssetCategory),
    /// An int32 with this minimum (-1, 0 or 1).
    Integer(i32),
    /// A finite number.
    Number,
    /// `true` or `false`.
    Boolean,
    /// A list of strings.
    TextList,
    /// Parts of a video: `[{start_time, end_time}]`, each [`crate::grammar::time`].
    Segments,
    /// Pages of a document: [`crate::grammar::pages`].
    PageRange,
    /// A volume: [`crate::grammar::volume`].
    Volume,
    /// A rectangle in pixels: `{x, y, width, height}`.
    Region,
    /// `[width, height]` in pixels.
    VideoSize,
}

impl Kind {
    /// A value of this kind in words, with an article, for error messages and docs.
    pub const fn expected(self) -> &'static str {
        match self {
            Kind::Text => "a string",
            Kind::File(_) => "the id of an uploaded file",
            Kind::Files(_) => "a list of ids of uploaded files",
            Kind::FileOrFiles(_) => "the id of an uploaded file, or a list of them",
            Kind::Asset(AssetCategory::Avatar) => "the id of an avatar asset",
            Kind::Asset(AssetCategory::Voice) => "the id of a voice asset",
            Kind::Integer(..=-1) => "a whole number from -1 to 2147483647",
            Kind::Integer(0) => "a whole number from 0 to 2147483647",
            Kind::Integer(_) => "a whole number from 1 to 2147483647",
            Kind::Number => "a finite number",
            Kind::Boolean => "true or false",
            Kind::TextList => "a list of strings",
            Kind::Segments => "a list of objects with start_time and end_time",
            Kind::PageRange => "pages from 1, such as 1-3, 1,3,5 or 1-2,5, each range ascending",
            Kind::Volume => "a multiplier such as 0.5, or decibels such as -6dB",
            Kind::Region => "an object with x, y, width and height in pixels",
            Kind::VideoSize => "[width, height] in pixels",
        }
    }
}

/// One field of a request. Its documentation needs the feature `docs` and is not in the wasm that a page downloads.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name on the wire.
    pub name: &'static str,
    /// Its type and its rule.
    pub kind: Kind,
    /// Whether a request without it is invalid.
    pub required: bool,
    /// Its meaning.
    #[cfg(feature = "docs")]
    pub doc: &'static str,
    /// The documented default, as JSON. Forms start with it; the gateway never fills it in.
    #[cfg(feature = "docs")]
    pub default: Option<&'static str>,
    /// Values that the document lists. Others are valid too: it says "such as".
    #[cfg(feature = "docs")]
    pub values: &'static [&'static str],
    #[cfg(feature = "docs")]
    sample: Option<&'static str>,
}

impl Field {
    /// An optional field.
    pub const fn new(name: &'static str, kind: Kind) -> Self {
        Field {
            name,
            kind,
            required: false,
            #[cfg(feature = "docs")]
            doc: "",
            #[cfg(feature = "docs")]
            default: None,
            #[cfg(feature = "docs")]
            values: &[],
            #[cfg(feature = "docs")]
            sample: None,
        }
    }

    /// The same field, required.
    pub const fn required(mut self) -> Self {
        self.required = true;
        self
    }
}

/// Documentation. Without the feature `docs` these methods do nothing, and their strings are not in the binary.
#[cfg_attr(not(feature = "docs"), allow(unused_mut, unused_variables))]
impl Field {
    /// Sets the field's meaning.
    pub const fn doc(mut self, doc: &'static str) -> Self {
        #[cfg(feature = "docs")]
        {
            self.doc = doc;
        }
        self
    }

    /// Sets the documented default, as JSON.
    pub const fn default(mut self, json: &'static str) -> Self {
        #[cfg(feature = "docs")]
        {
            self.default = Some(json);
        }
        self
    }

    /// Sets the documented values; others stay valid.
    pub const fn values(mut self, values: &'static [&'static str]) -> Self {
        #[cfg(feature = "docs")]
        {
            self.values = values;
        }
        self
    }

    /// Sets an example, as JSON, where the kind has no obvious one.
    pub const fn example(mut self, json: &'static str) -> Self {
        #[cfg(feature = "docs")]
        {
            self.sample = Some(json);
        }
        self
    }

    /// A valid value, as JSON: the example, else the default, else one that suits the kind.
    #[cfg(feature = "docs")]
    pub const fn example_json(&self) -> &'static str {
        if let Some(sample) = self.sample {
            return sample;
        }
        if let Some(default) = self.default {
            return default;
        }
        match self.kind {
            Kind::Text => "\"text\"",
            Kind::File(_) => "\"file_1\"",
            Kind::Files(_) | Kind::FileOrFiles(_) => "[\"file_1\"]",
            Kind::Asset(AssetCategory::Avatar) => "\"avatar_1\"",
            Kind::Asset(AssetCategory::Voice) => "\"voice_1\"",
            Kind::Integer(_) => "5",
            Kind::Number => "1.0",
            Kind::Boolean => "true",
            Kind::TextList => "[\"https://example.com\"]",
            Kind::Segments => "[{\"start_time\":\"00:00:00\",\"end_time\":\"00:00:05\"}]",
            Kind::PageRange => "\"1-2,5\"",
            Kind::Volume => "\"0.5\"",
            Kind::Region => "{\"x\":0,\"y\":0,\"width\":320,\"height\":80}",
            Kind::VideoSize => "[1280,720]",
        }
    }
}
