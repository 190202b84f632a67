use super::shared::*;

pub(super) static CAPABILITY: Capability = Capability::new(
    "process/video/split_video",
    &[
        Field::new("input_file_id", Kind::File(FileKind::Video))
            .required()
            .doc("The video."),
        Field::new("segments", Kind::Segments)
            .required()
            .doc("The parts to keep, each from `start_time` to `end_time` as HH:MM:SS.")
            .default(r#"[{"start_time":"00:00:00","end_time":"00:00:05"}]"#),
    ],
)
.doc("Split video", "Cuts parts out of a video.")
.keywords(&["trim", "crop in time", "clip", "segment", "shorten"])
.default_model("split-video-default")
.codes(&COMMON_CODES);
