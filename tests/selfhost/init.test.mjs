// `mediagate-gateway init`: the files that it writes into a folder, and the files that it keeps.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  appendFile,
  chmod,
  mkdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { parseEnv } from "node:util";
import { jwtVerify } from "jose";
import { PROVIDERS } from "../../gateway/src/init/provider.js";
import { readModule } from "../../gateway/src/workerd/module.js";
import { offersOf } from "../../gateway/src/workerd/offers.js";
import {
  contents,
  init,
  packageJson,
  project,
  SETTINGS_OF_INIT,
  write,
} from "./init-support.mjs";
import { MODULE } from "./module-support.mjs";
import { run } from "./support.mjs";

test("an empty folder gets a configuration, secrets and lines for git", async (t) => {
  const cwd = await project(t);
  const { code, out, err } = await init(t, cwd);
  assert.deepEqual([code, err], [0, ""]);
  const files = await contents(cwd);
  assert.deepEqual(Object.keys(files).sort(), [
    ".dev.vars",
    ".gitignore",
    "wrangler.toml",
  ]);
  for (const path of Object.keys(files))
    assert.match(
      out,
      new RegExp(`^written +${path.replaceAll(".", "\\.")}$`, "m"),
    );
  assert.equal(files[".gitignore"], ".dev.vars\n.mediagate/\n.wrangler/\n");
  assert.equal((await stat(join(cwd, ".dev.vars"))).mode & 0o777, 0o600);
  assert.match(
    out,
    /^- Fill in UPSTREAM_BASE_URL and ALLOWED_ORIGINS in wrangler\.toml/m,
  );
  assert.match(
    out,
    /npm install -D mediagate-gateway wrangler\n.*mediagate-gateway dev.*\n.*mediagate-gateway deploy/,
  );
});

test("the next steps install what the project lacks", async (t) => {
  const stepsAfter = async (installed) => {
    const files = { "package.json": packageJson(["express", ...installed]) };
    const cwd = await project(t, files);
    const { out } = await init(t, cwd, "--provider", "fal");
    return /^Next:\n {2}(.*)$/m.exec(out)?.[1];
  };
  assert.equal(
    await stepsAfter(["mediagate-gateway"]),
    "npm install mediagate && npm install -D wrangler @fal-ai/client",
  );
  const all = ["mediagate", "mediagate-gateway", "wrangler", "@fal-ai/client"];
  assert.match(await stepsAfter(all), /^npx mediagate-gateway dev /);
});

test("the secrets are random, written only once, and read by the commands", async (t) => {
  const read = async () => {
    const cwd = await project(t);
    const { out } = await init(t, cwd);
    return { cwd, out, secrets: parseEnv((await contents(cwd))[".dev.vars"]) };
  };
  const one = await read();
  const two = await read();
  const values = [one, two].flatMap(({ secrets }) => Object.values(secrets));
  assert.deepEqual(Object.keys(one.secrets).sort(), [
    "SEAL_SECRET",
    "SESSION_SECRET",
  ]);
  assert.equal(new Set(values).size, 4);
  for (const value of values) assert.match(value, /^[0-9a-f]{64}$/);
  for (const value of Object.values(one.secrets))
    assert.ok(!one.out.includes(value), "a secret is printed");
  const { out } = await run(t, ["token"], { cwd: one.cwd });
  const key = new TextEncoder().encode(one.secrets.SESSION_SECRET);
  assert.equal(
    (await jwtVerify(out.trim(), key, { audience: "mediagate" })).payload.sub,
    "dev",
  );
});

test("for Next.js and SvelteKit, the server's secret is in .env.local, which git ignores", async (t) => {
  for (const [dependency, gitignore, ignored] of /** @type {const} */ ([
    ["next", "", /^\.env\.local$/m],
    ["@sveltejs/kit", "", /^\.env\.local$/m],
    // As create-next-app and sv write it.
    [
      "next",
      ".env*\n",
      /^\.env\*\n\.dev\.vars\n\.mediagate\/\n\.wrangler\/\n$/,
    ],
    ["@sveltejs/kit", ".env\n.env.*\n", /^\.env\n\.env\.\*\n\.dev\.vars\n/],
  ])) {
    const cwd = await project(t, {
      "package.json": packageJson([dependency]),
      ".gitignore": gitignore,
    });
    const { out } = await init(t, cwd);
    const files = await contents(cwd);
    const { SESSION_SECRET: secret } = parseEnv(files[".dev.vars"]);
    assert.deepEqual(
      { ...parseEnv(files[".env.local"]) },
      { SESSION_SECRET: secret },
    );
    assert.equal((await stat(join(cwd, ".env.local"))).mode & 0o777, 0o600);
    assert.match(files[".gitignore"], ignored);
    assert.match(out, /^written +\.env\.local$/m);
    assert.ok(!out.includes(secret), "a secret is printed");
  }
});

test("a server that has a SESSION_SECRET keeps it, and the output says what to set", async (t) => {
  for (const [name, text] of /** @type {const} */ ([
    [".env", "SESSION_SECRET=of-the-apps-own-sessions\n"],
    [".env.local", "OTHER=1\n"],
  ])) {
    const files = { "package.json": packageJson(["next"]), [name]: text };
    const cwd = await project(t, files);
    const { out } = await init(t, cwd);
    const after = await contents(cwd);
    assert.equal(after[name], text);
    assert.deepEqual(
      Object.keys(after).filter((path) => path.startsWith(".env")),
      [name],
    );
    assert.match(
      out,
      new RegExp(
        `^- Set SESSION_SECRET in ${name} to that of \\.dev\\.vars: `,
        "m",
      ),
    );
  }
});

test("a second run changes nothing", async (t) => {
  const cwd = await project(t, {
    "package.json": packageJson(["next"]),
    "tsconfig.json": "{}",
  });
  await init(t, cwd, "--upstream", "https://api.example.com");
  const before = await contents(cwd);
  const { code, out } = await init(
    t,
    cwd,
    "--upstream",
    "https://api.example.com",
  );
  assert.equal(code, 0);
  assert.deepEqual(await contents(cwd), before);
  assert.deepEqual(
    out.match(/^\S+ +\S+(?= \()/gm).map((line) => line.split(/ +/)),
    [
      ".gitignore",
      ".dev.vars",
      "wrangler.toml",
      "app/media/session/route.ts",
    ].map((path) => ["unchanged", path]),
  );
});

test("existing files stay unchanged", async (t) => {
  const existing = {
    "package.json": packageJson(["next"]),
    "wrangler.json": '{ "name": "another" }',
    ".dev.vars": "SESSION_SECRET=mine",
    ".gitignore": ".dev.vars*\n/.mediagate\n.wrangler\n",
    "src/app/media/session/route.js":
      "export const GET = () => new Response();",
  };
  const cwd = await project(t, existing);
  const { code, out } = await init(t, cwd, "--jsonc", "--name", "gateway");
  assert.equal(code, 0);
  assert.deepEqual(await contents(cwd), existing);
  assert.match(
    out,
    /^- wrangler\.json is that of another Worker\. The gateway is a Worker of its own/m,
  );
  assert.match(
    out,
    /^ {2}mkdir gateway && cd gateway && npx mediagate-gateway init --token-endpoint none /m,
  );
  assert.doesNotMatch(out, /mediagate-gateway deploy/);
  assert.match(
    out,
    /^- Add SEAL_SECRET to \.dev\.vars, with the output of openssl rand -hex 32\.$/m,
  );
  assert.match(out, /^unchanged +src\/app\/media\/session\/route\.js/m);
});

test("an existing configuration of the gateway stays unchanged, and the output lists what it lacks", async (t) => {
  const main = 'main = "node_modules/mediagate-gateway/dist/worker/index.js"';
  const text = `${main}\nUPSTREAM_BASE_URL = "https://old.example"\n# DURATIONS\n`;
  const cwd = await project(t, { "wrangler.toml": text });
  const { out } = await init(t, cwd, "--upstream", "https://new.example");
  assert.equal((await contents(cwd))["wrangler.toml"], text);
  assert.match(
    out,
    /^- wrangler\.toml lacks .*\bLEDGER, WATCHER, DURATIONS\b/m,
  );
  assert.match(out, /^- Fill in ALLOWED_ORIGINS in wrangler\.toml/m);
  assert.match(
    out,
    /^- Set UPSTREAM_BASE_URL to "https:\/\/new\.example" in wrangler\.toml by hand\.$/m,
  );
});

test("an existing configuration with an upstream module needs no address", async (t) => {
  const main = 'main = "node_modules/mediagate-gateway/dist/worker/index.js"';
  const services = '[[services]]\nbinding = "UPSTREAM"\nservice = "mine"\n';
  const cwd = await project(t, { "wrangler.toml": `${main}\n${services}` });
  const { out } = await init(t, cwd);
  assert.match(out, /^- Fill in ALLOWED_ORIGINS in wrangler\.toml/m);
  const other = await init(t, cwd, "--upstream", "https://new.example");
  assert.match(
    other.out,
    /^- Set UPSTREAM_BASE_URL to .* by hand, and remove the binding UPSTREAM\.$/m,
  );
});

const LINES = ".dev.vars\n.mediagate/\n.wrangler/\n";
for (const [name, before, after] of [
  ["has no newline at its end", "node_modules", `node_modules\n${LINES}`],
  [
    "has the newlines of Windows",
    "dist\r\n.wrangler/\r\n",
    "dist\r\n.wrangler/\r\n.dev.vars\r\n.mediagate/\r\n",
  ],
  [
    "has them in other forms",
    "/.dev.vars\n**/.mediagate\n.wrangler* ",
    "/.dev.vars\n**/.mediagate\n.wrangler* ",
  ],
  [
    "has them with an example",
    `.dev.vars*\n!.dev.vars.example\n${LINES.slice(10)}`,
    undefined,
  ],
  [
    "has what is alike",
    "a.dev.vars\n.dev.vars/\n#.dev.vars\n",
    `a.dev.vars\n.dev.vars/\n#.dev.vars\n${LINES}`,
  ],
  [
    "takes a line back",
    `${LINES}!.dev.vars\n`,
    `${LINES}!.dev.vars\n.dev.vars\n`,
  ],
]) {
  test(`.gitignore ${name}`, async (t) => {
    const cwd = await project(t, { ".gitignore": before });
    await init(t, cwd);
    assert.equal((await contents(cwd))[".gitignore"], after ?? before);
    const git = (...args) =>
      execFileSync("git", args, { cwd, encoding: "utf8" });
    git("init", "--quiet");
    await write(cwd, {
      ".mediagate/secrets.json": "{}",
      ".wrangler/state": "",
    });
    const ignored = [".dev.vars", ".mediagate/secrets.json", ".wrangler/state"];
    assert.deepEqual(
      git("check-ignore", ...ignored)
        .trim()
        .split("\n"),
      ignored,
    );
  });
}

test("package.json decides which endpoint is written, unless an option does", async (t) => {
  for (const [dependencies, args, expected] of [
    [["next"], [], "app/media/session/route.js"],
    [["next"], ["--token-endpoint", "none"], undefined],
    [["next", "express"], [], undefined],
    [["next", "express"], ["--token-endpoint", "express"], "session.mjs"],
    [["react"], [], undefined],
    [["@sveltejs/kit"], [], "src/routes/media/session/+server.js"],
  ]) {
    const cwd = await project(t, {
      "package.json": packageJson([], {
        devDependencies: JSON.parse(packageJson(dependencies)).dependencies,
      }),
    });
    const { code, out } = await init(t, cwd, ...args);
    assert.equal(code, 0);
    const path = Object.keys(await contents(cwd)).find((path) =>
      /session|server/.test(path),
    );
    assert.equal(path, expected, JSON.stringify([dependencies, args]));
    const isExplained =
      /^- No token endpoint: (package\.json has next and express|no framework)/m.test(
        out,
      );
    assert.equal(isExplained, expected === undefined && args.length === 0);
  }
});

test("a wrong option is refused before anything is written", async (t) => {
  const cwd = await project(t);
  const wrong = {
    "--upstream": [
      "https://user:canary@api.example.com",
      'https://api.example.com\n[vars]\nX = "y"',
    ],
    "--origin": ["*", "https://a.example\n"],
    "--name": ["", 'a"b', "a".repeat(64)],
    "--token-endpoint": ["../x", "__proto__"],
    "--nmae": ["x"],
  };
  for (const [option, values] of Object.entries(wrong)) {
    for (const value of values) {
      const { code, out, err } = await init(t, cwd, `${option}=${value}`);
      assert.deepEqual(
        [code, out],
        [2, ""],
        `${option} ${JSON.stringify(value)}`,
      );
      assert.match(err, new RegExp(`^error: .*${option}\\b`));
      assert.equal(err.trim().split("\n").length, 1, err);
      assert.ok(!err.includes("canary"), "the message has what may be a key");
    }
  }
  assert.equal((await init(t, cwd, "folder")).code, 2);
  assert.deepEqual(await contents(cwd), {});
});

test("the origins of apps can be given, and `init`, `dev` and `doctor` refuse the wrong ones alike", async (t) => {
  const apps = ["tauri://localhost", "capacitor://localhost"];
  const cwd = await project(t);
  const args = apps.flatMap((origin) => ["--origin", origin]);
  const { code, err } = await init(t, cwd, ...SETTINGS_OF_INIT, ...args);
  assert.equal(code, 0, err);
  const config = (await contents(cwd))["wrangler.toml"];
  assert.ok(config.includes(apps.join()), config);
  assert.equal((await run(t, ["doctor"], { cwd })).code, 0);
  const problem = /slash at its end; .*; pass https:\/\/www\.example\.com$/m;
  const origin = "https://www.example.com/";
  for (const command of ["init", "dev"]) {
    const ended = await run(t, [command, "--origin", origin], { cwd });
    assert.equal(ended.code, 2, command);
    assert.match(ended.err, problem);
  }
  await write(cwd, { "wrangler.toml": config.replace(apps[0], origin) });
  const ended = await run(t, ["doctor"], { cwd });
  assert.equal(ended.code, 1);
  assert.match(ended.out, /^error: ALLOWED_ORIGINS has /m);
});

test("a package.json that cannot be read is an error, and nothing is written", async (t) => {
  for (const text of ["{", "null"]) {
    const cwd = await project(t, { "package.json": text });
    const { code, err } = await init(t, cwd);
    assert.deepEqual(
      [code, Object.keys(await contents(cwd))],
      [1, ["package.json"]],
    );
    assert.match(err, /^error: package\.json .*repair it/);
  }
});

test("a folder that cannot be written to is an error that says so", {
  skip: process.getuid?.() === 0,
}, async (t) => {
  const cwd = await project(t);
  await chmod(cwd, 0o500);
  const { code, err } = await init(t, cwd);
  assert.equal(code, 1);
  assert.match(err, /^error: \.gitignore can't be written \(EACCES\)/);
});

test("a file where a folder should be is an error", async (t) => {
  const cwd = await project(t, {
    "package.json": packageJson(["next"]),
    app: "a file",
  });
  const { code, err } = await init(t, cwd);
  assert.equal(code, 1);
  assert.match(err, /^error: app.* can't be written/);
});

test("nothing is written through a symbolic link that leads out of the folder", async (t) => {
  const outside = await project(t);
  const cwd = await project(t, { "package.json": packageJson(["next"]) });
  for (const path of [".dev.vars", ".gitignore", "wrangler.toml"])
    await symlink(join(outside, path), join(cwd, path));
  await symlink(outside, join(cwd, "app"));
  const { code, out, err } = await init(t, cwd);
  assert.equal(code, 1);
  assert.match(
    err,
    /^error: app is a symbolic link that leads out of this folder/,
  );
  assert.match(out, /^skipped +\.gitignore/m);
  assert.deepEqual(await contents(outside), {});

  await rm(join(cwd, "app"));
  await mkdir(join(cwd, "inside"));
  await symlink("inside", join(cwd, "app"));
  assert.match((await init(t, cwd)).out, /\.git\/info\/exclude/);
  assert.ok((await contents(cwd))["inside/media/session/route.js"]);
});

test("with a module, the configuration has its binding and what it offers", async (t) => {
  for (const [path, ...args] of [
    ["wrangler.toml"],
    ["wrangler.jsonc", "--jsonc"],
  ]) {
    const cwd = await project(t);
    const { code, out, err } = await init(
      t,
      cwd,
      ...["--name", "mine", "--upstream-module", MODULE, ...args],
      ...["--origin", "https://app.example.com"],
    );
    assert.deepEqual([code, err], [0, ""]);
    const { [path]: text } = await contents(cwd);
    const own = text.replaceAll(/^ *(#|\/\/).*\n/gm, "");
    assert.match(own, /"?binding"?(:| =) "UPSTREAM"/);
    assert.match(own, /"?service"?(:| =) "mine-upstream"/);
    assert.match(
      own,
      /"?CAPABILITIES"?(:| =) "text_to_image,omni_reference_to_video,image_to_video,text_to_video"/,
    );
    assert.doesNotMatch(own, /UPSTREAM_BASE_URL/);
    assert.match(out, /Deploy the module as the Worker mine-upstream/);
    assert.doesNotMatch(out, /Fill in UPSTREAM_BASE_URL/);
    const checked = await run(t, ["doctor"], { cwd });
    assert.equal(checked.code, 0, checked.out + checked.err);
  }
});

test("for a provider, a module is written, and the configuration binds what it offers", async (t) => {
  for (const [word, { key, offers, outputHosts }] of Object.entries(
    PROVIDERS,
  )) {
    const cwd = await project(t);
    const { code, out, err } = await init(
      t,
      cwd,
      ...["--name", "mine", "--provider", word],
      ...["--origin", "https://app.example.com"],
    );
    assert.deepEqual([code, err], [0, ""]);
    const files = await contents(cwd);
    assert.deepEqual(Object.keys(files).sort(), [
      ".dev.vars",
      ".gitignore",
      "upstream/.dev.vars",
      "upstream/upstream.ts",
      "upstream/wrangler.toml",
      "wrangler.toml",
    ]);
    const vars = join(cwd, "upstream/.dev.vars");
    assert.equal((await stat(vars)).mode & 0o777, 0o600);
    assert.deepEqual(
      { ...parseEnv(files["upstream/.dev.vars"]) },
      { [key]: "" },
    );
    assert.match(files[".gitignore"], /^upstream\/\.dev\.vars$/m);
    assert.match(files["upstream/wrangler.toml"], /^name = "mine-upstream"$/m);
    assert.match(files["upstream/wrangler.toml"], /^workers_dev = false$/m);
    const config = files["wrangler.toml"];
    const set = (name) =>
      new RegExp(`^${name} = "(.*)"$`, "m").exec(config)?.[1];
    assert.equal(set("service"), "mine-upstream");
    assert.equal(set("UPLOAD_MODE"), "bucket");
    assert.equal(set("OUTPUT_HOSTS"), outputHosts);
    assert.equal(set("CAPABILITIES"), offers.join(","));
    assert.match(
      out,
      new RegExp(`^- Put your key into upstream/.dev.vars, as ${key}`, "m"),
    );
    assert.match(
      out,
      /^- Fill in RESULTS_BUCKET_URL and RESULTS_ACCESS_KEY_ID/m,
    );
    // The table is what the module offers once it has its key.
    await appendFile(vars, `${key}=a-key\n`);
    const module = await readModule(join(cwd, "upstream/upstream.ts"), vars);
    assert.deepEqual(await offersOf(module), offers);
    await appendFile(
      join(cwd, "wrangler.toml"),
      'RESULTS_BUCKET_URL = "https://bucket.invalid/results"\nRESULTS_ACCESS_KEY_ID = "id"\n',
    );
    const checked = await run(t, ["doctor"], { cwd });
    assert.equal(checked.code, 0, checked.out + checked.err);
  }
});

test("a module and a configuration that exist stay, and --provider excludes another upstream", async (t) => {
  const own = "export default {};";
  const cwd = await project(t, { "upstream/upstream.js": own });
  await init(t, cwd);
  const { out } = await init(t, cwd, "--provider", "runway");
  const files = await contents(cwd);
  assert.equal(files["upstream/upstream.js"], own);
  assert.equal(files["upstream/upstream.ts"], undefined);
  assert.match(out, /^unchanged +upstream\/upstream\.js/m);
  assert.match(
    out,
    /^- Bind the module in wrangler\.toml, .*UPSTREAM with the service mediagate-upstream\.$/m,
  );
  for (const [args, message] of /** @type {const} */ ([
    [
      ["--provider", "other"],
      /--provider is "other"; it is one of fal, replicate/,
    ],
    [
      ["--provider", "fal", "--upstream", "https://api.example.com"],
      /--provider excludes --upstream and --upstream-module/,
    ],
  ])) {
    const { code, err } = await init(t, await project(t), ...args);
    assert.equal(code, 2);
    assert.match(err, message);
  }
});

test("the doctor runs the project's module, and says what it lacks", async (t) => {
  const cwd = await project(t);
  await init(t, cwd, "--provider", "custom");
  const at = (path) => join(cwd, path);
  await appendFile(
    at("wrangler.toml"),
    'RESULTS_BUCKET_URL = "https://bucket.invalid/results"\nRESULTS_ACCESS_KEY_ID = "id"\n',
  );
  const found = async (code) => {
    const checked = await run(t, ["doctor"], { cwd });
    assert.equal(checked.code, code, checked.out + checked.err);
    return checked.out;
  };
  const replace = async (path, before, after) => {
    const text = await readFile(at(path), "utf8");
    assert.ok(text.includes(before), text);
    await writeFile(at(path), text.replace(before, after));
  };
  const isNotReady = /^note: .* is not ready: set EXAMPLE_KEY/m;
  // The deployed module may have its secret already.
  assert.match(await found(0), isNotReady);
  await appendFile(at("upstream/.dev.vars"), "EXAMPLE_KEY=a-key\n");
  assert.doesNotMatch(await found(0), isNotReady);
  const offers = 'CAPABILITIES = "text_to_video"';
  const more = 'CAPABILITIES = "text_to_video,resize_video"';
  await replace("wrangler.toml", offers, more);
  assert.match(
    await found(1),
    /^error: CAPABILITIES lists resize_video, which upstream\/upstream\.ts does not offer/m,
  );
  await replace("wrangler.toml", more, offers);
  await replace("upstream/wrangler.toml", 'name = "', 'name = "other-');
  assert.match(
    await found(1),
    /^error: UPSTREAM binds the Worker \S+, and upstream\/wrangler\.toml names other-/m,
  );
  await replace("upstream/wrangler.toml", 'name = "other-', 'name = "');
  await appendFile(at("upstream/upstream.ts"), "const broken = {");
  assert.match(
    await found(1),
    /^error: the module upstream\/upstream\.ts can't be bundled/m,
  );
});
