/// The kind of file that a field takes.
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
    /// Returns the media types, in the syntax of an HTML file input's `accept`.
    pub const fn accept(self) -> &'static str {
        match self {
            FileKind::Image => "image/*",
            FileKind::Video => "video/*",
            FileKind::Audio => "audio/*",
            FileKind::Pdf => "application/pdf",
        }
    }

    /// Returns the name of the medium in requests and outputs.
    pub const fn name(self) -> &'static str {
        match self {
            FileKind::Image => "image",
            FileKind::Video => "video",
            FileKind::Audio => "audio",
            FileKind::Pdf => "pdf",
        }
    }

    /// Describes a file of this kind, with an article, for error messages.
    pub const fn described(self) -> &'static str {
        match self {
            FileKind::Image => "an image",
            FileKind::Video => "a video",
            FileKind::Audio => "a sound",
            FileKind::Pdf => "a PDF",
        }
    }

    /// Returns the kind with this name.
    pub fn named(name: &str) -> Option<FileKind> {
        let all = [
            FileKind::Image,
            FileKind::Video,
            FileKind::Audio,
            FileKind::Pdf,
        ];
        all.into_iter().find(|kind| kind.name() == name)
    }

    /// Returns true if a file of this media type may hold the medium. An unspecific type, such as
    /// `application/*`, passes.
    pub fn fits(self, media_type: &str) -> bool {
        let others: &[&str] = match self {
            // PDF has one media type, so a list of the types of other media would never end.
            FileKind::Pdf => {
                return matches!(
                    media_type,
                    "" | "application/pdf" | "application/octet-stream"
                );
            }
            FileKind::Image => &["video/", "audio/", "text/", "application/pdf"],
            FileKind::Video => &["image/", "audio/", "text/", "application/pdf"],
            // A file with the type of a video may hold only a sound.
            FileKind::Audio => &["image/", "text/", "application/pdf"],
        };
        !others.iter().any(|other| media_type.starts_with(other))
    }
}

/// The category of a reusable asset (§2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssetCategory {
    /// A face and body that talks.
    Avatar,
    /// A voice that reads a script.
    Voice,
}

/// The largest size of a file in bytes: the largest integer that every JSON parser keeps exact.
pub const MAX_SIZE: f64 = 9_007_199_254_740_991.0;

/// The type of a field, with the rule for its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A string. A field that is required has [`Kind::FilledText`] instead.
    Text,
    /// A string with more than white space (Unicode's `White_Space`).
    FilledText,
    /// One of several names, such as `16:9`. A blank one is doubtful.
    Choice,
    /// The id of one uploaded file.
    File(FileKind),
    /// Ids of uploaded files.
    Files(FileKind),
    /// One id of an uploaded file, or a list of them; sent as a list.
    FileOrFiles(FileKind),
    /// The id of a reusable asset.
    Asset(AssetCategory),
    /// A whole number: the document's `integer`.
    Integer,
    /// A whole number, doubtful if it is not positive: the size of a picture.
    PositiveInteger,
    /// A whole number from 1 to [`MAX_SIZE`]: the size of a file in bytes.
    Size,
    /// An int32.
    Int32,
    /// An int32, doubtful if it is not positive: a length, or the size of a region.
    PositiveInt32,
    /// A finite number.
    Number,
    /// `true` or `false`.
    Boolean,
    /// A list of strings.
    TextList,
    /// A time in a video: [`crate::grammar::time`].
    Time,
    /// A part of a video: `{start_time, end_time}`, each a [`Kind::Time`].
    Segment,
    /// Parts of a video: a list of [`Kind::Segment`].
    Segments,
    /// Pages of a document: a string with more than white space. [`crate::grammar::pages`] tells
    /// which ones are doubtful.
    PageRange,
    /// A volume: a string with more than white space. [`crate::grammar::volume`] tells which ones
    /// are doubtful.
    Volume,
    /// A rectangle in pixels, or a part of one: `{x, y, width, height}`, or members of the request
    /// such as `region.x`.
    Region,
    /// `[width, height]` in pixels, or an object.
    VideoSize,
}

static SEGMENT: [Field; 2] = [
    Field::new("start_time", Kind::Time).required(),
    Field::new("end_time", Kind::Time).required(),
];

static REGION: [Field; 4] = [
    Field::new("x", Kind::Int32),
    Field::new("y", Kind::Int32),
    Field::new("width", Kind::PositiveInt32),
    Field::new("height", Kind::PositiveInt32),
];

static VIDEO_SIZE: [Field; 2] = [
    Field::new("width", Kind::PositiveInteger),
    Field::new("height", Kind::PositiveInteger),
];

impl Kind {
    /// Describes a value of this kind, with an article, for error messages and docs.
    pub const fn expected(self) -> &'static str {
        match self {
            Kind::Text | Kind::Choice => "a string",
            Kind::FilledText => "a string that is not blank",
            Kind::File(_) => "the id of an uploaded file",
            Kind::Files(_) => "a list of ids of uploaded files",
            Kind::FileOrFiles(_) => "the id of an uploaded file, or a list of them",
            Kind::Asset(AssetCategory::Avatar) => "the id of an avatar asset",
            Kind::Asset(AssetCategory::Voice) => "the id of a voice asset",
            Kind::Integer | Kind::PositiveInteger | Kind::Int32 | Kind::PositiveInt32 => {
                "a whole number"
            }
            Kind::Size => "a whole number from 1",
            Kind::Number => "a finite number",
            Kind::Boolean => "true or false",
            Kind::TextList => "a list of strings",
            Kind::Time => "HH:MM:SS, such as 00:01:30",
            Kind::Segment => "an object with start_time and end_time",
            Kind::Segments => "a list of objects with start_time and end_time",
            Kind::PageRange => "pages, such as 1-3, 1,3,5 or 1-2,5",
            Kind::Volume => "a multiplier such as 0.5, or decibels such as -6dB",
            Kind::Region => "an object with x, y, width and height in pixels",
            Kind::VideoSize => "[width, height] in pixels, or an object with them",
        }
    }

    /// Like [`Kind::expected`], for a client: it also takes files that are not uploaded yet, their
    /// URLs, tasks and outputs instead of an id.
    pub const fn expected_with_files(self) -> &'static str {
        match self {
            Kind::File(_) => "a File, a Blob, a file id or { url }, or a task or an output",
            Kind::Files(_) => "a list of Files, Blobs, file ids or { url }, or of tasks or outputs",
            Kind::FileOrFiles(_) => {
                "a File, a Blob, a file id or { url }, or a task or an output, or a list of them"
            }
            Kind::Asset(AssetCategory::Avatar) => {
                "the id of an avatar asset, or a task that produced one"
            }
            Kind::Asset(AssetCategory::Voice) => {
                "the id of a voice asset, or a task that produced one"
            }
            other => other.expected(),
        }
    }

    /// Returns the kind of file that a field of this kind takes, if it takes any.
    pub const fn media(self) -> Option<FileKind> {
        match self {
            Kind::File(media) | Kind::Files(media) | Kind::FileOrFiles(media) => Some(media),
            _ => None,
        }
    }

    /// Returns true if values of this kind are ids of files or of an asset.
    pub const fn takes_id(self) -> bool {
        self.media().is_some() || matches!(self, Kind::Asset(_))
    }

    /// Returns the members of an object of this kind, or of each object in a list. Empty for any
    /// other kind.
    pub fn members(self) -> &'static [Field] {
        match self {
            Kind::Segment | Kind::Segments => &SEGMENT,
            Kind::Region => &REGION,
            Kind::VideoSize => &VIDEO_SIZE,
            _ => &[],
        }
    }
}

/// One field of a request. Its documentation needs the feature `docs`, which the wasm that a page
/// downloads does not have.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// The name on the wire.
    pub name: &'static str,
    /// The type and the rule for values.
    pub kind: Kind,
    /// True if a request without the field is invalid.
    pub required: bool,
    /// The meaning.
    #[cfg(feature = "docs")]
    pub doc: &'static str,
    /// The documented default, as JSON. Forms start with it; the gateway never fills it in.
    #[cfg(feature = "defaults")]
    pub default: Option<&'static str>,
    /// Values that the document lists after "such as". Other values are valid, too.
    #[cfg(feature = "docs")]
    pub values: &'static [&'static str],
    #[cfg(feature = "docs")]
    sample: Option<&'static str>,
}

impl Field {
    /// Creates an optional field.
    pub const fn new(name: &'static str, kind: Kind) -> Self {
        Field {
            name,
            kind,
            required: false,
            #[cfg(feature = "docs")]
            doc: "",
            #[cfg(feature = "defaults")]
            default: None,
            #[cfg(feature = "docs")]
            values: &[],
            #[cfg(feature = "docs")]
            sample: None,
        }
    }

    /// Makes the field required.
    pub const fn required(mut self) -> Self {
        self.required = true;
        self
    }
}

/// Documentation. Without the feature `docs` these methods do nothing, and their strings are not in
/// the binary.
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
        #[cfg(feature = "defaults")]
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

    /// Sets an example, as JSON, for a kind that has no obvious one.
    pub const fn example(mut self, json: &'static str) -> Self {
        #[cfg(feature = "docs")]
        {
            self.sample = Some(json);
        }
        self
    }

    /// Returns a valid value, as JSON: the example, else the default, else a value for the kind.
    #[cfg(feature = "docs")]
    pub const fn example_json(&self) -> &'static str {
        if let Some(sample) = self.sample {
            return sample;
        }
        if let Some(default) = self.default {
            return default;
        }
        match self.kind {
            Kind::Text | Kind::FilledText | Kind::Choice => "\"text\"",
            Kind::File(_) => "\"file_1\"",
            Kind::Files(_) | Kind::FileOrFiles(_) => "[\"file_1\"]",
            Kind::Asset(AssetCategory::Avatar) => "\"avatar_1\"",
            Kind::Asset(AssetCategory::Voice) => "\"voice_1\"",
            Kind::Integer
            | Kind::PositiveInteger
            | Kind::Int32
            | Kind::PositiveInt32
            | Kind::Size => "5",
            Kind::Number => "1.0",
            Kind::Boolean => "true",
            Kind::TextList => "[\"https://example.com\"]",
            Kind::Time => "\"00:00:05\"",
            Kind::Segment => "{\"start_time\":\"00:00:00\",\"end_time\":\"00:00:05\"}",
            Kind::Segments => "[{\"start_time\":\"00:00:00\",\"end_time\":\"00:00:05\"}]",
            Kind::PageRange => "\"1-2,5\"",
            Kind::Volume => "\"0.5\"",
            Kind::Region => "{\"x\":0,\"y\":0,\"width\":320,\"height\":80}",
            Kind::VideoSize => "[1280,720]",
        }
    }
}
