use super::shared::*;

pub(super) static CAPABILITY: Capability = Capability::new(
    "process/asset/merge_pdf",
    &[Field::new("input_file_ids", Kind::Files(FileKind::Pdf))
        .required()
        .doc("The documents, in order.")],
)
.doc("Merge PDFs", "Joins PDF documents into one.")
.keywords(&["combine", "concatenate"])
.default_model("merge-pdf-default")
.codes(&COMMON_CODES);
