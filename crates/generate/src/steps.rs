//! The steps of a pipeline as TypeScript: a class with a method for each capability, whose inputs
//! take other steps.

use std::fmt::Write;

use mediagate_core::{Capability, Kind};

use super::types::{about, camel_case, comment, input_param};

const PRELUDE: &str = r#"
/** The medium that a step produces. */
export type StepKind = "image" | "video" | "audio" | "pdf";

declare const produces: unique symbol;

/**
 * An output of a step, instead of an id in the input of another step. It is the first output that
 * fits the field, unless `output` made it.
 *
 * @typeParam Kind - The medium, so that the compiler refuses a picture in a field for a video.
 */
export interface StepReference<Kind extends StepKind = StepKind> {
  /** The name of the step. */
  readonly step: string;
  /** Only for the compiler; no object has it. */
  readonly [produces]?: Kind | undefined;
}

/**
 * A step of a pipeline that is being built.
 *
 * @typeParam Kind - The medium that the step produces.
 */
export interface Step<Kind extends StepKind = StepKind> extends StepReference<Kind> {
  /**
   * Refers to another output than the first that fits.
   *
   * @param position - The position in the outputs of the step's task, from 0.
   * @returns The output, for the input of another step.
   */
  output(position: number): StepReference<Kind>;
}

/** A value of a field, or a step instead of each id. */
export type OrStep<Value, Kind extends StepKind> = Value extends readonly (infer Item)[]
  ? readonly (Item | StepReference<Kind>)[]
  : Value | StepReference<Kind>;

/** The input of a step: the request of its capability, in which a step may replace an id. */
export type StepInput<Name extends CapabilityName> = {
  [Field in keyof Capabilities[Name]]: Field extends keyof StepFields[Name]
    ? StepFields[Name][Field] extends StepKind
      ? OrStep<Capabilities[Name][Field], StepFields[Name][Field]>
      : never
    : Capabilities[Name][Field];
};
"#;

const METHODS: &str = r#"
/**
 * Builds the steps of a pipeline: a method for each capability, which calls
 * {@link StepMethods.add}. Each returns its step, for the inputs of others.
 *
 * @typeParam Options - The options that each method takes beside the input.
 */
export abstract class StepMethods<Options> {
  /**
   * Adds a step to the pipeline.
   *
   * @param name - The capability, such as `"image_to_video"`.
   * @param input - The fields of the request.
   * @param options - The options of the step.
   * @returns The step.
   * @throws {MediagateError} `invalid_argument` for the name of another step.
   */
  protected abstract add<Name extends CapabilityName, Kind extends StepKind>(
    name: Name,
    input: StepInput<Name>,
    options: Options | undefined,
  ): Step<Kind>;
"#;

pub(super) fn render(capabilities: &[&Capability]) -> String {
    PRELUDE.to_owned() + &fields(capabilities) + &methods(capabilities)
}

/// Renders the fields that take steps.
fn fields(capabilities: &[&Capability]) -> String {
    let mut text =
        "\n/** The fields of each capability that take steps, and the medium of these. */\n\
        export interface StepFields {\n"
            .to_owned();
    for capability in capabilities {
        let field = |kind: Kind| match kind {
            // An asset may be an avatar or a voice, which have no medium of their own.
            Kind::Asset(_) => Some("StepKind".to_owned()),
            _ => kind.media().map(|media| format!("\"{}\"", media.name())),
        };
        let members: Vec<_> = capability
            .fields()
            .filter_map(|taken| Some(format!("{}: {}", taken.name, field(taken.kind)?)))
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

fn methods(capabilities: &[&Capability]) -> String {
    let mut text = METHODS.to_owned();
    for capability in capabilities {
        text.push('\n');
        let mut doc = about(capability);
        doc.extend([String::new(), input_param(capability)]);
        text.push_str(&comment("  ", &doc));
        let name = capability.name();
        let method = camel_case(name);
        // A capability produces the medium that it works on; `asset` is a PDF (§4.3).
        let kind = match capability.medium() {
            "asset" => "pdf",
            medium => medium,
        };
        let _ = writeln!(
            text,
            "  {method}(input: StepInput<\"{name}\">, options?: Options): Step<\"{kind}\"> {{\n    \
             return this.add(\"{name}\", input, options);\n  }}"
        );
    }
    text + "}\n"
}
