use super::shared::*;

pub(super) static CAPABILITY: Capability = Capability::new(
    "process/image/head_swap",
    &[
        Field::new("source_image_file_id", Kind::File(FileKind::Image))
            .required()
            .doc("The picture whose head is taken."),
        Field::new("target_head_image_file_id", Kind::File(FileKind::Image))
            .required()
            .doc("The picture whose head is replaced; its body and scene stay."),
    ],
)
.doc(
    "Head swap",
    "Puts the head of one picture on the body of another.",
)
.keywords(&["face swap", "faceswap", "deepfake", "replace face"])
.default_model("image-head-swap-default")
.codes(&COMMON_CODES);
