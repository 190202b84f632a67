import type { Issue } from "../types/issues.js";
import { ownMember, phrase } from "./phrases.js";

/** A field of a capability, as `mediagate/catalogue.json` has it. */
export interface FieldInfo {
  readonly name: string;
  readonly kind?: string | undefined;
  readonly required?: boolean | undefined;
  /** The kind of file: `image`, `video`, `audio` or `pdf`. */
  readonly media?: string | undefined;
  /** The category of an asset. */
  readonly category?: string | undefined;
}

/** The fields and the labels of a form, for the words of its issues. */
export interface IssueOptions {
  /** The fields of the form. With them, a missing value has a remedy. */
  fields?: readonly FieldInfo[] | undefined;
  /**
   * Returns the label of a field; `undefined` for the label of {@link fieldLabel}. Without
   * `fields`, its argument has only the name.
   */
  label?: ((field: FieldInfo) => string | undefined) | undefined;
}

/** An issue in a person's words. The subject and the text are one sentence. */
export interface IssueWords {
  /** The label of the field and the place in it, such as `Parts to keep 2, end time`. */
  readonly subject: string;
  /** The problem and its remedy, such as `is missing. Choose a file.` */
  readonly text: string;
}

/**
 * Describes an issue of `validate` or of an error for the person at a form. The issue's own
 * `message` has the names of fields on the wire.
 */
export function describeIssue(
  { path, reason, message }: Pick<Issue, "path" | "reason" | "message">,
  { fields, label }: IssueOptions = {},
): IssueWords {
  const fieldOf = (name: string) =>
    fields ? fields.find((field) => field.name === name) : { name };
  const labelOf = (name: string) => {
    const field = fieldOf(name);
    return field && (label?.(field) ?? fieldLabel(field));
  };
  const field = fields && fieldOf(path);
  return {
    subject: subjectOf(path, labelOf),
    text:
      (field && textOf(field, reason)) ??
      withLabels(message, (name) => fields && labelOf(name)),
  };
}

function subjectOf(
  path: string,
  labelOf: (name: string) => string | undefined,
): string {
  const [, root = "", rest = ""] = /^([^.[]*)(.*)$/.exec(path) ?? [];
  const label = root && labelOf(root);
  if (!label) return path || "The request";
  const place = rest
    .replaceAll(/\[(\d+)\]/g, (_, index) => ` ${Number(index) + 1}`)
    .replaceAll(/\.(\w+)/g, (_, name) => `, ${name.replaceAll("_", " ")}`);
  return label + place;
}

function textOf(field: FieldInfo, reason: string): string | undefined {
  if (reason === "empty" && field.kind === "file")
    return "is an empty file. Choose another one.";
  if (reason === "missing" && field.required)
    return `is missing. ${remedyOf(field)}`;
  return reason === "empty" ? `is empty. ${remedyOf(field)}` : undefined;
}

function remedyOf({ kind, media, category }: FieldInfo): string {
  if (media)
    return kind === "file" ? "Choose a file." : "Choose one file or more.";
  if (category) return "Choose one.";
  return kind === "text" ? "Write it." : "Fill it in.";
}

function withLabels(
  message: string,
  labelOf: (name: string) => string | undefined,
): string {
  // Only names with an underscore: a name of one word may be a word of the sentence. A quoted name
  // is that of a file.
  return message.replaceAll(/“[^”]*”|\b[a-z]+(_[a-z]+)+\b/g, (name) =>
    name.startsWith("“") ? name : (labelOf(name) ?? name.replaceAll("_", " ")),
  );
}

const KINDS = {
  segments: "Parts to keep",
  video_size: "Size of the video",
};

const MEDIA = {
  image: ["Image", "Images"],
  video: ["Video", "Videos"],
  audio: ["Audio", "Audio files"],
  pdf: ["PDF", "PDFs"],
} as const;

/**
 * Returns the label of a field: "Source image" for `source_image_file_id`, and the kind of file for
 * `file_id`.
 */
export function fieldLabel({ name, kind = "", media = "" }: FieldInfo): string {
  const bare = name
    .replace(/_?(file_ids?|asset_id)$/, "")
    .replace(/^input_?/, "");
  const ofKind = ownMember(KINDS, kind);
  if (ofKind) return ofKind;
  if (bare.endsWith("_seconds"))
    return `${phrase(bare.replace(/_seconds$/, ""))} (seconds)`;
  const [one, many] = ownMember(MEDIA, media) ?? ["File", "Files"];
  if (kind === "files" && (bare === "" || bare === media)) return many;
  return bare === "" ? one : phrase(bare);
}

/**
 * Returns true if an issue can be described. The gateway passes the media service's own issues on
 * unchecked.
 */
export function isIssue(issue: Partial<Issue> | null): issue is Issue {
  return typeof issue?.path === "string" && typeof issue.message === "string";
}
