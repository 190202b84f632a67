//! The catalogue as Rust: a type for each request, and the client's methods that take them, for the
//! crate `mediagate`.
//!
//! They are files of the checkout instead of the output of a build script. Editors and docs.rs show
//! them, and the published crate needs no catalogue for its build.

use std::fmt::Write;

use mediagate_core::{Capability, Field, Group, Kind};

use super::types::{COMMENT_WIDTH, about, any_of, default_of, known_values, medium, wrap};

const FOLDER: &str = "crates/mediagate/src";
const GENERATED: &str = "Written from the catalogue by `cargo xtask generate`; edits are lost.";

/// Returns the path of each generated file from the root of the checkout, and its content.
pub(super) fn files(capabilities: &[&Capability]) -> Vec<(String, String)> {
    let path = |name: &str| format!("{FOLDER}/request/capabilities/{name}.rs");
    let mut files: Vec<_> = capabilities
        .iter()
        .map(|capability| (path(capability.name()), request(capability)))
        .collect();
    files.push((path("mod"), modules(capabilities)));
    files.push((format!("{FOLDER}/api/methods.rs"), methods(capabilities)));
    files
}

/// Renders the module with all types.
fn modules(capabilities: &[&Capability]) -> String {
    let mut names: Vec<_> = capabilities
        .iter()
        .map(|capability| capability.name())
        .collect();
    names.sort_unstable();
    let modules: String = names.iter().map(|name| format!("mod {name};\n")).collect();
    let types: String = names
        .iter()
        .map(|name| format!("pub use {name}::{};\n", type_name(name)))
        .collect();
    let list: String = names
        .iter()
        .map(|name| format!("    \"{name}\",\n"))
        .collect();
    let constant = format!(
        "/// The names of all capabilities, in alphabetical order.\n\
         pub const NAMES: &[&str] = &[\n{list}];\n"
    );
    format!("//! A request for each capability. {GENERATED}\n\n{modules}\n{types}\n{constant}")
}

/// Renders the type of one request.
fn request(capability: &Capability) -> String {
    let name = capability.name();
    let type_name = type_name(name);
    let (required, optional): (Vec<_>, Vec<_>) =
        capability.fields().partition(|field| field.required);
    let mut text = format!("//! `{name}`. {GENERATED}\n\n");
    text.push_str(
        "use std::fmt;\n\n\
         use serde::{Deserialize, Serialize};\n\
         use serde_json::{Map, Value as Json};\n\n",
    );
    let has = |is: fn(Kind) -> bool| capability.fields().any(|field| is(field.kind));
    let inputs = [
        ("AssetInput", has(|kind| matches!(kind, Kind::Asset(_)))),
        ("FileInput", has(|kind| kind.media().is_some())),
        (
            "one_or_many",
            has(|kind| matches!(kind, Kind::FileOrFiles(_))),
        ),
    ];
    let inputs: Vec<_> = inputs
        .iter()
        .filter_map(|(name, is_used)| is_used.then_some(*name))
        .collect();
    if !inputs.is_empty() {
        let _ = writeln!(text, "use crate::reference::{{{}}};", inputs.join(", "));
    }
    let parts: Vec<_> = capability
        .fields()
        .filter_map(|field| part(field.kind))
        .map(|name| format!(", {name}"))
        .collect();
    let _ = writeln!(
        text,
        "use crate::request::{{Capability, Input{}}};\n",
        parts.concat()
    );
    text.push_str(&comment("", &type_doc(capability)));
    let _ = writeln!(
        text,
        "#[derive(Clone, Serialize, Deserialize)]\n#[must_use]\npub struct {type_name} {{"
    );
    for field in capability.fields() {
        text.push_str(&member(capability, field));
    }
    text.push_str(MORE);
    let _ = writeln!(text, "}}\n\nimpl {type_name} {{");
    text.push_str(&constructor(&required, &optional));
    for field in &optional {
        text.push('\n');
        text.push_str(&setter(field));
    }
    let _ = write!(
        text,
        "}}\n\nimpl Capability for {type_name} {{\n    const NAME: &'static str = \"{name}\";\n"
    );
    text.push_str(&into_input(capability));
    let _ = write!(
        text,
        "}}\n\n\
         /// Prints only the names of the fields, because prompts are private.\n\
         impl fmt::Debug for {type_name} {{\n\
         fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {{\n\
         self.clone().into_input().debug_as(\"{type_name}\", formatter)\n\
         }}\n\
         }}\n"
    );
    text
}

const MORE: &str = "    /// Fields that have no member here, such as those of a newer gateway.
    #[serde(flatten)]
    pub more: Map<String, Json>,
";

/// Renders a member of the type.
fn member(capability: &Capability, field: &Field) -> String {
    let doc = comment("    ", &field_doc(field, capability));
    let name = field.name;
    let value = value_type(field.kind);
    let attribute = match field.kind {
        Kind::FileOrFiles(_) => {
            "    #[serde(default, skip_serializing_if = \"Option::is_none\", \
             deserialize_with = \"one_or_many\")]\n"
        }
        _ if field.required => "",
        _ => "    #[serde(skip_serializing_if = \"Option::is_none\")]\n",
    };
    if field.required {
        format!("{doc}{attribute}    pub {name}: {value},\n")
    } else {
        format!("{doc}{attribute}    pub {name}: Option<{value}>,\n")
    }
}

/// Renders the method that turns a request into the client's `Input`.
fn into_input(capability: &Capability) -> String {
    let members: String = capability
        .fields()
        .map(|field| format!(".member(\"{0}\", self.{0})", field.name))
        .collect();
    format!(
        "\n    fn into_input(self) -> Input {{\n\
         Input::from(Json::Object(self.more)){members}\n\
         }}\n"
    )
}

/// Returns the documentation of a request's type.
fn type_doc(capability: &Capability) -> Vec<String> {
    let section = section(capability);
    let mut doc = about(capability);
    doc.push(String::new());
    if let Some(needed) = any_of(capability) {
        doc.extend([needed, String::new()]);
    }
    let path = capability.path;
    doc.push(format!(
        "The request of `{path}`{section}, for `Client::{}`.",
        capability.name()
    ));
    doc
}

/// Renders the function `new`, which takes the required fields.
fn constructor(required: &[&Field], optional: &[&Field]) -> String {
    let arguments: Vec<_> = required
        .iter()
        .map(|field| format!("{}: {}", field.name, argument(field.kind)))
        .collect();
    let mut members: Vec<_> = required
        .iter()
        .map(|field| match value(field) {
            // Clippy rejects `name: name`.
            value if value == field.name => value,
            value => format!("{}: {value}", field.name),
        })
        .collect();
    members.extend(optional.iter().map(|field| format!("{}: None", field.name)));
    members.push("more: Map::new()".to_owned());
    format!(
        "    /// Makes a request with the required fields.\n\
         pub fn new({}) -> Self {{\n\
         Self {{ {} }}\n\
         }}\n",
        arguments.join(", "),
        members.join(", ")
    )
}

/// Renders the method that sets an optional field.
fn setter(field: &Field) -> String {
    let name = field.name;
    let argument = argument(field.kind);
    format!(
        "    /// Sets `{name}`.\n\
         pub fn {name}(mut self, {name}: {argument}) -> Self {{\n\
         self.{name} = Some({});\n\
         self\n\
         }}\n",
        value(field)
    )
}

/// Renders the conversion of an argument into the member with its name.
fn value(field: &Field) -> String {
    let name = field.name;
    match value_type(field.kind) {
        "Vec<Segment>" => format!("{name}.into_iter().collect()"),
        list if list.starts_with("Vec<") => format!("{name}.into_iter().map(Into::into).collect()"),
        "AssetInput" | "FileInput" | "String" => format!("{name}.into()"),
        _ => name.to_owned(),
    }
}

/// Returns the type of a member.
fn value_type(kind: Kind) -> &'static str {
    match kind {
        Kind::Asset(_) => "AssetInput",
        Kind::Text
        | Kind::FilledText
        | Kind::Choice
        | Kind::Time
        | Kind::PageRange
        | Kind::Volume => "String",
        Kind::File(_) => "FileInput",
        Kind::Files(_) | Kind::FileOrFiles(_) => "Vec<FileInput>",
        Kind::Integer | Kind::PositiveInteger | Kind::Size => "i64",
        Kind::Int32 | Kind::PositiveInt32 => "i32",
        Kind::Number => "f64",
        Kind::Boolean => "bool",
        Kind::TextList => "Vec<String>",
        Kind::Segment => "Segment",
        Kind::Segments => "Vec<Segment>",
        Kind::Region => "Region",
        Kind::VideoSize => "VideoSize",
    }
}

/// Returns the type of an argument, which is more general than the type of the member.
fn argument(kind: Kind) -> &'static str {
    match value_type(kind) {
        "AssetInput" => "impl Into<AssetInput>",
        "FileInput" => "impl Into<FileInput>",
        "String" => "impl Into<String>",
        "Vec<FileInput>" => "impl IntoIterator<Item = impl Into<FileInput>>",
        "Vec<String>" => "impl IntoIterator<Item = impl Into<String>>",
        "Vec<Segment>" => "impl IntoIterator<Item = Segment>",
        other => other,
    }
}

/// Returns the type in `request/parts.rs` for a field that has members of its own.
fn part(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::Segment | Kind::Segments => Some("Segment"),
        Kind::Region => Some("Region"),
        Kind::VideoSize => Some("VideoSize"),
        _ => None,
    }
}

/// Returns the documentation of a member.
fn field_doc(field: &Field, capability: &Capability) -> Vec<String> {
    let mut doc = vec![field.doc.to_owned()];
    if let Some(medium) = medium(field.kind) {
        doc.push(format!("Takes {medium}."));
    } else if matches!(field.kind, Kind::Asset(_)) {
        doc.push(format!(
            "Takes {}, or a result that is such an asset.",
            field.kind.expected()
        ));
    } else if matches!(field.kind, Kind::Time) {
        doc.push(format!("Takes {}.", field.kind.expected()));
    }
    doc.extend(known_values(field));
    if matches!(field.kind, Kind::FileOrFiles(_)) {
        doc.push("A single file is a list of one.".to_owned());
    }
    if let Some(default) = default_of(capability, field) {
        doc.push(format!("The default is `{default}`."));
    }
    doc
}

/// Renders the methods of the client.
fn methods(capabilities: &[&Capability]) -> String {
    let mut text = format!("//! A method for each capability. {GENERATED}\n\n");
    text.push_str(
        "use super::call::Call;\n\
         use super::client::Client;\n\
         use super::create::Create;\n\
         use crate::request;\n\n\
         /// A method for each capability. Each is [`Client::create`] with the type of its \
         request.\n\
         impl Client {\n",
    );
    for (index, capability) in capabilities.iter().enumerate() {
        let name = capability.name();
        let type_name = type_name(name);
        let gap = if index == 0 { "" } else { "\n" };
        let _ = write!(text, "{gap}{}", comment("    ", &method_doc(capability)));
        let _ = writeln!(
            text,
            "    pub fn {name}(&self, request: request::{type_name}) -> Call<Create> {{"
        );
        text.push_str("        self.create(request)\n    }\n");
    }
    text.push_str("}\n");
    text
}

/// Returns the documentation of a method of the client.
fn method_doc(capability: &Capability) -> Vec<String> {
    let path = capability.path;
    let section = section(capability);
    let type_name = type_name(capability.name());
    let mut doc = about(capability);
    doc.extend([
        String::new(),
        format!("The path is `{path}`{section}. [`request::{type_name}`] has the fields."),
    ]);
    doc
}

/// Returns the section of the upstream document that describes a capability, in brackets after a
/// space. Empty for an extension, which the document does not have.
fn section(capability: &Capability) -> &'static str {
    if capability.is_extension {
        return "";
    }
    match capability.group() {
        Group::Generate => " (§4.2 of the upstream document)",
        Group::Process => " (§4.3 of the upstream document)",
    }
}

/// Writes `image_to_video` as `ImageToVideo`.
fn type_name(name: &str) -> String {
    let capitalized = |word: &str| word[..1].to_uppercase() + &word[1..];
    name.split('_').map(capitalized).collect()
}

/// Renders a doc comment. Each line of text is wrapped.
fn comment(indent: &str, lines: &[String]) -> String {
    let start = format!("{indent}/// ");
    lines
        .iter()
        .flat_map(|line| wrap(line, COMMENT_WIDTH - start.len()))
        .map(|line| format!("{start}{line}").trim_end().to_owned() + "\n")
        .collect()
}

#[cfg(test)]
mod tests {
    use mediagate_core::CAPABILITIES;

    use super::*;

    #[test]
    fn an_extension_has_no_section_of_the_upstream_document() {
        for capability in CAPABILITIES {
            for doc in [type_doc(capability), method_doc(capability)] {
                let text = doc.concat();
                assert_eq!(
                    text.contains("of the upstream document"),
                    !capability.is_extension,
                    "{text}"
                );
                assert_eq!(
                    text.contains("An extension: "),
                    capability.is_extension,
                    "{text}"
                );
            }
        }
    }
}
