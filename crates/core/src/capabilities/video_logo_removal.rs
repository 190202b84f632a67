//! `video_logo_removal` (§4.3). The names of nine of its ten logo types are not shown.

use super::shared::*;

pub(super) static CAPABILITY: Capability = Capability::new(
    "process/video/video_logo_removal",
    &[
        Field::new("input_video_file_id", Kind::File(FileKind::Video))
            .required()
            .doc("The video."),
        Field::new("logo_file_id", Kind::FileOrFiles(FileKind::Image))
            .doc("Pictures of the logo, for its mask: one id or a list."),
        Field::new("video_size", Kind::VideoSize).doc("The original size of the video, as a hint."),
        Field::new("logo_type", Kind::Choice)
            .doc("The motion of the logo: `default`, or one of nine modes named after a platform.")
            .default("\"default\"")
            .values(&["default"]),
    ],
)
.doc("Remove logo", "Removes a logo from a video.")
.keywords(&["watermark", "erase", "brand", "text", "clean up"])
.default_model("video-logo-removal-default")
.codes(&COMMON_CODES);
