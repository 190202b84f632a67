// `mediagate-gateway doctor` and `check`.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startEmulator } from "../support/emulator.mjs";
import { SETTINGS } from "../support/gateway.mjs";
import { startUpstream } from "../support/upstream.mjs";
import { bindModule, configured, project } from "./init-support.mjs";
import { command, run } from "./support.mjs";

for (const [name, args] of Object.entries({
  "wrangler.toml": [],
  "wrangler.jsonc": ["--jsonc"],
})) {
  test(`the ${name} of init can be deployed, and its faults are reported without their values`, async (t) => {
    const cwd = await configured(t, ...args);
    const right = await run(t, ["doctor"], { cwd });
    assert.equal(right.code, 0, right.err);
    assert.match(
      right.out,
      new RegExp(`^note: DEFAULT_BUDGET [\\s\\S]*${name} can be deployed\n$`),
    );
    const text = await readFile(join(cwd, name), "utf8");
    await writeFile(
      join(cwd, name),
      text.replace("https://api.example.com", "http://canary.example.com"),
    );
    const wrong = await run(t, ["doctor"], { cwd });
    assert.equal(wrong.code, 1);
    assert.match(wrong.out, /^error: UPSTREAM_BASE_URL /m);
    assert.match(
      wrong.err,
      /can't be deployed yet; each line above that begins with `error:` has the remedy/,
    );
    assert.ok(!`${wrong.out}${wrong.err}`.includes("canary"));
  });
}

test("the doctor reads the binding of an upstream module, and asks for no key", async (t) => {
  const cwd = await configured(t);
  await bindModule(cwd);
  const env = { UPSTREAM_API_KEY: "a-short-key-of-another" };
  const { code, out, err } = await run(t, ["doctor"], { cwd, env });
  assert.equal(code, 0, out + err);
  assert.match(out, /^note: TENANT is not /m);
  assert.doesNotMatch(out, /UPSTREAM_API_KEY/);
});

test("a missing or broken configuration is reported", async (t) => {
  const cwd = await project(t, {
    "broken.toml": 'a = "b"\nc = canary\n',
  });
  for (const [args, message] of /** @type {const} */ ([
    [
      [],
      /there is no wrangler.json, wrangler.jsonc, wrangler.toml in this folder; `mediagate-gateway init` writes one/,
    ],
    [["--config", "other.toml"], /other.toml can't be read \(ENOENT\)/],
    [["--config", "broken.toml"], /the syntax is wrong at line 2/],
  ])) {
    const { code, err, out } = await run(t, ["doctor", ...args], { cwd });
    assert.match(err, message);
    assert.equal(code, 1);
    assert.ok(!`${out}${err}`.includes("canary"));
  }
});

const KEY = { UPSTREAM_API_KEY: SETTINGS.UPSTREAM_API_KEY };

/** Starts an emulator, and returns a function that checks it. */
async function checked(t, ...flags) {
  const emulator = await startEmulator(["--task-seconds", "0.2", ...flags]);
  t.after(() => emulator.stop());
  const cwd = await project(t);
  const check = (...args) =>
    run(t, ["check", "--base-url", emulator.url, ...args], { cwd, env: KEY });
  return { emulator, cwd, check };
}

test("a check shows what the gateway reads of each response, and its exit code is 0", async (t) => {
  const { check } = await checked(t);
  for (const [capability, place] of /** @type {const} */ ([
    ["text_to_image", /✓ task\.id at \/data\/task\/id: task_/],
    ["background_removal", /✓ an output, image: http:\/\/127\.0\.0\.1/],
  ])) {
    const { code, out, err } = await check(
      ...["--capability", capability, "--create"],
    );
    assert.equal(code, 0, out + err);
    assert.match(out, /✓ upload\.url at \/data\/upload_url/);
    assert.match(out, /✓ the storage took the file/);
    assert.match(out, /✓ models: \d+/);
    assert.match(out, place);
    assert.match(out, /✓ the end: SUCCEEDED/);
    assert.match(out, /The gateway works with the media service/);
    assert.match(
      out,
      /Not seen: a failure \(states\.FAILED, .*\), an expiry \(states\.EXPIRED\)\.\n$/,
    );
    assert.ok(!`${out}${err}`.includes(SETTINGS.UPSTREAM_API_KEY));
  }
});

test("a check creates nothing without consent", async (t) => {
  const { check, emulator } = await checked(t);
  const { code, out } = await check();
  assert.equal(code, 1);
  assert.match(out, /No task of text_to_image is created\. .* pass `--create`/);
  assert.match(out, /Not seen: a create, a failure/);
  assert.doesNotMatch(out, /→ POST \S+text_to_image/, emulator.url);
});

test("a check never takes a word for an end: the person confirms it in the file that it writes", async (t) => {
  const { emulator, cwd } = await checked(t, "--dialect", "other-words");
  const args = ["check", "--base-url", emulator.url, "--create"];
  const first = command(t, [...args, "--write", "found.toml"], {
    cwd,
    env: KEY,
  });
  const isSeen = () =>
    /\? states\.SUCCEEDED = \["completed"\]/.test(first.printed.out);
  for (let waits = 0; waits < 400 && !isSeen(); waits++) await sleep(50);
  assert.ok(isSeen(), first.printed.out);
  assert.equal(await first.stop("SIGINT"), 1);
  assert.match(first.printed.out, /Not seen: an end,/);
  const found = await readFile(join(cwd, "found.toml"), "utf8");
  assert.match(found, /^# SUCCEEDED = \["completed"\]$/m);
  assert.doesNotMatch(found, /^SUCCEEDED/m);

  await writeFile(
    join(cwd, "confirmed.toml"),
    found.replace('# SUCCEEDED = ["completed"]', 'SUCCEEDED = ["completed"]'),
  );
  const second = await run(t, [...args, "--settings", "confirmed.toml"], {
    cwd,
    env: KEY,
  });
  assert.equal(second.code, 0, second.out + second.err);
  assert.match(second.out, /✓ the end: SUCCEEDED/);

  const again = await run(t, [...args, "--write", "found.toml"], {
    cwd,
    env: KEY,
  });
  assert.equal(again.code, 1);
  assert.match(again.err, /found\.toml exists; give another file with --write/);
});

test("a check takes the settings of wrangler's configuration, and a file of the person's", async (t) => {
  const { emulator, cwd, check } = await checked(t, "--dialect", "camel-case");
  await writeFile(
    join(cwd, "wrangler.toml"),
    `[vars.UPSTREAM_DIALECT.upload.request]
fileName = "{file_name}"
contentType = "{content_type}"
fileSize = "{size}"
`,
  );
  // The first bytes of a film.
  await writeFile(
    join(cwd, "short.mp4"),
    "\0\0\0\u0018ftypmp42\0\0\0\0mp42isom",
  );
  const { code, out } = await check(
    ...["--file", "short.mp4", "--capability", "resize_video"],
    ...["--input", '{"width": 64, "height": 64}'],
  );
  assert.equal(code, 1);
  assert.match(out, /"contentType":"video\/mp4","fileName":"short\.mp4"/);
  assert.match(out, /✓ upload\.file_id at \/data\/fileId/);
  assert.match(
    out,
    /"height":64,"input_file_id":"[^"]+","width":64/,
    emulator.url,
  );
});

/** A configuration of wrangler that binds an upstream module. */
const MODULE = '[[services]]\nbinding = "UPSTREAM"\nservice = "mine"\n';

/** Starts a module that runs on its own, as `wrangler dev` runs it. */
async function startModule(t) {
  const model = (capability) => ({ model_id: `${capability}-1`, capability });
  const models = ["text_to_video", "image_to_video"].map(model);
  const task = { id: "t", provider: "a-provider", warnings: ["no seed"] };
  const outputs = [{ url: "/outputs/7", media_type: "video/mp4" }];
  const created = { task: { ...task, state: "QUEUED" } };
  const ended = { task: { ...task, state: "SUCCEEDED", outputs } };
  let polls = 0;
  const module = await startUpstream(({ method, path }) => {
    if (path.endsWith("/models"))
      return { json: { code: 0, data: { models } } };
    if (path.endsWith("/estimate"))
      return { status: 404, json: { code: 12, message: "no estimates" } };
    if (method === "POST") return { json: { code: 0, data: created } };
    polls += 1;
    return polls === 1
      ? { status: 404, json: { code: 12, message: "a fault of one poll" } }
      : { json: { code: 0, data: ended } };
  });
  t.after(() => module.stop());
  return module;
}

test("a check of a module sends no key and no file, and reads an output by a path", async (t) => {
  const module = await startModule(t);
  const cwd = await project(t, { "wrangler.toml": MODULE });
  const check = (...args) =>
    run(t, ["check", "--base-url", module.url, "--create", ...args], {
      cwd,
      env: { ...KEY, UPSTREAM: "of-another-program" },
    });
  const capability = ["--capability", "text_to_video"];
  const { code, out, err } = await check(
    ...[...capability, "--write", "found.toml"],
  );
  assert.equal(code, 0, out + err);
  assert.match(out, /✓ an output, video: \/outputs\/7, a path of the service/);
  assert.match(out, /✗ an error: code 12 a fault of one poll/);
  assert.match(out, /· a warning, which callers get: no seed/);
  assert.match(out, /· the provider: a-provider \(in the log; .*SHOW_PROVIDER/);
  assert.match(
    out,
    /\? CAPABILITIES = "image_to_video,text_to_video" {2}\(the models serve these;/,
  );
  assert.match(out, /it read a create, and an end with outputs/);
  assert.ok(module.seen.every(({ headers }) => !headers.authorization));
  assert.ok(!module.seen.some(({ path }) => path.endsWith("/upload_urls")));
  const found = await readFile(join(cwd, "found.toml"), "utf8");
  assert.match(found, /^# CAPABILITIES = "image_to_video,text_to_video"$/m);
  assert.doesNotMatch(found, /UPSTREAM_BASE_URL/);

  const ofFile = ["--capability", "background_removal"];
  const without = await check(...ofFile);
  assert.match(
    without.out,
    /Create: file_id needs a file that the service can load; .*--input/,
  );
  assert.equal(without.code, 1);
  const file = { url: "https://h.example/a.png", type: "image/png" };
  const input = JSON.stringify({ file_id: file });
  const loaded = await check(...ofFile, "--input", input);
  assert.equal(loaded.code, 0, loaded.out);
});

test("an output by a path of a service that is no module is not enough", async (t) => {
  const service = await startModule(t);
  const cwd = await project(t);
  const args = ["--base-url", service.url, "--capability", "text_to_video"];
  const { code, out } = await run(t, ["check", ...args, "--create"], {
    cwd,
    env: KEY,
  });
  assert.equal(code, 1);
  assert.match(out, /✗ an output by a path: .* behind the binding UPSTREAM/);
  assert.match(out, /Not seen: .*an end with outputs/);
});

/** A module whose task has ended at once. */
const OWN_MODULE = `
const task = { id: "t", state: "SUCCEEDED", outputs: [{ url: "/files/7" }] };
const models = [{ model_id: "film-1", capability: "text_to_video" }];
const isList = (request) => request.url.endsWith("/models");
export default {
  fetch: (request, env) =>
    env.OWN_KEY === "own"
      ? Response.json({ code: 0, data: isList(request) ? { models } : { task } })
      : Response.json({ code: 13, message: "set OWN_KEY" }, { status: 400 }),
};
`;

test("a check runs the module of the folder, or the one that is named", async (t) => {
  const cwd = await project(t, {
    "wrangler.toml": MODULE,
    "upstream/upstream.js": OWN_MODULE,
    "upstream/.dev.vars": "OWN_KEY=own\n",
  });
  const create = ["--capability", "text_to_video", "--create"];
  const own = await run(t, ["check", ...create], { cwd });
  assert.equal(own.code, 0, own.out + own.err);
  assert.match(own.out, /✓ an output.*: \/files\/7, a path of the service/);
  const named = ["--upstream-module", "upstream/upstream.js"];
  const elsewhere = await project(t, {
    "upstream/upstream.js": OWN_MODULE,
    "vars.txt": "OWN_KEY=own\n",
  });
  const other = await run(
    t,
    ["check", ...create, ...named, "--upstream-vars", "vars.txt"],
    { cwd: elsewhere },
  );
  assert.equal(other.code, 0, other.out + other.err);
});

test("a check of a module that is elsewhere says how to name it", async (t) => {
  const cwd = await project(t, { "wrangler.toml": MODULE });
  const { code, err } = await run(t, ["check"], { cwd, env: KEY });
  assert.equal(code, 2);
  assert.match(
    err,
    /wrangler\.toml binds an upstream module .*--upstream-module/,
  );
});

test("the error of a check names the missing or wrong argument", async (t) => {
  const cwd = await project(t, { "found.toml": "no table\n" });
  const url = ["--base-url", "https://api.example.com"];
  for (const [args, env, code, message] of /** @type {const} */ ([
    [[], KEY, 2, /there is no address; give one with --base-url/],
    [
      url,
      {},
      1,
      /there is no API key: set UPSTREAM_API_KEY in the environment/,
    ],
    [
      ["--base-url", "http://api.example.com"],
      KEY,
      1,
      /the base URL is not https, so others could read the key/,
    ],
    [[...url, "--settings", "found.toml"], KEY, 1, /found\.toml/],
    [
      [...url, "--capability", "pdf_merge"],
      KEY,
      1,
      /there is no capability "pdf_merge"/,
    ],
    [[...url, "--input", "{"], KEY, 1, /the input is no JSON/],
    [[...url, "--file", "a.doc"], KEY, 1, /a\.doc can't be read \(ENOENT\)/],
  ])) {
    const ended = await run(t, ["check", ...args], { cwd, env });
    assert.match(ended.err, message);
    assert.equal(ended.code, code, ended.err);
  }
});
