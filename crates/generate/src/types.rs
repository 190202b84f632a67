//! The catalogue as TypeScript: an interface for each request, a list of the capabilities, and a
//! class with a method for each capability. The comments are the documentation that an editor
//! shows.

use std::fmt::Write;

use mediagate_core::{Capability, Code, EXTENSION_NOTE, Field, FileKind, Kind, PREFIX};

pub(super) const COMMENT_WIDTH: usize = 100;

const PRELUDE: &str = r#"// Written from the catalogue by `cargo xtask generate`; edits are lost.

/**
 * A task: a `Task`, its snapshot, the saved form of it, or its entry in the history. An input waits
 * for the task, and uses its first output that fits.
 */
export interface TaskReference {
  /** The id of the task. */
  readonly id: string;
  /** The capability that created the task. */
  readonly capability: CapabilityName;
}

/** An output of a task, such as `task.outputs[0]`. */
export interface OutputReference {
  /** The id of the task. */
  readonly taskId: string;
  /** The position of the output in the outputs of the task, from 0. */
  readonly output: number;
}

/**
 * A file at an https URL that is loaded without a login. The gateway moves it into the storage, for
 * hosts in its setting `INPUT_HOSTS`. Or a data URI, whose file is uploaded first.
 */
export interface FileUrl {
  /** The URL. */
  readonly url: string;
  /** The media type, such as `image/png`. It replaces the type that the server states. */
  readonly type?: string | undefined;
}

/**
 * The id of an uploaded file; a `File`, a `Blob`, bytes or a data URI, which are uploaded first; or
 * a URL, a task or an output of one, which the gateway moves into the storage.
 */
export type FileInput =
  string | Blob | ArrayBuffer | ArrayBufferView | FileUrl | TaskReference | OutputReference;

/**
 * The id of an avatar or a voice; a task that produced one; or an output of a task, with its
 * `assetId`.
 */
export type AssetInput =
  string | TaskReference | (OutputReference & { readonly assetId?: string | null | undefined });

/** A part of a video. It does not end before it starts. */
export interface Segment {
  /** The start, as `HH:MM:SS`, such as `00:01:30`. */
  start_time: string;
  /** The end, as `HH:MM:SS`. */
  end_time: string;
}

/** A rectangle in a picture or a video, in pixels. The media service chooses an absent member. */
export interface Region {
  /** The left edge. */
  x?: number | null | undefined;
  /** The top edge. */
  y?: number | null | undefined;
  /** The width. */
  width?: number | null | undefined;
  /** The height. */
  height?: number | null | undefined;
}

/** The size of a video in pixels. */
export type VideoSize =
  | readonly [width: number, height: number]
  | ({ width?: number | null | undefined; height?: number | null | undefined } & {
      [member: string]: number | null | undefined;
    });
"#;

const INFO: &str = r#"
/** A capability: its names and its path. */
export interface CapabilityInfo {
  /** The name, such as `image_to_video`. */
  readonly name: CapabilityName;
  /** The method of the client, such as `imageToVideo`. */
  readonly method: CapabilityMethod;
  /**
   * The group: `generate` makes new media, `process` changes existing media. The scope of a session
   * token may name a group.
   */
  readonly group: "generate" | "process";
  /** The medium that it works on: `video`, `image`, `audio`, or `asset` for a PDF document. */
  readonly medium: "video" | "image" | "audio" | "asset";
  /** The path on the gateway, such as `/api/app/v1/generate/video/image_to_video`. */
  readonly path: string;
  /**
   * True for an extension: the document of the media service does not have it, and a gateway offers
   * it only if its setting `CAPABILITIES` names it.
   */
  readonly extension?: boolean;
}

/** The name of the client's method for a capability, such as `imageToVideo`. */
export type CapabilityMethod = Exclude<keyof CapabilityMethods<unknown, unknown>, "create">;

/**
 * All capabilities, in the order of the media service's documentation. Extensions are the last of
 * their group.
 */
export const CATALOGUE: readonly CapabilityInfo[] = [
"#;

const METHODS: &str = r#"
/**
 * A method for each capability, which calls {@link CapabilityMethods.create}.
 *
 * @typeParam Task - The result of each method.
 * @typeParam Options - The options that each method takes beside the input.
 */
export abstract class CapabilityMethods<Task, Options> {
  /**
   * Creates a task of a capability by name.
   *
   * @param name - The capability, such as `"image_to_video"`.
   * @param input - The fields of the request.
   * @param options - `idempotencyKey`, `signal`, and `timeout` in milliseconds.
   * @returns The task.
   */
  abstract create<Name extends CapabilityName>(
    name: Name,
    input: Capabilities[Name],
    options?: Options,
  ): Promise<Task>;
"#;

const OPTIONS: &str = "@param options - `idempotencyKey`, `signal`, and `timeout` in milliseconds.";
const RETURNS: &str = "@returns The task. Its result comes later: wait with `task.done()`.";

pub(super) fn render(capabilities: &[&Capability]) -> String {
    let mut text = PRELUDE.to_owned();
    for capability in capabilities {
        text.push('\n');
        text.push_str(&interface(capability));
    }
    text.push_str(&map(capabilities));
    text.push_str(&list(capabilities));
    text.push_str(&methods(capabilities));
    text
}

fn interface(capability: &Capability) -> String {
    let mut doc = about(capability);
    if let Some(needed) = any_of(capability) {
        doc.extend([String::new(), needed]);
    }
    let mut text = comment("", &doc);
    let _ = writeln!(text, "export interface {} {{", input_name(capability));
    for field in capability.fields() {
        text.push_str(&comment("  ", &field_doc(capability, field)));
        // `null` counts as absent.
        let (optional, null) = if field.required {
            ("", "")
        } else {
            ("?", " | null | undefined")
        };
        let _ = writeln!(
            text,
            "  {}{optional}: {}{null};",
            field.name,
            field_type(capability, field)
        );
        if field.kind == Kind::Region {
            text.push_str(&dotted(field));
        }
    }
    text.push_str("}\n");
    text
}

/// Renders the parts of a region as members of the request (§4.3), such as `region.x`.
fn dotted(field: &Field) -> String {
    let mut text = String::new();
    for member in field.kind.members() {
        let doc = format!(
            "`{}` of `{}`, as a member of its own.",
            member.name, field.name
        );
        text.push_str(&comment("  ", &[doc]));
        let _ = writeln!(
            text,
            "  \"{}.{}\"?: number | null | undefined;",
            field.name, member.name
        );
    }
    text
}

fn field_doc(capability: &Capability, field: &Field) -> Vec<String> {
    let mut doc = vec![field.doc.to_owned()];
    let accepted = medium(field.kind).unwrap_or_else(|| field.kind.expected());
    // The field's own text may describe its values already.
    if !matches!(field.kind, Kind::Text | Kind::FilledText | Kind::Choice)
        && !field.doc.to_lowercase().contains(accepted)
    {
        doc.extend([String::new(), format!("Takes {accepted}.")]);
    }
    if let Some(values) = known_values(field) {
        doc.extend([String::new(), values]);
    }
    if let Some(default) = default_of(capability, field) {
        doc.extend([String::new(), format!("@defaultValue `{default}`")]);
    }
    if is_example_useful(field) {
        doc.push(format!("@example `{}`", field.example_json()));
    }
    doc
}

/// Returns the paragraphs that describe a capability, with an empty line between them.
pub(super) fn about(capability: &Capability) -> Vec<String> {
    let mut paragraphs = vec![capability.summary.to_owned()];
    if capability.is_extension {
        paragraphs.extend([String::new(), EXTENSION_NOTE.to_owned()]);
    }
    paragraphs
}

pub(super) fn any_of(capability: &Capability) -> Option<String> {
    let names = code_list(capability.any_of);
    (!names.is_empty()).then(|| format!("At least one of {names} is needed."))
}

pub(super) fn known_values(field: &Field) -> Option<String> {
    let values = code_list(field.values);
    (!values.is_empty()).then(|| format!("Known values: {values}; a model may accept others."))
}

/// Returns the default of a field as JSON.
pub(super) fn default_of(capability: &Capability, field: &Field) -> Option<String> {
    if let Some(default) = field.default {
        return Some(default.to_owned());
    }
    let id = capability.default_model?;
    (field.name == "model_id").then(|| format!("\"{id}\""))
}

/// Returns true if the example shows more than the default and the type.
fn is_example_useful(field: &Field) -> bool {
    let example = field.example_json();
    let is_file = field.kind.media().is_some();
    !is_file
        && field.default != Some(example)
        // The examples that a kind has for fields without an example.
        && !["\"text\"", "true", "1.0", "5"].contains(&example)
}

/// Returns the medium of a field for files. The types of the client describe what else it accepts.
pub(super) fn medium(kind: Kind) -> Option<&'static str> {
    let is_single = matches!(kind, Kind::File(_));
    Some(match kind.media()? {
        FileKind::Image if is_single => "an image",
        FileKind::Image => "images",
        FileKind::Video if is_single => "a video",
        FileKind::Video => "videos",
        FileKind::Audio if is_single => "a sound",
        FileKind::Audio => "sounds",
        FileKind::Pdf if is_single => "a PDF",
        FileKind::Pdf => "PDFs",
    })
}

/// Returns the type of a field. It is wider than the gateway's, as the client uploads files first.
fn field_type(capability: &Capability, field: &Field) -> String {
    let model = capability.documented_model.as_slice();
    match field.kind {
        Kind::Text if field.name == "model_id" => open_union(model),
        Kind::Text | Kind::FilledText | Kind::Choice => open_union(field.values),
        Kind::Asset(_) => "AssetInput".to_owned(),
        Kind::PageRange | Kind::Volume | Kind::Time => "string".to_owned(),
        Kind::File(_) => "FileInput".to_owned(),
        Kind::Files(_) => "readonly FileInput[]".to_owned(),
        Kind::FileOrFiles(_) => "FileInput | readonly FileInput[]".to_owned(),
        Kind::Integer
        | Kind::PositiveInteger
        | Kind::Size
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

/// Returns the type of a string. An editor offers the known values, and the compiler accepts any
/// further value.
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

fn list(capabilities: &[&Capability]) -> String {
    let mut text = INFO.to_owned();
    for capability in capabilities {
        let extension = if capability.is_extension {
            ", extension: true"
        } else {
            ""
        };
        let _ = writeln!(
            text,
            "{{ name: \"{}\", method: \"{}\", group: \"{}\", medium: \"{}\", \
             path: \"{PREFIX}{}\"{extension} }},",
            capability.name(),
            camel_case(capability.name()),
            capability.group().name(),
            capability.medium(),
            capability.path,
        );
    }
    text.push_str("];\n");
    text
}

fn methods(capabilities: &[&Capability]) -> String {
    let mut text = METHODS.to_owned();
    for capability in capabilities {
        let name = capability.name();
        text.push('\n');
        text.push_str(&comment("  ", &method_doc(capability)));
        let _ = writeln!(
            text,
            "  {}(input: {}, options?: Options): Promise<Task> {{\n    \
             return this.create(\"{name}\", input, options);\n  }}",
            camel_case(name),
            input_name(capability)
        );
    }
    text.push_str("}\n");
    text
}

fn method_doc(capability: &Capability) -> Vec<String> {
    let mut doc = about(capability);
    doc.extend([
        String::new(),
        input_param(capability),
        OPTIONS.to_owned(),
        RETURNS.to_owned(),
        throws(capability),
    ]);
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

/// Returns the documentation of a method's input, with the names of the required fields.
pub(super) fn input_param(capability: &Capability) -> String {
    let required: Vec<_> = capability
        .fields()
        .filter(|field| field.required)
        .map(|field| field.name)
        .collect();
    format!(
        "@param input - {} and optional fields.",
        code_list(&required)
    )
}

/// Returns the errors of a method: the codes that the upstream document lists (§7), and the errors
/// of the client.
fn throws(capability: &Capability) -> String {
    // The client itself throws `invalid_input`, which the text names first.
    let mut names = Vec::new();
    for code in capability.codes {
        if !matches!(*code, Code::OK | Code::INVALID_INPUT) {
            names.push(code.name());
        }
    }
    let upstream = if names.is_empty() {
        "any other code of the media service".to_owned()
    } else {
        code_list(&names)
    };
    format!(
        "@throws {{MediagateError}} `invalid_input` with all issues, before anything is sent; \
         {upstream}; a code of the client, such as `network`. \
         Its `outcome` says if the create may have cost credits."
    )
}

/// Returns the required fields as members of an object, or `None` if no value of a field fits every
/// account. The tests run the examples, where `photo` is a `File` with a picture.
fn example(capability: &Capability) -> Option<String> {
    if !capability.any_of.is_empty() {
        return None;
    }
    let mut members = Vec::new();
    for field in capability.fields().filter(|field| field.required) {
        let value = match field.kind {
            Kind::File(FileKind::Image) => "photo",
            Kind::Text | Kind::FilledText | Kind::PositiveInteger | Kind::PositiveInt32 => {
                field.example_json()
            }
            _ => return None,
        };
        members.push(format!("{}: {value}", field.name));
    }
    Some(members.join(", "))
}

/// Renders a TSDoc comment, and wraps long lines of text.
pub(super) fn comment(indent: &str, lines: &[String]) -> String {
    // A zero-width space keeps a field's text from ending the comment.
    let lines: Vec<_> = lines
        .iter()
        .map(|line| line.replace("*/", "*\u{200b}/"))
        .collect();
    if let [line] = lines.as_slice() {
        let short = format!("{indent}/** {line} */\n");
        if short.chars().count() <= COMMENT_WIDTH {
            return short;
        }
    }
    let mut body = String::new();
    let mut is_code = false;
    for line in &lines {
        // A line break could change the meaning of code.
        is_code ^= line.starts_with("```");
        let wrapped = if is_code {
            vec![line.clone()]
        } else {
            wrap(line, COMMENT_WIDTH - indent.len() - " * ".len())
        };
        for line in wrapped {
            body += format!("{indent} * {line}").trim_end();
            body.push('\n');
        }
    }
    format!("{indent}/**\n{body}{indent} */\n")
}

/// Breaks a line between words. A word that is longer than `width` stays whole.
pub(super) fn wrap(line: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in line.split(' ') {
        let last = lines.len() - 1;
        let current = &mut lines[last];
        if !current.is_empty() && current.chars().count() + 1 + word.chars().count() > width {
            lines.push(word.to_owned());
        } else {
            if !current.is_empty() {
                current.push(' ');
            }
            current.push_str(word);
        }
    }
    lines
}

fn code_list(names: &[&str]) -> String {
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

/// Writes `image_to_video` as `imageToVideo`.
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
    use mediagate_core::CAPABILITIES;

    use super::*;

    #[test]
    fn only_an_extension_is_marked_as_one() {
        for capability in CAPABILITIES {
            let name = capability.name();
            let is_marked = |text: &str| text.contains("An extension: ");
            let is_extension = capability.is_extension;
            assert_eq!(is_marked(&interface(capability)), is_extension, "{name}");
            assert_eq!(is_marked(&methods(&[capability])), is_extension, "{name}");
            let listed = list(&[capability]);
            assert_eq!(listed.contains("extension: true"), is_extension, "{name}");
        }
    }

    #[test]
    fn long_lines_of_text_are_wrapped_and_code_is_not() {
        let long = "word ".repeat(40).trim_end().to_owned();
        let text = comment(
            "  ",
            &[long.clone(), "```js".into(), long.clone(), "```".into()],
        );
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(
            lines
                .iter()
                .filter(|line| line.len() > COMMENT_WIDTH)
                .count(),
            1
        );
        assert!(lines.contains(&format!("   * {long}").as_str()), "{text}");
    }

    #[test]
    fn no_text_ends_its_comment_early() {
        assert_eq!(
            comment("", &["image/*/x".to_owned()]).matches("*/").count(),
            1
        );
    }
}
