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

/// A rectangle in pixels, from the top left corner (§4.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Region {
    /// The distance of its left side from that of the picture.
    pub x: i32,
    /// The distance of its top from that of the picture.
    pub y: i32,
    /// Its width, from 1.
    pub width: i32,
    /// Its height, from 1.
    pub height: i32,
}

impl Region {
    /// The rectangle with its top left corner at `x` and `y`.
    pub fn new(x: i32, y: i32, width: i32, height: i32) -> Self {
        Region {
            x,
            y,
            width,
            height,
        }
    }
}

impl From<Region> for Json {
    fn from(
        Region {
            x,
            y,
            width,
            height,
        }: Region,
    ) -> Json {
        json!({ "x": x, "y": y, "width": width, "height": height })
    }
}

/// The size of a video in pixels (§4.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct VideoSize {
    /// Its width.
    pub width: u32,
    /// Its height.
    pub height: u32,
}

impl VideoSize {
    /// A size of this width and height.
    pub fn new(width: u32, height: u32) -> Self {
        VideoSize { width, height }
    }
}

impl From<VideoSize> for Json {
    fn from(VideoSize { width, height }: VideoSize) -> Json {
        json!([width, height])
    }
}
