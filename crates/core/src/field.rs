//! One field of a request, as constant data.

/// What a referenced file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Media {
    /// A picture.
    Image,
    /// A video.
    Video,
    /// A sound.
    Audio,
    /// A PDF document.
    Pdf,
}

impl Media {
    /// The pattern of media types, as an HTML file input takes it.
    pub const fn accept(self) -> &'static str {
        match self {
            Media::Image => "image/*",
            Media::Video => "video/*",
            Media::Audio => "audio/*",
            Media::Pdf => "application/pdf",
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

/// The type of a field with the rule that its values obey.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A string.
    Text,
    /// The id of one uploaded file.
    File(Media),
    /// Ids of uploaded files.
    Files(Media),
    /// One id of an uploaded file, or a list of them; sent as a list.
    FileOrFiles(Media),
    /// The id of a reusable asset.
    Asset(AssetCategory),
    /// An int32, from the given least value on (-1, 0 or 1).
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
    /// What a value of this kind is, with its article, as an error message and the docs say it.
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

/// One field of a request. What only documents it (feature `docs`) is dropped where bytes are counted.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name on the wire.
    pub name: &'static str,
    /// Its type and rule.
    pub kind: Kind,
    /// Whether a request without it is refused.
    pub required: bool,
    /// What it means.
    #[cfg(feature = "docs")]
    pub doc: &'static str,
    /// The documented default, as JSON. Forms begin with it; the gateway never fills it in.
    #[cfg(feature = "docs")]
    pub default: Option<&'static str>,
    /// Values that the upstream document names. Others are accepted: it says "such as".
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

/// The parts that document. Without the feature they compile to nothing, and their texts are not in the binary.
#[cfg_attr(not(feature = "docs"), allow(unused_mut, unused_variables))]
impl Field {
    /// Says what the field means.
    pub const fn doc(mut self, doc: &'static str) -> Self {
        #[cfg(feature = "docs")]
        {
            self.doc = doc;
        }
        self
    }

    /// Names the documented default, as JSON.
    pub const fn default(mut self, json: &'static str) -> Self {
        #[cfg(feature = "docs")]
        {
            self.default = Some(json);
        }
        self
    }

    /// Names the documented values of an open list.
    pub const fn values(mut self, values: &'static [&'static str]) -> Self {
        #[cfg(feature = "docs")]
        {
            self.values = values;
        }
        self
    }

    /// Gives an example, as JSON, where the kind has no obvious one.
    pub const fn example(mut self, json: &'static str) -> Self {
        #[cfg(feature = "docs")]
        {
            self.sample = Some(json);
        }
        self
    }

    /// A valid value, as JSON: the given example, the default, or what the kind suggests.
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
