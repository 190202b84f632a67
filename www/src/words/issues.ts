/** What is wrong with a form, for a person: the validator's messages are for those who write a request in code. */
import type { Issue } from "mediagate";
import type { Field } from "../catalogue";
import { label } from ".";

/** What an issue is about: `Parts to keep 2, end time` for `segments[1].end_time`. */
export function issueName({ path }: Issue, fields: readonly Field[]): string {
  const [, root = "", rest = ""] = /^([^.[]*)(.*)$/.exec(path) ?? [];
  const field = fields.find((it) => it.name === root);
  if (!field) return path || "The request";
  const inner = rest
    .replaceAll(/\[(\d+)\]/g, (_, index) => ` ${Number(index) + 1}`)
    .replaceAll(/\.(\w+)/g, (_, name) => `, ${name.replaceAll("_", " ")}`);
  return label(field) + inner;
}

/** What is wrong, and what to do in the form. */
export function issueText(
  { path, reason, message }: Issue,
  fields: readonly Field[],
): string {
  const field = fields.find((it) => it.name === path);
  if (field && reason === "empty" && field.kind === "file")
    return "is an empty file. Choose another one.";
  if (field?.required && reason === "missing")
    return `is missing. ${remedy(field)}`;
  if (field && reason === "empty") return `is empty. ${remedy(field)}`;
  // A name of one word may be a word of the sentence.
  return message.replaceAll(/\b[a-z]+(_[a-z]+)+\b/g, (name) => {
    const named = fields.find((it) => it.name === name);
    return named ? label(named) : name.replaceAll("_", " ");
  });
}

/** How a person fills in a field of this kind. */
function remedy({ kind, media, category }: Field): string {
  if (media)
    return kind === "file" ? "Choose a file." : "Choose one file or more.";
  if (category) return "Choose one.";
  return kind === "text" ? "Write it." : "Fill it in.";
}

/** The gateway passes on the upstream's own issues unchecked; only those with a path and a message can be shown. */
export function isIssue(it: Partial<Issue> | null): it is Issue {
  return typeof it?.path === "string" && typeof it.message === "string";
}
