use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// The account's plans, lowest first. A higher plan may use every model of a lower one (§4.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Plan {
    /// A plan below `Starter`.
    Free,
    /// The lowest plan that may use the default model of image_to_video (§4.2).
    Starter,
    /// A plan above `Starter`.
    Pro,
}

/// The form of text_to_image's response, whose fields the document does not show (§4.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextToImage {
    /// A task in the envelope, as for every other capability.
    Task,
    /// The picture in the envelope, without a task.
    Data,
    /// The picture as base64 in the envelope, without a task.
    Inline,
    /// The picture in a bare object, without a task or an envelope.
    Bare,
    /// HTTP 200 with an empty body.
    Empty,
}

/// The kind of results that tasks yield.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Results {
    /// Processed and drawn media.
    #[default]
    Drawn,
    /// A small constant file of the right kind, at once. No input is decoded or measured, and no
    /// ffmpeg runs.
    Placeholder,
}
