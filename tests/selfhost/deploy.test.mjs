// `mediagate-gateway deploy` with a fake wrangler, in a terminal and without one.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { appendFile, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { parseEnv, promisify } from "node:util";
import {
  bindModule,
  configured,
  init,
  link,
  project,
  SETTINGS_OF_INIT,
  write,
} from "./init-support.mjs";
import { MODULE } from "./module-support.mjs";
import { COMMAND, run } from "./support.mjs";

const execute = promisify(execFile);

test("wrangler's own reason is passed on, with the way to log in", async (t) => {
  const cwd = await configured(t);
  const env = {
    WRANGLER_SEND_METRICS: "false",
    CLOUDFLARE_API_TOKEN: "",
    XDG_CONFIG_HOME: cwd,
    HOME: cwd,
  };
  const { code, err } = await run(t, ["deploy"], { cwd, env });
  assert.equal(code, 1);
  assert.match(
    err,
    /wrangler can't list the Worker's secrets: .*CLOUDFLARE_API_TOKEN.*`npx wrangler login`/,
  );
});

/** A fake wrangler: it records its calls, and returns the secrets that the test decides. */
const FAKE = `
const { appendFileSync, readFileSync } = require("node:fs");
const args = process.argv.slice(2);
const input = args[1] === "put" ? readFileSync(0, "utf8") : "";
appendFileSync("runs", JSON.stringify([...args, input]) + "\\n");
if (args[0] === "secret" && args[1] === "list") console.log(process.env.FAKE_SECRETS);
if (args[1] === process.env.FAKE_FAULT) process.exit(3);
if (args[0] === "deploy") process.exit(Number(process.env.FAKE_CODE ?? 0));
`;

/** Makes a project with the fake wrangler, whose Worker has these secrets. */
async function prepared(t, secrets, files = {}) {
  const cwd = await project(t);
  await init(t, cwd, ...SETTINGS_OF_INIT);
  const manifest = JSON.stringify({
    name: "wrangler",
    version: "0.0.0",
    bin: { wrangler: "./fake.cjs" },
  });
  await write(cwd, {
    "node_modules/wrangler/package.json": manifest,
    "node_modules/wrangler/fake.cjs": FAKE,
    ...files,
  });
  return {
    cwd,
    env: {
      FAKE_SECRETS: JSON.stringify(
        secrets.map((name) => ({ name, type: "secret_text" })),
      ),
    },
  };
}

/** Returns the calls of wrangler: the arguments, and the input of a secret. */
async function runsOf(cwd) {
  const text = await readFile(join(cwd, "runs"), "utf8").catch(() => "");
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

/** Runs `deploy` without a terminal. */
async function deployed(t, secrets, files) {
  const { cwd, env } = await prepared(t, secrets, files);
  return {
    ...(await run(t, ["deploy"], { cwd, env })),
    runs: await runsOf(cwd),
  };
}

/**
 * A script that runs a program in a terminal, and types each line once the text before it is shown.
 */
const TYPIST = `
import json, os, pty, sys
command, lines = json.loads(sys.argv[1])
pid, terminal = pty.fork()
if pid == 0:
    os.execv(command[0], command)
shown, checked = b"", 0
while True:
    try:
        data = os.read(terminal, 4096)
    except OSError:
        break
    if not data:
        break
    shown += data
    if lines and lines[0][0].encode() in shown[checked:]:
        checked = len(shown)
        os.write(terminal, lines.pop(0)[1].encode())
status = os.waitpid(pid, 0)[1]
print(json.dumps({"code": os.waitstatus_to_exitcode(status), "shown": shown.decode()}))
`;

/**
 * Runs `deploy` in a terminal.
 *
 * @param {{ cwd: string, env: Record<string, string> }} prepared
 * @param {[string, string][]} lines the text that is shown, and the line that a person types then
 * @returns {Promise<{ code: number, shown: string, runs: string[][] }>}
 */
async function deployedInTerminal({ cwd, env }, lines) {
  const input = JSON.stringify([[process.execPath, COMMAND, "deploy"], lines]);
  const { stdout } = await execute("python3", ["-c", TYPIST, input], {
    cwd,
    env: { ...process.env, ...env },
  });
  return { ...JSON.parse(stdout), runs: await runsOf(cwd) };
}

const BUCKET =
  'RESULTS_BUCKET_URL = "https://bucket.invalid/results"\nRESULTS_ACCESS_KEY_ID = "id"\n';
const PUT = (name, value) => [
  "secret",
  "put",
  name,
  "--config",
  "wrangler.toml",
  value,
];
const KEY_LINE = /** @type {[string, string]} */ ([
  "UPSTREAM_API_KEY, the media service's key",
  "sk-canary-typed\r",
]);
const CTRL_C = "\x03";

test("a Worker that has its secrets is deployed", async (t) => {
  const { code, runs } = await deployed(t, [
    "UPSTREAM_API_KEY",
    "SESSION_SECRET",
    "SEAL_SECRET",
    "OTHER",
  ]);
  assert.equal(code, 0);
  assert.deepEqual(runs, [
    ["secret", "list", "--format", "json", "--config", "wrangler.toml", ""],
    ["deploy", "--config", "wrangler.toml", ""],
  ]);
});

test("without a terminal, missing secrets are listed, and nothing is deployed", async (t) => {
  const { code, err, runs } = await deployed(t, ["SESSION_SECRET"]);
  assert.equal(code, 1);
  assert.match(
    err,
    /the Worker lacks the secrets UPSTREAM_API_KEY, SEAL_SECRET; set each with `npx wrangler secret put NAME`/,
  );
  assert.equal(runs.length, 1);
});

test("the secret of a bucket is needed if there is a bucket", async (t) => {
  const { cwd, env } = await prepared(t, [
    ...["UPSTREAM_API_KEY", "SESSION_SECRET", "SEAL_SECRET"],
  ]);
  await appendFile(join(cwd, "wrangler.toml"), BUCKET);
  const { code, err, out } = await run(t, ["deploy"], { cwd, env });
  assert.equal(code, 1);
  assert.match(out, /^note: the bucket of RESULTS_BUCKET_URL was not tried/m);
  assert.match(err, /lacks the secrets RESULTS_SECRET_ACCESS_KEY; set each/);
});

test("a gateway with an upstream module needs no key", async (t) => {
  const { cwd, env } = await prepared(t, ["SESSION_SECRET", "SEAL_SECRET"]);
  await bindModule(cwd);
  const { code, err } = await run(t, ["deploy"], { cwd, env });
  assert.equal(code, 0, err);
  const [, deployed] = await runsOf(cwd);
  assert.deepEqual(deployed, ["deploy", "--config", "wrangler.toml", ""]);
});

test("a broken configuration is not deployed, and wrangler must be installed", async (t) => {
  const broken = await deployed(t, [], { "wrangler.toml": 'name = "a"\n' });
  assert.equal(broken.code, 1);
  assert.match(broken.out, /error: main is missing/);
  assert.deepEqual(broken.runs, []);
  const cwd = await project(t);
  await init(t, cwd, ...SETTINGS_OF_INIT);
  const { code, err } = await run(t, ["deploy"], { cwd });
  assert.equal(code, 1);
  assert.match(
    err,
    /wrangler is not installed in this project; install it with `npm install --save-dev wrangler`/,
  );
});

test("in a terminal, missing secrets are typed unseen, and go only to wrangler's input", async (t) => {
  const { cwd, env } = await prepared(t, []);
  const local = parseEnv(await readFile(join(cwd, ".dev.vars"), "utf8"));
  const { code, shown, runs } = await deployedInTerminal({ cwd, env }, [
    KEY_LINE,
    ["SESSION_SECRET (not shown; Enter for the one in .dev.vars)", "\r"],
    [
      "SEAL_SECRET (not shown; Enter for the one in .dev.vars)",
      "typed-seal-secret-canary\r",
    ],
  ]);
  assert.equal(code, 0, shown);
  assert.deepEqual(runs.slice(1), [
    PUT("UPSTREAM_API_KEY", "sk-canary-typed"),
    PUT("SESSION_SECRET", local.SESSION_SECRET),
    PUT("SEAL_SECRET", "typed-seal-secret-canary"),
    ["deploy", "--config", "wrangler.toml", ""],
  ]);
  for (const secret of ["canary", local.SESSION_SECRET])
    assert.ok(!shown.includes(secret), shown);
});

test("a new secret is random, and the one for the backend is shown once", async (t) => {
  const { cwd, env } = await prepared(t, ["UPSTREAM_API_KEY"]);
  await rm(join(cwd, ".dev.vars"));
  const { code, shown, runs } = await deployedInTerminal({ cwd, env }, [
    ["SESSION_SECRET (not shown; Enter for a new random one)", "\r"],
    ["SEAL_SECRET (not shown; Enter for a new random one)", "\r"],
  ]);
  assert.equal(code, 0, shown);
  const [session, seal] = runs.slice(1, 3).map((run) => run.at(-1));
  assert.match(`${session} ${seal}`, /^[0-9a-f]{64} [0-9a-f]{64}$/);
  assert.equal(shown.split(session).length, 2);
  assert.ok(!shown.includes(seal));
});

test("cancelling a question, or leaving the key empty, changes nothing", async (t) => {
  for (const [lines, expected, message] of /** @type {const} */ ([
    [[KEY_LINE, ["SESSION_SECRET", CTRL_C]], 130, /error: stopped/],
    [
      [[KEY_LINE[0], "\r"]],
      1,
      /UPSTREAM_API_KEY is empty; nothing was deployed/,
    ],
  ])) {
    const { code, shown, runs } = await deployedInTerminal(
      await prepared(t, []),
      /** @type {any} */ (lines),
    );
    assert.equal(code, expected, shown);
    assert.match(shown, message);
    assert.deepEqual(
      runs.map(([first, second]) => [first, second]),
      [["secret", "list"]],
    );
  }
});

test("if wrangler can't set a secret, nothing is deployed; if it can't deploy, its exit code is kept", async (t) => {
  const { cwd, env } = await prepared(t, ["SESSION_SECRET", "SEAL_SECRET"]);
  const failed = await deployedInTerminal(
    { cwd, env: { ...env, FAKE_FAULT: "put" } },
    [KEY_LINE],
  );
  assert.equal(failed.code, 1);
  assert.match(
    failed.shown,
    /error: wrangler can't set UPSTREAM_API_KEY: it has printed nothing/,
  );
  assert.ok(!failed.runs.some(([command]) => command === "deploy"));
  const all = await prepared(t, [
    "UPSTREAM_API_KEY",
    "SESSION_SECRET",
    "SEAL_SECRET",
  ]);
  assert.equal(
    (
      await run(t, ["deploy"], {
        cwd: all.cwd,
        env: { ...all.env, FAKE_CODE: "3" },
      })
    ).code,
    3,
  );
});

test("deploy offers what the module offers, unless the configuration says so", async (t) => {
  const { cwd, env } = await prepared(t, [
    "UPSTREAM_API_KEY",
    "SESSION_SECRET",
    "SEAL_SECRET",
  ]);
  const deployed = async () => {
    await rm(join(cwd, "runs"), { force: true });
    const args = ["deploy", "--upstream-module", MODULE];
    const { code, err } = await run(t, args, { cwd, env });
    assert.equal(code, 0, err);
    const runs = await readFile(join(cwd, "runs"), "utf8");
    return JSON.parse(runs.trim().split("\n").at(-1));
  };
  assert.deepEqual((await deployed()).slice(3, -1), [
    "--var",
    "CAPABILITIES:text_to_image,omni_reference_to_video,image_to_video,text_to_video",
  ]);
  await appendFile(
    join(cwd, "wrangler.toml"),
    '\nCAPABILITIES = "text_to_image"\n',
  );
  assert.deepEqual((await deployed()).slice(3, -1), []);
});

test("the project's module is deployed before the gateway, with its own secrets", async (t) => {
  const { cwd, env } = await prepared(t, ["SESSION_SECRET", "SEAL_SECRET"]);
  await rm(join(cwd, "wrangler.toml"));
  await init(
    t,
    cwd,
    ...["--provider", "fal", "--origin", "https://app.example.com"],
  );
  const config = join(cwd, "wrangler.toml");
  await appendFile(config, BUCKET);
  const { code, err } = await run(t, ["deploy"], { cwd, env });
  assert.equal(code, 1);
  assert.match(
    err,
    /the module's Worker lacks the secrets FAL_KEY; set each with `npx wrangler secret put NAME --config upstream\/wrangler\.toml`/,
  );
  assert.equal((await runsOf(cwd)).length, 1);
  await rm(join(cwd, "runs"));
  const ended = await deployedInTerminal({ cwd, env }, [
    ["FAL_KEY, for the module (not shown)", "sk-canary-fal\r"],
    ["RESULTS_SECRET_ACCESS_KEY", "sk-canary-bucket\r"],
  ]);
  assert.equal(ended.code, 0, ended.shown);
  assert.ok(!ended.shown.includes("sk-canary"));
  const ofModule = ["--config", "upstream/wrangler.toml"];
  assert.deepEqual(ended.runs, [
    ["secret", "list", "--format", "json", ...ofModule, ""],
    ["secret", "list", "--format", "json", "--config", "wrangler.toml", ""],
    ["secret", "put", "FAL_KEY", ...ofModule, "sk-canary-fal"],
    ["deploy", ...ofModule, ""],
    PUT("RESULTS_SECRET_ACCESS_KEY", "sk-canary-bucket"),
    ["deploy", "--config", "wrangler.toml", ""],
  ]);
});

test("deploy --dry-run has wrangler bundle the gateway and the project's module, and nothing is set", async (t) => {
  const cwd = await project(t);
  await link(cwd, "mediagate-gateway", "wrangler");
  const origin = ["--origin", "https://app.example.com"];
  await init(t, cwd, "--provider", "fal", ...origin);
  await appendFile(join(cwd, "wrangler.toml"), BUCKET);
  const { code, out, err } = await run(t, ["deploy", "--dry-run"], {
    cwd,
    env: { WRANGLER_SEND_METRICS: "false" },
  });
  assert.equal(code, 0, err);
  assert.equal(out.match(/--dry-run: exiting now/g)?.length, 2, out);
});
