//! The steps of a pipeline as TypeScript: a method for each capability, whose input takes steps that produce what a field
//! wants.

use std::fmt::Write;

use mediagate_core::{Capability, FileKind, Kind};

use super::types::{camel_case, code_list, comment};

const PRELUDE: &str = r#"
/** What a step produces. */
export type StepKind = "image" | "video" | "audio" | "pdf";

// Not exported, which a file of types would do by itself.
export {};
declare const produces: unique symbol;

/**
 * An output of a step, in the place of an id in the input of another step: the first that fits the field, unless it was made
 * by `output`.
 *
 * @typeParam Kind - What it is, so that the compiler refuses a picture where a video is wanted.
 */
export interface StepReference<Kind extends StepKind = StepKind> {
  /** The name of the step. */
  readonly step: string;
  /** For the compiler alone. */
  readonly [produces]?: Kind;
}

/**
 * A step of a pipeline that is being built.
 *
 * @typeParam Kind - What it produces.
 */
export interface Step<Kind extends StepKind = StepKind> extends StepReference<Kind> {
  /**
   * Another output than the first that fits.
   *
   * @param position - Its position in the outputs of the step's task, from 0.
   * @returns It, in the place of an id.
   */
  output(position: number): StepReference<Kind>;
}

/** A value of a field, or a step in the place of each id. */
export type OrStep<Value, Kind extends StepKind> = Value extends readonly (infer Item)[]
  ? readonly (Item | StepReference<Kind>)[]
  : Value | StepReference<Kind>;

/** The input of a step: the request of its capability, in which a step may be in the place of an id. */
export type StepInput<Name extends CapabilityName> = {
  [Field in keyof Capabilities[Name]]: Field extends keyof StepFields[Name]
    ? StepFields[Name][Field] extends StepKind
      ? OrStep<Capabilities[Name][Field], StepFields[Name][Field]>
      : never
    : Capabilities[Name][Field];
};
"#;

/// All types of steps.
pub(super) fn render(capabilities: &[&Capability]) -> String {
    PRELUDE.to_owned() + &fields(capabilities) + &methods(capabilities)
}

/// What steps the fields of each capability take.
fn fields(capabilities: &[&Capability]) -> String {
    let mut text =
        "\n/** The fields of each capability that take steps, with what these produce. */\nexport interface StepFields {\n"
            .to_owned();
    for capability in capabilities {
        let field = |kind: Kind| match kind {
            Kind::Asset(_) => Some("StepKind".to_owned()),
            _ => kind.media().map(|it| format!("\"{}\"", produced(it))),
        };
        let members: Vec<_> = capability
            .fields()
            .filter_map(|it| Some(format!("{}: {}", it.name, field(it.kind)?)))
            .collect();
        let members = if members.is_empty() {
            "object".to_owned()
        } else {
            format!("{{ {} }}", members.join("; "))
        };
        let _ = writeln!(text, "  {}: {members};", capability.name());
    }
    text + "}\n"
}

fn produced(kind: FileKind) -> &'static str {
    match kind {
        FileKind::Image => "image",
        FileKind::Video => "video",
        FileKind::Audio => "audio",
        FileKind::Pdf => "pdf",
    }
}

/// One method per capability, which the builder's interface is.
fn methods(capabilities: &[&Capability]) -> String {
    let mut text =
        "\n/**\n * Builds the steps of a pipeline: one method per capability.\n *\n * @typeParam Options - What each \
                    takes besides the input.\n */\nexport interface StepMethods<Options> {\n"
            .to_owned();
    for capability in capabilities {
        let required: Vec<_> = capability
            .fields()
            .filter(|it| it.required)
            .map(|it| it.name)
            .collect();
        text.push_str(&comment(
            "  ",
            &[
                capability.summary.to_owned(),
                String::new(),
                format!(
                    "@param input - {} and optional fields.",
                    code_list(&required)
                ),
                "@param options - `name`, by which the pipeline shows the step.".to_owned(),
                "@returns The step, for the inputs of others.".to_owned(),
                "@throws {MediagateError} `invalid_argument` for a name that another step has."
                    .to_owned(),
            ],
        ));
        let (method, name) = (camel_case(capability.name()), capability.name());
        // What a capability works on is what it produces; `asset` is a PDF (§4.3).
        let kind = match capability.medium() {
            "asset" => "pdf",
            medium => medium,
        };
        let _ = writeln!(
            text,
            "  {method}(input: StepInput<\"{name}\">, options?: Options): Step<\"{kind}\">;"
        );
    }
    text + "}\n"
}

#[cfg(test)]
mod tests {
    use mediagate_core::{CAPABILITIES, find};

    use super::*;

    #[test]
    fn a_field_takes_steps_that_produce_what_it_wants() {
        let text = fields(&[
            find("audio_driven").unwrap(),
            find("text_to_image").unwrap(),
        ]);
        assert!(
            text.contains("  audio_driven: { avatar_asset_id: StepKind; audio_file_id: \"audio\""),
            "{text}"
        );
        assert!(text.contains("  text_to_image: object;\n"), "{text}");
    }

    #[test]
    fn every_capability_has_a_method_that_returns_its_step() {
        let text = render(CAPABILITIES);
        for capability in CAPABILITIES {
            let name = capability.name();
            assert!(
                text.contains(&format!(
                    "  {}(input: StepInput<\"{name}\">, ",
                    camel_case(name)
                )),
                "{name}"
            );
        }
        assert!(
            text.contains(
                "mergePdf(input: StepInput<\"merge_pdf\">, options?: Options): Step<\"pdf\">;"
            ),
            "{text}"
        );
    }
}
