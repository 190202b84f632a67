//! The catalogue as TypeScript: an interface for each request, and the methods that take them, with the docs that an
//! editor shows.

use std::fmt::Write;

use mediagate_core::{Capability, Code, Field, FileKind, Kind};

const PRELUDE: &str = r#"// Generated from the catalogue by `cargo xtask generate`; edits are lost.

/**
 * A task: a `Task`, its snapshot, what it is saved as, or its entry in the history. As an input it is waited for, and its first
 * output that fits is used.
 */
export interface TaskReference {
  /** Its id. */
  readonly id: string;
  /** The capability that it was created with. */
  readonly capability: CapabilityName;
}

/** An output of a task, such as `task.outputs[0]`. */
export interface OutputReference {
  /** The id of its task. */
  readonly task_id: string;
  /** Its position in the task's outputs, from 0. */
  readonly output: number;
}

/**
 * The id of an uploaded file; or a `File`, a `Blob` or bytes, which are uploaded first; or a task or an output of one, which the
 * gateway moves into the storage.
 */
export type FileInput = string | Blob | ArrayBuffer | ArrayBufferView | TaskReference | OutputReference;

/** The id of an avatar or a voice; or a task that produced one, or that output with its `asset_id`. */
export type AssetInput = string | TaskReference | (OutputReference & { readonly asset_id?: string | null });

/** A part of a video. It does not end before it starts. */
export interface Segment {
  /** Where it starts, as `HH:MM:SS`, such as `00:01:30`. */
  start_time: string;
  /** Where it ends, as `HH:MM:SS`. */
  end_time: string;
}

/** A rectangle in a picture or a video, in pixels. What is left out, the media service decides. */
export interface Region {
  /** The left edge. */
  x?: number | null;
  /** The top edge. */
  y?: number | null;
  /** The width. */
  width?: number | null;
  /** The height. */
  height?: number | null;
}

/** The size of a video in pixels. */
export type VideoSize =
  | readonly [width: number, height: number]
  | ({ width?: number | null; height?: number | null } & { [member: string]: number | null });
"#;

/// What a method's documentation says of its options.
const OPTIONS: &str = "@param options - `idempotencyKey`, `signal`, and `timeout` in milliseconds.";
/// What a method's documentation says of its result.
const RETURNS: &str = "@returns The task. Its result comes later: wait with `task.done()`.";

/// All types, as a file.
pub(super) fn render(capabilities: &[&Capability]) -> String {
    let mut text = PRELUDE.to_owned();
    for capability in capabilities {
        text.push('\n');
        text.push_str(&interface(capability));
    }
    text.push_str(&map(capabilities));
    text.push_str(&methods(capabilities));
    text
}

/// The request of one capability.
fn interface(capability: &Capability) -> String {
    let mut doc = vec![capability.summary.to_owned()];
    if !capability.any_of.is_empty() {
        doc.push(String::new());
        doc.push(format!(
            "At least one of {} is needed.",
            code_list(capability.any_of)
        ));
    }
    let mut text = comment("", &doc);
    let _ = writeln!(text, "export interface {} {{", input_name(capability));
    for field in capability.fields() {
        text.push_str(&comment("  ", &field_doc(capability, field)));
        // `null` counts as absent.
        let (optional, null) = if field.required {
            ("", "")
        } else {
            ("?", " | null")
        };
        let _ = writeln!(
            text,
            "  {}{optional}: {}{null};",
            field.name,
            field_type(capability, field)
        );
    }
    text.push_str("}\n");
    text
}

fn field_doc(capability: &Capability, field: &Field) -> Vec<String> {
    let mut doc = vec![field.doc.to_owned()];
    let accepted = accepted(field.kind);
    if !matches!(field.kind, Kind::Text | Kind::FilledText)
        && !field.doc.to_lowercase().contains(&accepted)
    {
        doc.extend([String::new(), format!("Takes {accepted}.")]);
    }
    if !field.values.is_empty() {
        doc.extend([
            String::new(),
            format!(
                "Known values: {}; a model may accept others.",
                code_list(field.values)
            ),
        ]);
    }
    let model = (field.name == "model_id")
        .then_some(capability.default_model)
        .flatten()
        .map(|id| format!("\"{id}\""));
    if let Some(default) = field.default.map(str::to_owned).or(model) {
        doc.extend([String::new(), format!("@defaultValue `{default}`")]);
    }
    if is_example_useful(field) {
        doc.push(format!("@example `{}`", field.example_json()));
    }
    doc
}

/// Whether the example shows more than the default and the type.
fn is_example_useful(field: &Field) -> bool {
    let example = field.example_json();
    let is_file = field.kind.media().is_some();
    !is_file
        && field.default != Some(example)
        && !["\"text\"", "true", "1.0", "5"].contains(&example)
}

/// What a field accepts. For a file, the client accepts more than the gateway.
fn accepted(kind: Kind) -> String {
    let Some(media) = kind.media() else {
        return kind.expected().to_owned();
    };
    let file = match media {
        FileKind::Image => "image",
        FileKind::Video => "video",
        FileKind::Audio => "audio",
        FileKind::Pdf => "PDF",
    };
    format!(
        "{} ({file}), or in place of an id a `File` or `Blob`, a task or an output",
        kind.expected()
    )
}

fn field_type(capability: &Capability, field: &Field) -> String {
    let model = capability.documented_model.as_slice();
    match field.kind {
        Kind::Text if field.name == "model_id" => open_union(model),
        Kind::Text | Kind::FilledText => open_union(field.values),
        Kind::Asset(_) => "AssetInput".to_owned(),
        Kind::PageRange | Kind::Volume | Kind::Time => "string".to_owned(),
        Kind::File(_) => "FileInput".to_owned(),
        Kind::Files(_) => "readonly FileInput[]".to_owned(),
        Kind::FileOrFiles(_) => "FileInput | readonly FileInput[]".to_owned(),
        Kind::Integer
        | Kind::PositiveInteger
        | Kind::Int32
        | Kind::PositiveInt32
        | Kind::Number => "number".to_owned(),
        Kind::Boolean => "boolean".to_owned(),
        Kind::TextList => "readonly string[]".to_owned(),
        Kind::Segment => "Segment".to_owned(),
        Kind::Segments => "readonly Segment[]".to_owned(),
        Kind::Region => "Region".to_owned(),
        Kind::VideoSize => "VideoSize".to_owned(),
    }
}

/// A string with some known values: an editor offers those, and the compiler accepts any other.
fn open_union(values: &[&str]) -> String {
    if values.is_empty() {
        return "string".to_owned();
    }
    let known: String = values
        .iter()
        .map(|value| format!("\"{value}\" | "))
        .collect();
    format!("{known}(string & {{}})")
}

/// Names of capabilities to their requests.
fn map(capabilities: &[&Capability]) -> String {
    let mut text =
        "\n/** The request of each capability, by its name. */\nexport interface Capabilities {\n"
            .to_owned();
    for capability in capabilities {
        let _ = writeln!(text, "  {}: {};", capability.name(), input_name(capability));
    }
    text.push_str(
        "}\n\n/** The name of a capability. */\nexport type CapabilityName = keyof Capabilities;\n",
    );
    text
}

/// One method per capability, which the client's interface extends.
fn methods(capabilities: &[&Capability]) -> String {
    let mut text =
        "\n/**\n * One method per capability.\n *\n * @typeParam Task - What each returns.\n \
                    * @typeParam Options - What each takes besides the input.\n */\n\
                    export interface CapabilityMethods<Task, Options> {\n"
            .to_owned();
    for capability in capabilities {
        text.push_str(&comment("  ", &method_doc(capability)));
        let method = camel_case(capability.name());
        let _ = writeln!(
            text,
            "  {method}(input: {}, options?: Options): Promise<Task>;",
            input_name(capability)
        );
    }
    text.push_str("}\n");
    text
}

fn method_doc(capability: &Capability) -> Vec<String> {
    let required: Vec<_> = capability
        .fields()
        .filter(|it| it.required)
        .map(|it| it.name)
        .collect();
    let mut doc = vec![capability.summary.to_owned(), String::new()];
    doc.push(format!(
        "@param input - {} and optional fields.",
        code_list(&required)
    ));
    doc.extend([OPTIONS.to_owned(), RETURNS.to_owned(), throws(capability)]);
    if let Some(example) = example(capability) {
        doc.extend(["@example", "```js"].map(str::to_owned));
        doc.push(format!(
            "const task = await media.{}({{ {example} }});",
            camel_case(capability.name())
        ));
        doc.push("```".to_owned());
    }
    doc
}

/// The errors of a method: the codes that the upstream document lists for it (§7), and the client's own.
fn throws(capability: &Capability) -> String {
    let own = |it: &&Code| !matches!(**it, Code::OK | Code::INVALID_INPUT);
    let names: Vec<_> = capability
        .codes
        .iter()
        .filter(own)
        .map(|it| it.name())
        .collect();
    let upstream = if names.is_empty() {
        "any other code of the media service".to_owned()
    } else {
        code_list(&names)
    };
    format!(
        "@throws {{MediagateError}} `invalid_input` with all issues, before anything is sent; {upstream}; a code of the \
         client, such as `network`. Its `outcome` says whether the create may have cost credits."
    )
}

/// The required fields as members of an object, where all have a value that fits any account: the documentation's
/// samples are run. `photo` is a `File` with a picture.
fn example(capability: &Capability) -> Option<String> {
    if !capability.any_of.is_empty() {
        return None;
    }
    let member = |field: &Field| match field.kind {
        Kind::File(FileKind::Image) => Some(format!("{}: photo", field.name)),
        Kind::Text | Kind::FilledText | Kind::PositiveInteger | Kind::PositiveInt32 => {
            Some(format!("{}: {}", field.name, field.example_json()))
        }
        _ => None,
    };
    let members: Option<Vec<_>> = capability
        .fields()
        .filter(|it| it.required)
        .map(member)
        .collect();
    members.map(|it| it.join(", "))
}

/// A TSDoc comment of these lines.
pub(super) fn comment(indent: &str, lines: &[String]) -> String {
    // A zero-width space keeps a field's text from ending the comment.
    let lines: Vec<_> = lines
        .iter()
        .map(|line| line.replace("*/", "*\u{200b}/"))
        .collect();
    if let [line] = lines.as_slice() {
        return format!("{indent}/** {line} */\n");
    }
    let body: String = lines
        .iter()
        .map(|line| format!("{indent} * {line}").trim_end().to_owned() + "\n")
        .collect();
    format!("{indent}/**\n{body}{indent} */\n")
}

pub(super) fn code_list(names: &[&str]) -> String {
    names
        .iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

fn input_name(capability: &Capability) -> String {
    let camel = camel_case(capability.name());
    let (first, rest) = camel.split_at(1);
    format!("{}{rest}Input", first.to_uppercase())
}

/// `image_to_video` as `imageToVideo`.
pub(super) fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |name, word| {
        let (initial, rest) = word.split_at(word.len().min(1));
        name + &initial.to_uppercase() + rest
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use mediagate_core::{CAPABILITIES, find};

    #[test]
    fn names_are_camel_case() {
        assert_eq!(camel_case("image_to_video"), "imageToVideo");
        assert_eq!(camel_case("split_pdf"), "splitPdf");
        assert_eq!(input_name(find("mv_director").unwrap()), "MvDirectorInput");
    }

    #[test]
    fn documented_values_are_offered_and_others_accepted() {
        let text = interface(find("image_to_video").unwrap());
        assert!(text.contains("  file_id: FileInput;\n"), "{text}");
        assert!(
            text.contains("  aspect_ratio?: \"16:9\" | \"9:16\" | (string & {}) | null;\n"),
            "{text}"
        );
        assert!(
            text.contains("  duration_seconds?: number | null;\n"),
            "{text}"
        );
    }

    #[test]
    fn defaults_are_in_the_docs() {
        let text = interface(find("text_to_image").unwrap());
        assert!(text.contains("   * @defaultValue `1024`\n"), "{text}");
        assert!(
            text.contains("   * @defaultValue `\"text-to-image-default\"`\n"),
            "{text}"
        );
    }

    #[test]
    fn a_method_documents_its_parameters_errors_and_an_example_that_can_be_run() {
        let doc = method_doc(find("image_to_video").unwrap()).join("\n");
        for part in [
            "@param input - `file_id`, `prompt` and",
            "@param options - ",
            "@returns ",
            "file_id: photo, prompt: ",
        ] {
            assert!(doc.contains(part), "{part}: {doc}");
        }
        assert!(
            doc.contains("@throws {MediagateError} ") && doc.contains("`insufficient_credits`"),
            "{doc}"
        );
        assert_eq!(example(find("split_video").unwrap()), None);
        assert_eq!(example(find("omni_reference_to_video").unwrap()), None);
    }

    #[test]
    fn every_capability_has_its_method_and_its_place_in_the_map() {
        let text = render(CAPABILITIES);
        for capability in CAPABILITIES {
            let (name, input) = (capability.name(), input_name(capability));
            assert!(text.contains(&format!("  {name}: {input};\n")), "{name}");
            assert!(
                text.contains(&format!("  {}(input: {input}, ", camel_case(name))),
                "{name}"
            );
        }
    }

    #[test]
    fn no_text_ends_its_comment_early() {
        assert_eq!(
            comment("", &["image/*/x".to_owned()]).matches("*/").count(),
            1
        );
    }
}
