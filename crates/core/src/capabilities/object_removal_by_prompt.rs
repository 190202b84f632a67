use super::shared::*;

pub(super) static CAPABILITY: Capability = Capability::new(
    "process/video/object_removal_by_prompt",
    &[
        Field::new("input_file_id", Kind::File(FileKind::Video))
            .required()
            .doc("The video."),
        Field::new("prompt_text", Kind::FilledText)
            .required()
            .doc("The object to remove, in words.")
            .example("\"the red car\""),
    ],
)
.doc(
    "Remove object",
    "Removes an object, named in words, from a video.",
)
.keywords(&[
    "erase",
    "delete",
    "inpaint",
    "clean up",
    "watermark",
    "person",
])
.default_model("remove-video-object-by-prompt-default")
.codes(&COMMON_CODES);
