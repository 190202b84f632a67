//! What a file contains, by its first bytes.

use std::path::Path;

use mediagate_core::Media;

/// What the first bytes of a file show it to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Content {
    /// The kind of media; `None` for anything else.
    pub(crate) media: Option<Media>,
    /// The file extension that goes with it, without a dot.
    pub(crate) extension: &'static str,
    /// The media type, such as `image/png`.
    pub(crate) mime: &'static str,
}

impl Content {
    pub(crate) const PDF: Content = Content::of(Media::Pdf, "pdf", "application/pdf");
    pub(crate) const PNG: Content = Content::of(Media::Image, "png", "image/png");
    pub(crate) const MP4: Content = Content::of(Media::Video, "mp4", "video/mp4");
    pub(crate) const WAV: Content = Content::of(Media::Audio, "wav", "audio/wav");
    /// The audio formats that ffmpeg can write here.
    pub(crate) const AUDIO_OUTPUTS: [Content; 6] = [
        Content::WAV,
        Content::of(Media::Audio, "mp3", "audio/mpeg"),
        Content::of(Media::Audio, "m4a", "audio/m4a"),
        Content::of(Media::Audio, "ogg", "audio/ogg"),
        Content::of(Media::Audio, "opus", "audio/opus"),
        Content::of(Media::Audio, "flac", "audio/x-flac"),
    ];
    const UNKNOWN: Content = Content { media: None, extension: "bin", mime: "application/octet-stream" };

    const fn of(media: Media, extension: &'static str, mime: &'static str) -> Self {
        Content { media: Some(media), extension, mime }
    }

    /// Reads what the file at a path contains, whatever its name says. A file that cannot be read is of no known kind.
    pub(crate) fn read(path: &Path) -> Self {
        let Ok(Some(found)) = infer::get_from_path(path) else { return Content::UNKNOWN };
        let media = match found.matcher_type() {
            infer::MatcherType::Image => Media::Image,
            infer::MatcherType::Video => Media::Video,
            infer::MatcherType::Audio => Media::Audio,
            _ if found.mime_type() == Content::PDF.mime => Media::Pdf,
            _ => return Content::UNKNOWN,
        };
        match found.mime_type() {
            "audio/x-wav" => Content::WAV,
            mime => Content::of(media, found.extension(), mime),
        }
    }
}
