//! Values of fields that have parts.

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

/// A part of a video (§4.3 of the upstream document).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Segment {
    /// Its start, `HH:MM:SS`, such as `00:00:00`.
    pub start_time: String,
    /// Its end, `HH:MM:SS`, such as `00:00:05`.
    pub end_time: String,
}

impl Segment {
    /// The part from a time to another one, each `HH:MM:SS`.
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

/// A rectangle in pixels, from the top left corner (§4.3). Every part may be left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Region {
    /// The distance of its left side from that of the picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub x: Option<i32>,
    /// The distance of its top from that of the picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub y: Option<i32>,
    /// Its width, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<i32>,
    /// Its height, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<i32>,
}

impl Region {
    /// The rectangle with its top left corner at `x` and `y`.
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

/// The size of a video in pixels (§4.3). The document calls it an object and describes a list; the
/// gateway takes both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum VideoSize {
    /// `[width, height]`.
    List([i64; 2]),
    /// `{width, height}`.
    Object {
        /// Its width.
        width: i64,
        /// Its height.
        height: i64,
    },
}

impl VideoSize {
    /// A size of this width and height, as a list.
    pub fn new(width: i64, height: i64) -> Self {
        VideoSize::List([width, height])
    }
}

impl From<VideoSize> for Json {
    fn from(size: VideoSize) -> Json {
        json!(size)
    }
}
