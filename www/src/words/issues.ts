/** Issues in a person's words. The validator words its messages for authors of code. */
import type { Issue } from "mediagate";
import type { Field } from "../catalogue";
import { label } from ".";

/** Names the subject of an issue: `Parts to keep 2, end time` for `segments[1].end_time`. */
export function issueName({ path }: Issue, fields: readonly Field[]): string {
  const [, root = "", rest = ""] = /^([^.[]*)(.*)$/.exec(path) ?? [];
  const field = fields.find(({ name }) => name === root);
  if (!field) return path || "The request";
  const inner = rest
    .replaceAll(/\[(\d+)\]/g, (_, index) => ` ${Number(index) + 1}`)
    .replaceAll(/\.(\w+)/g, (_, name) => `, ${name.replaceAll("_", " ")}`);
  return label(field) + inner;
}

export function issueText(
  { path, reason, message }: Issue,
  fields: readonly Field[],
): string {
  const field = fields.find(({ name }) => name === path);
  if (field && reason === "empty" && field.kind === "file")
    return "is an empty file. Choose another one.";
  if (field?.required && reason === "missing")
    return `is missing. ${remedy(field)}`;
  if (field && reason === "empty") return `is empty. ${remedy(field)}`;
  // Only names with an underscore: a name of one word may be a word of the sentence.
  return message.replaceAll(/\b[a-z]+(_[a-z]+)+\b/g, (word) => {
    const named = fields.find(({ name }) => name === word);
    return named ? label(named) : word.replaceAll("_", " ");
  });
}

function remedy({ kind, media, category }: Field): string {
  if (media)
    return kind === "file" ? "Choose a file." : "Choose one file or more.";
  if (category) return "Choose one.";
  return kind === "text" ? "Write it." : "Fill it in.";
}

/**
 * Returns true if an issue can be shown. The gateway passes the upstream's own issues on unchecked.
 */
export function isIssue(issue: Partial<Issue> | null): issue is Issue {
  return typeof issue?.path === "string" && typeof issue.message === "string";
}
