/** Writes a request as a script for Python 3, which needs no package and runs as it is. */
import { type Capability, prefix } from "../catalogue";
import type { Values } from "../storage";
import { type Input, inputsOf, type Source } from "./inputs";

export function python(
  capability: Capability,
  values: Values,
  gateway: string,
): string {
  const inputs = inputsOf(capability, values);
  const { group, path, fields } = capability;
  const lines = fields.flatMap(({ name }) => {
    const input = inputs.find(({ field }) => field.name === name);
    if (!input && !(name in values)) return [];
    const value = input ? inputText(input) : literal(values[name]);
    return [`    ${literal(name)}: ${value},`];
  });
  return `${beginning(inputs, gateway)}
task = call("POST", ${literal(path)}, {
${lines.join("\n")}
})["task"]
${polling("task", `f"${group}/tasks/{task['id']}"`)}
print(json.dumps(task["outputs"], indent=2))
`;
}

export function polling(name: "task" | "pipeline", path: string): string {
  return `while ${name}["state"] not in ("SUCCEEDED", "FAILED", "EXPIRED", "CANCELLED"):
    time.sleep(2)
    ${name} = call("GET", ${path})["${name}"]
    print(${name}["state"])`;
}

export function beginning(inputs: readonly Input[], gateway: string): string {
  const sources = inputs.flatMap((input) => input.sources);
  const isMoved = (source: Source) => "task" in source || "address" in source;
  const isUploading = !sources.every(isMoved);
  const parts = [
    // A function, since `replace` reads patterns such as `$&` in a string.
    BASE.replace("GATEWAY", () => literal(gateway)),
    ...(isUploading ? [UPLOAD] : []),
    ...(sources.some((source) => "url" in source) ? [LOAD] : []),
    ...(sources.some(isMoved) ? [MOVE] : []),
  ];
  return parts.join("\n");
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

export function inputText({ many, sources }: Input): string {
  const all = sources.map(sourceText);
  return many ? `[${all.join(", ")}]` : (all[0] ?? "None");
}

function sourceText(source: Source): string {
  if ("url" in source) return `load(${literal(source.url)})`;
  if ("address" in source) return `move(${literal({ url: source.address })})`;
  if ("task" in source) {
    const { task: task_id, output } = source;
    return `move(${literal({ task_id, output })})`;
  }
  const type = source.type || "application/octet-stream";
  return `upload(${literal(source.name)}, ${literal(type)})`;
}

export function literal(value: unknown): string {
  if (value === true) return "True";
  if (value === false) return "False";
  if (value === null || value === undefined) return "None";
  if (typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  const members = Object.entries(value).map(
    ([name, member]) => `${literal(name)}: ${literal(member)}`,
  );
  return `{${members.join(", ")}}`;
}
