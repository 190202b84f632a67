use super::shared::*;

pub(super) static CAPABILITY: Capability = Capability::new(
    "process/asset/split_pdf",
    &[
        Field::new("input_file_id", Kind::File(FileKind::Pdf))
            .required()
            .doc("The document."),
        Field::new("page_range", Kind::PageRange)
            .required()
            .doc("The pages to keep, such as 1-3, 1,3,5 or 1-2,5."),
    ],
)
.doc("Split PDF", "Takes pages out of a PDF document.")
.keywords(&["extract pages", "cut", "trim"])
.default_model("split-pdf-default")
.codes(&COMMON_CODES);
