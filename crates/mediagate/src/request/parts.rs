use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

/// A part of a video (§4.3 of the upstream document).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Segment {
    /// The start, `HH:MM:SS`, such as `00:00:00`.
    pub start_time: String,
    /// The end, `HH:MM:SS`, such as `00:00:05`.
    pub end_time: String,
}

impl Segment {
    /// Makes the part between two times, each `HH:MM:SS`.
    pub fn new(start_time: impl Into<String>, end_time: impl Into<String>) -> Self {
        Segment {
            start_time: start_time.into(),
            end_time: end_time.into(),
        }
    }
}

impl From<Segment> for Json {
    fn from(
        Segment {
            start_time,
            end_time,
        }: Segment,
    ) -> Json {
        json!({ "start_time": start_time, "end_time": end_time })
    }
}

/// A rectangle in pixels (§4.3). Each member is optional.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Region {
    /// The distance between the left sides of the rectangle and the picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub x: Option<i32>,
    /// The distance between the tops of the rectangle and the picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub y: Option<i32>,
    /// The width.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<i32>,
    /// The height.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<i32>,
}

impl Region {
    /// Makes the rectangle with its top left corner at `x` and `y`.
    pub fn new(x: i32, y: i32, width: i32, height: i32) -> Self {
        Region {
            x: Some(x),
            y: Some(y),
            width: Some(width),
            height: Some(height),
        }
    }
}

impl From<Region> for Json {
    fn from(region: Region) -> Json {
        json!(region)
    }
}

/// The size of a video in pixels (§4.3). The document declares an object and describes a list. The
/// gateway accepts both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum VideoSize {
    /// `[width, height]`.
    List([i64; 2]),
    /// `{width, height}`.
    Object {
        /// The width.
        width: i64,
        /// The height.
        height: i64,
    },
}

impl VideoSize {
    /// Makes a size as a list.
    pub fn new(width: i64, height: i64) -> Self {
        VideoSize::List([width, height])
    }
}

impl From<VideoSize> for Json {
    fn from(size: VideoSize) -> Json {
        json!(size)
    }
}
