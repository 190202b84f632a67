/** A request as HTTP, written with curl; tokens and ids are placeholders. */
import { type Capability, prefix } from "../catalogue";
import { type Chosen, isReference, type Reference } from "../results/reference";
import type { Values } from "../storage";
import { type Input, inputsOf, plain } from "./inputs";

export const AUTHORIZATION = `-H "Authorization: Bearer $SESSION_TOKEN"`;
export const JSON_TYPE = "-H 'Content-Type: application/json'";

export const SETUP =
  "# The session token that your backend signs\nSESSION_TOKEN='…'";

export function http(
  capability: Capability,
  values: Values,
  gateway: string,
): string {
  const inputs = inputsOf(capability, values);
  const url = (path: string) => quoted(`${gateway}${prefix}${path}`);
  const create = command(
    `curl ${url(capability.path)}`,
    AUTHORIZATION,
    JSON_TYPE,
    `-H "Idempotency-Key: $(date +%s)"`,
    `-d ${quoted(JSON.stringify({ ...values, ...ids(inputs) }, undefined, 2))}`,
  );
  return [
    SETUP,
    ...sources(inputs, url),
    `# The task is data.task in the response\n${create}`,
    `# Until its state is SUCCEEDED, FAILED or EXPIRED\n${command(`curl ${url(`${capability.group}/tasks/TASK_ID`)}`, AUTHORIZATION)}`,
    "",
  ].join("\n\n");
}

/** How each file and result becomes a file id. */
export function sources(
  inputs: readonly Input[],
  url: (path: string) => string,
): string[] {
  return inputs.flatMap((input) =>
    placeholders(input).map((id, index) =>
      source(id, input.chosen[index], url),
    ),
  );
}

function source(
  id: string,
  chosen: Chosen | undefined,
  url: (path: string) => string,
): string {
  return isReference(chosen) ? move(id, chosen, url) : upload(id, chosen, url);
}

/** The task's id is a placeholder too: the page's own is of use to its session alone. */
function move(
  id: string,
  result: Reference,
  url: (path: string) => string,
): string {
  const output = {
    task_id: id.replace("FILE_ID", "TASK_ID"),
    output: "output" in result ? result.output : 0,
  };
  return [
    `# Move ${plain(result.name)}, an output of another task: the response has data.file_id for ${id} below; while it has`,
    "# data.loaded instead, send this again",
    command(
      `curl ${url("files")}`,
      AUTHORIZATION,
      JSON_TYPE,
      `-d ${quoted(JSON.stringify(output))}`,
    ),
  ].join("\n");
}

function upload(
  id: string,
  file: File | undefined,
  url: (path: string) => string,
): string {
  const { name = "FILE", type = "", size = 0 } = file ?? {};
  const description = { file_name: name, content_type: type, size };
  return [
    `# Upload ${plain(name)}: the response has data.upload_url for UPLOAD_URL, and data.file_id for ${id} below`,
    command(
      `curl ${url("upload_urls")}`,
      AUTHORIZATION,
      JSON_TYPE,
      `-d ${quoted(JSON.stringify(description))}`,
    ),
    command(
      `curl -X PUT 'UPLOAD_URL'`,
      `-H ${quoted(`Content-Type: ${type}`)}`,
      `--data-binary ${quoted(`@${name}`)}`,
    ),
  ].join("\n");
}

/** Placeholders for the ids of a field's files. */
export function placeholders({ name, many, chosen }: Input): string[] {
  const word = `${name.replace(/[A-Z]/g, (it) => `_${it}`).toUpperCase()}_FILE_ID`;
  return many
    ? Array.from(
        { length: Math.max(chosen.length, 1) },
        (_, index) => `${word}_${index + 1}`,
      )
    : [word];
}

function ids(inputs: Input[]): Values {
  return Object.fromEntries(
    inputs.map((it) => [
      it.field.name,
      it.many ? placeholders(it) : placeholders(it)[0],
    ]),
  );
}

export function command(...parts: string[]): string {
  return parts.join(" \\\n  ");
}

/** The text as one quoted word of a shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
