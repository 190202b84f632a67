/** Prints a plan as a script for Python 3, which needs no package and runs as it is. */
import { prefix } from "../catalogue";
import { isStep } from "../results/reference";
import { type Plan, Source } from "./plan";

export function python(plan: Plan): string {
  const { kind, sources, path, statePath, body } = plan;
  const result = kind === "task" ? 'task["outputs"]' : kind;
  return `${beginning(plan)}
${sources.map(assignment).join("")}${kind} = call("POST", ${literal(path)}, ${literal(body, "\n")})["${kind}"]
while ${kind}["state"] not in ("SUCCEEDED", "FAILED", "EXPIRED", "CANCELLED"):
    time.sleep(2)
    ${kind} = call("GET", f"${statePath}{${kind}['id']}")["${kind}"]
    print(${kind}["state"])
print(json.dumps(${result}, indent=2))
`;
}

function beginning({ gateway, sources }: Plan): string {
  const used = new Set(sources.map(({ origin }) => origin.from));
  return [
    // A function, since `replace` reads patterns such as `$&` in a string.
    BASE.replace("GATEWAY", () => literal(gateway)),
    ...(used.has("disk") || used.has("link") ? [UPLOAD] : []),
    ...(used.has("link") ? [LOAD] : []),
    ...(used.has("address") || used.has("task") ? [MOVE] : []),
  ].join("\n");
}

const BASE = `import json, time, urllib.request, uuid

gateway = GATEWAY


def send(method, url, body=None, headers={}):
    request = urllib.request.Request(url, body, headers, method=method)
    with urllib.request.urlopen(request) as response:
        return response.read()


def call(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    headers = {
        "Authorization": f"Bearer {token}",
        "Content-Type": "application/json",
        "Idempotency-Key": str(uuid.uuid4()),
    }
    return json.loads(send(method, f"{gateway}${prefix}{path}", data, headers))["data"]


# An anonymous session, as the page has one. In your app, your backend signs the token.
session = send("POST", f"{gateway}/session", b"", {"Origin": gateway, "x-mediagate": "1"})
token = json.loads(session)["data"]["session"]["token"]
`;

const UPLOAD = `
def upload(name, type, data=None):
    data = data or open(name, "rb").read()
    slot = call("POST", "upload_urls", {"file_name": name, "content_type": type, "size": len(data)})
    send("PUT", slot["upload_url"], data, {"Content-Type": type})
    return slot["file_id"]
`;

const LOAD = `
def load(url):
    with urllib.request.urlopen(url) as response:
        return upload("result", response.headers.get_content_type(), response.read())
`;

const MOVE = `
def move(source):
    while True:
        moved = call("POST", "files", source)
        if "file_id" in moved:
            return moved["file_id"]
`;

function assignment(source: Source): string {
  return `${source.variable} = ${idOf(source)}\n`;
}

function idOf({ name, origin }: Source): string {
  switch (origin.from) {
    case "disk":
      return `upload(${literal(name)}, ${literal(origin.type)})`;
    case "link":
      return `load(${literal(origin.url)})`;
    default:
      return `move(${literal(origin.body)})`;
  }
}

/** Prints a value on one line. With a `newLine`, the members of objects are on their own lines. */
function literal(value: unknown, newLine = ""): string {
  if (value instanceof Source) return value.variable;
  if (isStep(value)) return literal({ step: value.step });
  if (value === true) return "True";
  if (value === false) return "False";
  if (value === null || value === undefined) return "None";
  if (typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value))
    return `[${value.map((item) => literal(item)).join(", ")}]`;
  const inner = newLine && `${newLine}    `;
  const members = Object.entries(value).map(
    ([name, member]) => `${literal(name)}: ${literal(member, inner)}`,
  );
  return newLine
    ? `{${members.map((member) => `${inner}${member},`).join("")}${newLine}}`
    : `{${members.join(", ")}}`;
}
