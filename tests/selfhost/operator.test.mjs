// `mediagate-gateway doctor` and `probe`.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startEmulator } from "../support/emulator.mjs";
import { SETTINGS } from "../support/gateway.mjs";
import { configured, project } from "./init-support.mjs";
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

test("a missing or broken configuration is reported", async (t) => {
  const cwd = await project(t, {
    "broken.toml": 'a = "b"\nc = canary\n',
    "broken.jsonc": '{ "vars": canary }',
  });
  for (const [args, message] of /** @type {const} */ ([
    [
      [],
      /there is no wrangler.json, wrangler.jsonc, wrangler.toml in this folder; `mediagate-gateway init` writes one/,
    ],
    [["--config", "other.toml"], /other.toml can't be read \(ENOENT\)/],
    [["--config", "broken.toml"], /the syntax is wrong at line 2/],
    [["--config", "broken.jsonc"], /the syntax is wrong at line 1/],
  ])) {
    const { code, err, out } = await run(t, ["doctor", ...args], { cwd });
    assert.match(err, message);
    assert.equal(code, 1);
    assert.ok(!`${out}${err}`.includes("canary"));
  }
});

const CONSENT = [
  "--create",
  "text_to_image_turbo",
  "--create",
  "background_removal",
];
const KEY = { UPSTREAM_API_KEY: SETTINGS.UPSTREAM_API_KEY };

for (const [dialect, found] of Object.entries({
  default: "",
  "post-form": "",
  "other-words": `
[vars.UPSTREAM_DIALECT.states]
EXPIRED = [
    "timeout",
    "timed_out",
    "timedout",
]
FAILED = [
    "failure",
    "error",
    "errored",
    "rejected",
    "cancelled",
    "canceled",
    "aborted",
    "fail",
]
SUCCEEDED = ["completed"]
`,
})) {
  test(`the probe writes how the dialect ${dialect} differs from the default`, async (t) => {
    const emulator = await startEmulator([
      "--dialect",
      dialect,
      "--task-seconds",
      "0.2",
    ]);
    t.after(() => emulator.stop());
    const cwd = await project(t);
    const args = [
      "probe",
      "--base-url",
      emulator.url,
      "--output",
      "found.toml",
      ...CONSENT,
    ];
    const { code, out, err } = await run(t, args, { cwd, env: KEY });
    assert.equal(code, 0, err);
    assert.ok(!`${out}${err}`.includes(SETTINGS.UPSTREAM_API_KEY));
    const text = await readFile(join(cwd, "found.toml"), "utf8");
    const settings = text.replaceAll(/^#.*\n/gm, "").trimStart();
    assert.equal(
      settings,
      `[vars]\nUPSTREAM_BASE_URL = "${emulator.url}"\n${found}`,
    );
    assert.match(
      out,
      found
        ? /The gateway works with the media service if it has these settings/
        : /behaves as the gateway expects by default/,
    );
    assert.match(
      out,
      /It is in found\.toml, whose first lines say what to do with it\.\n$/,
    );
  });
}

test("the probe creates no task without consent, and overwrites no file", async (t) => {
  const emulator = await startEmulator();
  t.after(() => emulator.stop());
  const cwd = await project(t, { "present.toml": "mine" });
  const probe = (...args) =>
    run(t, ["probe", "--base-url", emulator.url, ...args], { cwd, env: KEY });
  const { code, out } = await probe("--quiet");
  assert.equal(code, 1, "a task has parts that the gateway needs");
  assert.match(out, /It is not known yet whether the gateway works/);
  assert.match(
    out,
    /No task of text_to_image_turbo is created\. To allow one, which may cost credits, pass `--create text_to_image_turbo`\./,
  );
  assert.ok(!out.includes("It created the task"));
  const refused = await probe("--output", "present.toml");
  assert.equal(refused.code, 1);
  assert.match(
    refused.err,
    /present\.toml can't be made \(EEXIST\); give another file with --output/,
  );
  assert.equal(await readFile(join(cwd, "present.toml"), "utf8"), "mine");
});

for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM"])) {
  test(`${signal} ends the probe with a file that has the tasks`, async (t) => {
    const emulator = await startEmulator(["--task-seconds", "60"]);
    t.after(() => emulator.stop());
    const cwd = await project(t);
    const args = ["--base-url", emulator.url, "--output", "found.toml"];
    const probe = command(t, ["probe", ...args, ...CONSENT], { cwd, env: KEY });
    const isRead = () => /GET \S+tasks\/task_/.test(probe.printed.out);
    for (let waits = 0; waits < 600 && !isRead(); waits++) await sleep(50);
    assert.ok(isRead(), probe.printed.out);
    assert.equal(await probe.stop(signal), 1);
    const text = await readFile(join(cwd, "found.toml"), "utf8");
    assert.match(text, /^# The probe ended early: It was interrupted\.$/m);
    assert.match(
      text,
      /^# It created the task task_\w+ \(text_to_image_turbo\)\.$/m,
    );
  });
}

test("the probe's error names the missing or wrong argument", async (t) => {
  const cwd = await project(t, { "known.toml": "no table\n" });
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
      url,
      { UPSTREAM_API_KEY: "short" },
      1,
      /the API key has fewer than 8 characters/,
    ],
    [
      ["--base-url", "http://api.example.com"],
      KEY,
      1,
      /the base URL is not https, so others could read the key/,
    ],
    [[...url, "--known", "known.toml"], KEY, 1, /it is not valid TOML/],
    [
      [...url, "--create", "pdf_merge"],
      KEY,
      2,
      /--create is "pdf_merge"; it is text_to_image_turbo or background_removal/,
    ],
  ])) {
    const ended = await run(t, ["probe", ...args], { cwd, env });
    assert.match(ended.err, message);
    assert.equal(ended.code, code);
  }
});
