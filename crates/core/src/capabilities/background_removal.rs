use super::shared::*;

pub(super) static CAPABILITY: Capability = Capability::new(
    "process/image/background_removal",
    &[
        Field::new("file_id", Kind::File(FileKind::Image))
            .required()
            .doc("The picture."),
        REGION,
    ],
)
.doc(
    "Remove background",
    "Makes the background of a picture transparent.",
)
.keywords(&["cut out", "cutout", "crop out", "remove bg", "isolate"])
.documented_model("image-background-removal-standard")
.codes(&COMMON_CODES);
