/** Prints a plan as a shell script with curl and jq, which runs as it is. */
import { prefix } from "../catalogue";
import { isStep } from "../results/reference";
import { type Plan, plain, Source, TASK_ID, UNKNOWN_TYPE } from "./plan";

const AUTHORIZATION = `-H "Authorization: Bearer $SESSION_TOKEN"`;

/** Encloses the name of a shell variable in a body. Nobody types this private character. */
const MARK = "\uE000";

export function http(plan: Plan): string {
  const { gateway, sources, kind, path, statePath, body } = plan;
  const url = (path: string) => quoted(`${gateway}${prefix}${path}`);
  const post = (path: string, body: unknown, key = "") =>
    `curl -s ${url(path)} \\
  ${AUTHORIZATION} \\
  -H 'Content-Type: application/json'${key} \\
  -d ${bodyText(body)}`;
  const key = ` \\\n  -H "Idempotency-Key: $(date +%s)-$$"`;
  const id = `${kind.toUpperCase()}_ID`;
  const parts = [
    `# An anonymous session, as the page has one. In your app, your backend signs the token.
SESSION_TOKEN=$(curl -s -X POST ${quoted(`${gateway}/session`)} \\
  -H ${quoted(`Origin: ${gateway}`)} \\
  -H 'x-mediagate: 1' | jq -r .data.session.token)`,
    ...sources.map((source) => sourceText(source, post)),
    `${id}=$(${post(path, body, key)} | jq -r .data.${kind}.id)`,
    `while true; do
  RESPONSE=$(curl -s ${url(statePath)}"$${id}" \\
  ${AUTHORIZATION})
  case $(printf %s "$RESPONSE" | jq -r .data.${kind}.state) in
    SUCCEEDED | FAILED | EXPIRED | CANCELLED | null) break ;;
  esac
  sleep 2
done
printf %s "$RESPONSE" | jq .
`,
  ];
  return parts.join("\n\n");
}

type Post = (path: string, body: unknown) => string;

function sourceText(source: Source, post: Post): string {
  const { name, origin } = source;
  const id = idOf(source);
  switch (origin.from) {
    case "disk":
      return uploadText(id, name, origin.type, post);
    case "link":
      return `# Load ${plain(name)}
curl -s -o ${id}.bin ${quoted(origin.url)}
${uploadText(id, `${id}.bin`, UNKNOWN_TYPE, post)}`;
    default: {
      const remark =
        origin.from === "task"
          ? `, an output of another task of the session: replace ${TASK_ID}`
          : "";
      return `# Move ${plain(name)}${remark}
${id}=$(${post("files", origin.body)} | jq -r .data.file_id)`;
    }
  }
}

function uploadText(id: string, file: string, type: string, post: Post) {
  const size = `${MARK}SIZE${MARK}`;
  return `# Upload ${plain(file)}
SIZE=$(wc -c < ${quoted(file)} | tr -d ' ')
SLOT=$(${post("upload_urls", { file_name: file, content_type: type, size })})
curl -s -X PUT "$(printf %s "$SLOT" | jq -r .data.upload_url)" \\
  -H ${quoted(`Content-Type: ${type}`)} \\
  --data-binary ${quoted(`@${file}`)}
${id}=$(printf %s "$SLOT" | jq -r .data.file_id)`;
}

/** Returns the name of a shell variable: `SOURCE_IMAGE_FILE_ID` for `sourceImageFile`. */
function idOf({ variable }: Source): string {
  const snake = variable.replace(/[A-Z]/g, (letter) => `_${letter}`);
  return `${snake.toUpperCase()}_ID`;
}

/** Returns a body as one word of a shell. */
function bodyText(body: unknown): string {
  const json = JSON.stringify(
    body,
    (_, value) => {
      if (value instanceof Source) return MARK + idOf(value) + MARK;
      return isStep(value) ? { step: value.step } : value;
    },
    2,
  );
  // A shell expands nothing in single quotes, so they end before each variable.
  return quoted(json).replace(
    new RegExp(`"${MARK}(\\w+)${MARK}"`, "g"),
    (_, variable: string) =>
      // The size is a number, which JSON does not quote.
      variable === "SIZE" ? `'"$SIZE"'` : `"'"$${variable}"'"`,
  );
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
