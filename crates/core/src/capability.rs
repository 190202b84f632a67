use crate::code::Code;
use crate::field::{Field, Kind};
use crate::text::after_last;

/// The start of every upstream path (§9).
pub const PREFIX: &str = "/api/app/v1/";

/// The two groups of capabilities; each has its own task status path (§4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde_json",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "lowercase")
)]
pub enum Group {
    /// New media from prompts and references (§4.2).
    Generate,
    /// Existing media, changed (§4.3).
    Process,
}

impl Group {
    /// Both groups.
    pub const ALL: [Group; 2] = [Group::Generate, Group::Process];

    /// Returns the group with this name, which is case-sensitive.
    pub fn named(name: &str) -> Option<Group> {
        Group::ALL.into_iter().find(|group| group.name() == name)
    }

    /// Returns the group's name: the first segment of its paths, and the first part of its scopes.
    pub const fn name(self) -> &'static str {
        match self {
            Group::Generate => "generate",
            Group::Process => "process",
        }
    }
}

/// The fields that the body of every create accepts (§4).
pub(crate) static COMMON: &[Field] = &[
    Field::new("model_id", Kind::Text)
        .doc("The model to use; left out, the media service uses its default."),
    Field::new("title", Kind::Text).doc("A title for the task."),
];

/// The sentence that marks an extension in generated documentation.
#[cfg(feature = "docs")]
pub const EXTENSION_NOTE: &str = "An extension: the document of the media service does not have \
    it, and a gateway offers it only if its setting CAPABILITIES names it.";

/// One capability: its path, its fields and the responses that it allows.
#[derive(Debug)]
pub struct Capability {
    /// The path after [`PREFIX`], such as `generate/video/image_to_video`.
    pub path: &'static str,
    /// Its own fields, in the document's order; [`Capability::fields`] adds the common ones.
    pub own_fields: &'static [Field],
    /// Names of fields. At least one of these must be present and not an empty list.
    pub any_of: &'static [&'static str],
    /// True if a response with code 0 may have no task, because the document shows no response
    /// (§4.2).
    pub may_omit_task: bool,
    /// True if the upstream document does not have the capability. Many services offer it, so it
    /// has the document's fields and rules. A service that keeps to the document rejects its path.
    pub is_extension: bool,
    /// A short heading.
    #[cfg(feature = "docs")]
    pub title: &'static str,
    /// A description in one or two sentences.
    #[cfg(feature = "docs")]
    pub summary: &'static str,
    /// Everyday search words that neither the title nor the summary contains.
    #[cfg(feature = "docs")]
    pub keywords: &'static [&'static str],
    /// The value of `model_id` that the document names.
    #[cfg(feature = "defaults")]
    pub documented_model: Option<&'static str>,
    /// The default of `model_id`, if the document names one.
    #[cfg(feature = "defaults")]
    pub default_model: Option<&'static str>,
    /// The codes that the document lists (§7); empty if it lists none.
    #[cfg(feature = "docs")]
    pub codes: &'static [Code],
}

impl Capability {
    /// Creates a capability at a path, with its own fields.
    pub const fn new(path: &'static str, own_fields: &'static [Field]) -> Self {
        Capability {
            path,
            own_fields,
            any_of: &[],
            may_omit_task: false,
            is_extension: false,
            #[cfg(feature = "docs")]
            title: "",
            #[cfg(feature = "docs")]
            summary: "",
            #[cfg(feature = "docs")]
            keywords: &[],
            #[cfg(feature = "defaults")]
            documented_model: None,
            #[cfg(feature = "defaults")]
            default_model: None,
            #[cfg(feature = "docs")]
            codes: &[],
        }
    }

    /// Requires at least one of these fields.
    pub const fn any_of(mut self, names: &'static [&'static str]) -> Self {
        self.any_of = names;
        self
    }

    /// Allows a response with code 0 and no task.
    pub const fn may_omit_task(mut self) -> Self {
        self.may_omit_task = true;
        self
    }

    /// Marks a capability that the upstream document does not have.
    pub const fn extension(mut self) -> Self {
        self.is_extension = true;
        self
    }

    /// Returns the name, such as `image_to_video`: the path's last segment.
    pub fn name(&self) -> &'static str {
        after_last(self.path, b'/').unwrap_or(self.path)
    }

    /// Returns the group: the path's first segment.
    pub fn group(&self) -> Group {
        if self.path.starts_with("generate/") {
            Group::Generate
        } else {
            Group::Process
        }
    }

    /// Returns the medium: the path's second segment (`video`, `image`, `audio` or `asset`).
    pub fn medium(&self) -> &'static str {
        self.path.split('/').nth(1).unwrap_or_default()
    }

    /// Returns all fields, with the common ones last.
    pub fn fields(&self) -> impl Iterator<Item = &'static Field> {
        self.own_fields.iter().chain(COMMON)
    }

    /// Returns the field with this name.
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields().find(|field| field.name == name)
    }
}

/// Documentation. Without the feature `docs` these methods do nothing.
#[cfg_attr(not(feature = "docs"), allow(unused_mut, unused_variables))]
impl Capability {
    /// Sets the heading and the summary.
    pub const fn doc(mut self, title: &'static str, summary: &'static str) -> Self {
        #[cfg(feature = "docs")]
        {
            self.title = title;
            self.summary = summary;
        }
        self
    }

    /// Sets the words that a person may search for.
    pub const fn keywords(mut self, words: &'static [&'static str]) -> Self {
        #[cfg(feature = "docs")]
        {
            self.keywords = words;
        }
        self
    }

    /// Sets a value of `model_id` that the document names without calling it the default.
    pub const fn documented_model(mut self, id: &'static str) -> Self {
        #[cfg(feature = "defaults")]
        {
            self.documented_model = Some(id);
        }
        self
    }

    /// Sets the documented default of `model_id`.
    pub const fn default_model(mut self, id: &'static str) -> Self {
        #[cfg(feature = "defaults")]
        {
            self.default_model = Some(id);
        }
        self.documented_model(id)
    }

    /// Sets the documented codes.
    pub const fn codes(mut self, codes: &'static [Code]) -> Self {
        #[cfg(feature = "docs")]
        {
            self.codes = codes;
        }
        self
    }
}
