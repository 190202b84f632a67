/** Writes a request as a shell script with curl and jq, which runs as it is. */
import { type Capability, prefix } from "../catalogue";
import type { Values } from "../storage";
import { type Input, inputsOf, plain, type Source } from "./inputs";

const AUTHORIZATION = `-H "Authorization: Bearer $SESSION_TOKEN"`;
const JSON_TYPE = "-H 'Content-Type: application/json'";

/** Encloses the name of a shell variable in a body. Nobody types this private character. */
const MARK = "\uE000";

type Url = (path: string) => string;

export function urlsOf(gateway: string): Url {
  return (path) => quoted(`${gateway}${prefix}${path}`);
}

export function http(
  capability: Capability,
  values: Values,
  gateway: string,
): string {
  const inputs = inputsOf(capability, values);
  const url = urlsOf(gateway);
  const { group, path } = capability;
  return [
    setup(gateway),
    ...sources(inputs, url),
    `TASK_ID=$(${create(url(path), { ...values, ...ids(inputs) })} | jq -r .data.task.id)`,
    poll(`${url(`${group}/tasks/`)}"$TASK_ID"`, "task"),
    "",
  ].join("\n\n");
}

export function setup(gateway: string): string {
  const session = command(
    `curl -s -X POST ${quoted(`${gateway}/session`)}`,
    `-H ${quoted(`Origin: ${gateway}`)}`,
    "-H 'x-mediagate: 1'",
  );
  return `# An anonymous session, as the page has one. In your app, your backend signs the token.
SESSION_TOKEN=$(${session} | jq -r .data.session.token)`;
}

export function create(url: string, body: unknown): string {
  return command(
    `curl -s ${url}`,
    AUTHORIZATION,
    JSON_TYPE,
    `-H "Idempotency-Key: $(date +%s)-$$"`,
    `-d ${bodyText(body)}`,
  );
}

export function poll(url: string, member: "task" | "pipeline"): string {
  return `while true; do
  RESPONSE=$(${command(`curl -s ${url}`, AUTHORIZATION)})
  case $(printf %s "$RESPONSE" | jq -r .data.${member}.state) in
    SUCCEEDED | FAILED | EXPIRED | CANCELLED | null) break ;;
  esac
  sleep 2
done
printf %s "$RESPONSE" | jq .`;
}

export function sources(inputs: readonly Input[], url: Url): string[] {
  return inputs.flatMap((input) =>
    variables(input).map((variable, index) =>
      sourceText(variable, input.sources[index], url),
    ),
  );
}

function sourceText(
  variable: string,
  source: Source | undefined,
  url: Url,
): string {
  if (!source) return "";
  if ("type" in source) return upload(variable, source, url);
  if ("task" in source) {
    const { name, task, output } = source;
    // The id is a placeholder, since only the page's own session may read the task.
    const remark = `${plain(name)}, an output of another task of the session: replace ${task}`;
    return move(variable, remark, { task_id: task, output }, url);
  }
  if ("address" in source)
    return move(variable, plain(source.name), { url: source.address }, url);
  const name = `${variable}.bin`;
  const size = `$(wc -c < ${name} | tr -d ' ')`;
  return [
    `# Load ${plain(source.name)}`,
    `curl -s -o ${name} ${quoted(source.url)}`,
    upload(variable, { name, type: "", size: 0 }, url, size),
  ].join("\n");
}

function upload(
  variable: string,
  { name, type, size }: { name: string; type: string; size: number },
  url: Url,
  measured = `$(wc -c < ${quoted(name)} | tr -d ' ')`,
): string {
  const description = {
    file_name: name,
    content_type: type || "application/octet-stream",
    // The script measures a file that the page does not have.
    size: size || `${MARK}SIZE${MARK}`,
  };
  return [
    `# Upload ${plain(name)}`,
    ...(size ? [] : [`SIZE=${measured}`]),
    `SLOT=$(${command(
      `curl -s ${url("upload_urls")}`,
      AUTHORIZATION,
      JSON_TYPE,
      `-d ${bodyText(description, ["SIZE"])}`,
    )})`,
    command(
      `curl -s -X PUT "$(printf %s "$SLOT" | jq -r .data.upload_url)"`,
      `-H ${quoted(`Content-Type: ${description.content_type}`)}`,
      `--data-binary ${quoted(`@${name}`)}`,
    ),
    `${variable}=$(printf %s "$SLOT" | jq -r .data.file_id)`,
  ].join("\n");
}

function move(
  variable: string,
  remark: string,
  body: unknown,
  url: Url,
): string {
  return [
    `# Move ${remark}`,
    `${variable}=$(${command(
      `curl -s ${url("files")}`,
      AUTHORIZATION,
      JSON_TYPE,
      `-d ${bodyText(body)}`,
    )} | jq -r .data.file_id)`,
  ].join("\n");
}

export function variables({ name, many, sources }: Input): string[] {
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter}`);
  const word = `${snake.toUpperCase()}_FILE_ID`;
  return many ? sources.map((_, index) => `${word}_${index + 1}`) : [word];
}

export function idIn(variable: string): string {
  return MARK + variable + MARK;
}

function ids(inputs: readonly Input[]): Values {
  return Object.fromEntries(
    inputs.map((input) => {
      const all = variables(input).map(idIn);
      return [input.field.name, input.many ? all : all[0]];
    }),
  );
}

/** Returns a body as one word of a shell. Variables in `numbers` have no quotes around them. */
function bodyText(body: unknown, numbers: readonly string[] = []): string {
  const text = quoted(JSON.stringify(body, undefined, 2));
  // A shell expands nothing in single quotes, so they end before each variable.
  return text.replace(
    new RegExp(`"${MARK}(\\w+)${MARK}"`, "g"),
    (_, variable: string) =>
      numbers.includes(variable) ? `'"$${variable}"'` : `"'"$${variable}"'"`,
  );
}

function command(...parts: string[]): string {
  return parts.join(" \\\n  ");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
