//! The catalogue against a copy of the document's tables (§4.2, §4.3): names, types, required
//! fields, and defaults, in the document's order.

use mediagate_core::{CAPABILITIES, Field, Kind};

/// Each capability: its path, its fields as `name type`, with `!` if the field is required and
/// `= default`, and its model, with `default` if the document calls the model a default.
const DOCUMENT: &str = "
generate/image/text_to_image [default text-to-image-default]
  prompt string!, negative_prompt string, height integer = 1024, width integer = 1024, seed integer = -1,
  num_inference_steps integer = 9, guidance_scale number = 0.0, cfg_normalization boolean = false,
  cfg_truncation number = 1.0, max_sequence_length integer = 512
generate/image/text_to_image_turbo []
  prompt string!, negative_prompt string, height integer = 1024, width integer = 1024
generate/video/text_driven [talking-video-text-standard]
  avatar_asset_id string!, voice_asset_id string!, text string!, aspect_ratio string, clarity string,
  duration_seconds int32, links array<string>, model string
generate/video/audio_driven [talking-video-audio-standard]
  avatar_asset_id string!, audio_file_id string!, aspect_ratio string, clarity string, duration_seconds int32,
  links array<string>, model string
generate/video/omni_reference_to_video []
  prompt string!, image_file_ids array<string>, video_file_ids array<string>, audio_file_ids array<string>,
  aspect_ratio string, clarity string, duration_seconds int32
generate/video/image_to_video []
  file_id string!, prompt string!, aspect_ratio string, clarity string, duration_seconds int32
generate/video/image_audio_driven [default image-audio-driven-video-default]
  prompt_text string!, prompt_image_file_id string!, prompt_audio_file_id string!, resolution string = \"720p\"
generate/video/mv_director [default mv-director-default]
  prompt_image_file_id string!, prompt_audio_file_id string!, persona string
process/video/split_video [default split-video-default]
  input_file_id string!, segments array<object>! = [{\"start_time\":\"00:00:00\",\"end_time\":\"00:00:05\"}]
process/video/object_removal_by_prompt [default remove-video-object-by-prompt-default]
  input_file_id string!, prompt_text string!
process/video/subtitle_removal [video-subtitle-removal-standard]
  file_id string!, region {x int32, y int32, width int32, height int32}
process/video/resize_video [default resize-video-default]
  input_file_id string!, width integer!, height integer!
process/video/add_audio_to_video [default add-audio-to-video-default]
  video_file_id string!, audio_file_id string!
process/video/video_logo_removal [default video-logo-removal-default]
  input_video_file_id string!, logo_file_id array<string>, video_size object, logo_type string = \"default\"
process/image/background_removal [image-background-removal-standard]
  file_id string!, region {x int32, y int32, width int32, height int32}
process/image/head_swap [default image-head-swap-default]
  source_image_file_id string!, target_head_image_file_id string!
process/asset/merge_pdf [default merge-pdf-default]
  input_file_ids array<string>!
process/asset/split_pdf [default split-pdf-default]
  input_file_id string!, page_range string!
process/audio/adjust_audio_volume [default adjust-audio-volume-default]
  input_file_id string!, volume string!
";

/// Returns the type of a kind, in the document's words.
fn type_of(kind: Kind) -> String {
    match kind {
        Kind::Text
        | Kind::FilledText
        | Kind::Choice
        | Kind::PageRange
        | Kind::Volume
        | Kind::Time
        | Kind::File(_)
        | Kind::Asset(_) => "string".into(),
        Kind::Files(_) | Kind::FileOrFiles(_) | Kind::TextList => "array<string>".into(),
        Kind::Integer | Kind::PositiveInteger | Kind::Size => "integer".into(),
        Kind::Int32 | Kind::PositiveInt32 => "int32".into(),
        Kind::Number => "number".into(),
        Kind::Boolean => "boolean".into(),
        Kind::Segments => "array<object>".into(),
        Kind::VideoSize | Kind::Segment => "object".into(),
        Kind::Region => {
            let members: Vec<_> = kind.members().iter().map(written).collect();
            format!("{{{}}}", members.join(", "))
        }
    }
}

fn written(field: &Field) -> String {
    let required = if field.required { "!" } else { "" };
    let default = field
        .default
        .map(|default| format!(" = {default}"))
        .unwrap_or_default();
    format!("{} {}{required}{default}", field.name, type_of(field.kind))
}

#[test]
fn the_catalogue_has_the_documents_paths_fields_types_defaults_and_models() {
    let document = DOCUMENT.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut length = 0;
    for capability in CAPABILITIES.iter().filter(|known| !known.is_extension) {
        let model = match (capability.default_model, capability.documented_model) {
            (Some(default), _) => format!("default {default}"),
            (None, documented) => documented.unwrap_or_default().to_owned(),
        };
        let fields: Vec<_> = capability.own_fields.iter().map(written).collect();
        let entry = format!("{} [{model}] {}", capability.path, fields.join(", "));
        assert!(document.contains(&entry), "not in the document: {entry}");
        length += entry.len() + 1;
    }
    assert_eq!(length, document.len() + 1, "the document has more");
}

/// The document names no model for an extension and lists no codes.
#[test]
fn the_extensions_are_outside_the_document() {
    let extensions = CAPABILITIES.iter().filter(|known| known.is_extension);
    let entries: Vec<_> = extensions
        .map(|capability| {
            assert!(!DOCUMENT.contains(capability.path), "{}", capability.path);
            assert_eq!(capability.documented_model, None);
            assert_eq!(capability.codes, []);
            let fields: Vec<_> = capability.own_fields.iter().map(written).collect();
            format!("{} {}", capability.path, fields.join(", "))
        })
        .collect();
    assert_eq!(
        entries,
        [
            "generate/video/text_to_video prompt string!, aspect_ratio string, clarity string, \
             duration_seconds int32, seed integer"
        ]
    );
}

#[test]
fn every_capability_takes_a_model_and_a_title() {
    for capability in CAPABILITIES {
        let common: Vec<_> = capability
            .fields()
            .skip(capability.own_fields.len())
            .map(written)
            .collect();
        assert_eq!(
            common,
            ["model_id string", "title string"],
            "{}",
            capability.name()
        );
    }
}
