use std::path::Path;

use mediagate_core::FileKind;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Content {
    /// The kind of media, or `None` for anything else.
    pub(crate) media: Option<FileKind>,
    /// Without a dot.
    pub(crate) extension: &'static str,
    /// Such as `image/png`.
    pub(crate) mime: &'static str,
}

impl Content {
    pub(crate) const PDF: Content = Content::of(FileKind::Pdf, "pdf", "application/pdf");
    pub(crate) const PNG: Content = Content::of(FileKind::Image, "png", "image/png");
    pub(crate) const MP4: Content = Content::of(FileKind::Video, "mp4", "video/mp4");
    pub(crate) const WAV: Content = Content::of(FileKind::Audio, "wav", "audio/wav");
    pub(crate) const AUDIO_OUTPUTS: [Content; 6] = [
        Content::WAV,
        Content::of(FileKind::Audio, "mp3", "audio/mpeg"),
        Content::of(FileKind::Audio, "m4a", "audio/m4a"),
        Content::of(FileKind::Audio, "ogg", "audio/ogg"),
        Content::of(FileKind::Audio, "opus", "audio/opus"),
        Content::of(FileKind::Audio, "flac", "audio/x-flac"),
    ];
    const UNKNOWN: Content = Content {
        media: None,
        extension: "bin",
        mime: "application/octet-stream",
    };

    const fn of(media: FileKind, extension: &'static str, mime: &'static str) -> Self {
        Content {
            media: Some(media),
            extension,
            mime,
        }
    }

    /// Detects the content of a file, whatever its name is. A file that cannot be read is of no
    /// known kind.
    pub(crate) fn read(path: &Path) -> Self {
        let Ok(Some(found)) = infer::get_from_path(path) else {
            return Content::UNKNOWN;
        };
        let media = match found.matcher_type() {
            infer::MatcherType::Image => FileKind::Image,
            infer::MatcherType::Video => FileKind::Video,
            infer::MatcherType::Audio => FileKind::Audio,
            _ if found.mime_type() == Content::PDF.mime => FileKind::Pdf,
            _ => return Content::UNKNOWN,
        };
        match found.mime_type() {
            // `infer` has the older name of this type.
            "audio/x-wav" => Content::WAV,
            mime => Content::of(media, found.extension(), mime),
        }
    }
}
