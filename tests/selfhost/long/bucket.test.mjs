// `mediagate-gateway bucket-cors`, and the doctor's findings about the buckets of a published
// server and of the emulator.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { bucketOf } from "../../../gateway/src/emulator/bucket.js";
import { startEmulator } from "../../support/emulator.mjs";
import { bucketClient, startMoto } from "../../support/moto.mjs";
import { freePort } from "../../support/port.mjs";
import { startUpstream } from "../../support/upstream.mjs";
import { project } from "../init-support.mjs";
import { run } from "../support.mjs";

let emulator, moto;
before(async () => {
  emulator = await startEmulator(["--results", "placeholder"]);
  moto = await startMoto();
});
after(async () => {
  await moto?.stop();
  await emulator?.stop();
});

/**
 * Returns the doctor's lines about a bucket whose secret is in the environment. The configuration
 * only has the bucket's settings.
 */
async function examined(t, settings, name = "wrangler.toml") {
  const { RESULTS_SECRET_ACCESS_KEY: secret, ...vars } = settings;
  const lines = Object.entries(vars).map(
    (entry) => `${entry[0]} = "${entry[1]}"\n`,
  );
  const text = name.endsWith(".toml")
    ? `[vars]\n${lines.join("")}`
    : `// as JSON\n${JSON.stringify({ vars })}`;
  const cwd = await project(t, { [name]: text });
  const env = secret === undefined ? {} : { RESULTS_SECRET_ACCESS_KEY: secret };
  const { out, err } = await run(t, ["doctor"], { cwd, env });
  assert.ok(!secret || !`${out}${err}`.includes(secret));
  return out
    .split("\n")
    .filter((line) => /bucket of RESULTS_BUCKET_URL/.test(line));
}

/** Returns the keys of a bucket's objects. */
async function keysIn(settings) {
  const client = bucketClient(settings);
  const listed = await client.fetch(settings.RESULTS_BUCKET_URL);
  return (await listed.text()).match(/<Key>/g) ?? [];
}

test("bucket-cors lets pages read a bucket, and the doctor notices the difference", async (t) => {
  const settings = await moto.createBucket("cors");
  const [found, ...others] = await examined(t, settings);
  assert.match(found, /^error: pages can't read .*bucket-cors/);
  assert.deepEqual(others, []);

  // Pages of the gateway's own origin only need that origin to be allowed.
  const own = "https://www.example.com";
  const rule = `<AllowedOrigin>${own}</AllowedOrigin><AllowedMethod>GET</AllowedMethod>`;
  const body = `<CORSConfiguration><CORSRule>${rule}</CORSRule></CORSConfiguration>`;
  const url = `${settings.RESULTS_BUCKET_URL}?cors`;
  await bucketClient(settings).fetch(url, { method: "PUT", body });
  assert.equal((await examined(t, settings)).length, 1);
  const ofOwn = { ...settings, PUBLIC_URL: own, ALLOWED_ORIGINS: own };
  assert.deepEqual(await examined(t, ofOwn), []);

  const cwd = await project(t);
  const bucketCors = (...args) =>
    run(t, ["bucket-cors", ...args], { cwd, env: settings });
  const refused = await bucketCors();
  assert.equal(refused.code, 1);
  assert.match(refused.err, /has CORS rules already; .*--replace/);
  const set = await bucketCors("--replace");
  assert.equal(set.code, 0, set.err);
  assert.deepEqual(await examined(t, settings), []);
  assert.deepEqual(await keysIn(settings), []);
  const empty = await moto.createBucket("cors-of-none");
  const first = await run(t, ["bucket-cors"], { cwd, env: empty });
  assert.equal(first.code, 0, first.err);
});

test("the doctor tries an upload as a page makes it, if uploads go to the bucket", async (t) => {
  const settings = {
    ...(await moto.createBucket("uploads")),
    UPLOAD_MODE: "bucket",
  };
  // The rule of earlier versions: pages can only read.
  const rule =
    "<AllowedOrigin>*</AllowedOrigin><AllowedMethod>GET</AllowedMethod>";
  const body = `<CORSConfiguration><CORSRule>${rule}</CORSRule></CORSConfiguration>`;
  const url = `${settings.RESULTS_BUCKET_URL}?cors`;
  await bucketClient(settings).fetch(url, { method: "PUT", body });
  const found = await examined(t, settings);
  assert.match(found.join("\n"), /^error: pages can't upload .*bucket-cors`/);
  assert.equal(found.length, 1);
  const cwd = await project(t);
  const args = ["bucket-cors", "--replace"];
  const set = await run(t, args, { cwd, env: settings });
  assert.equal(set.code, 0, set.err);
  assert.deepEqual(await examined(t, settings), []);
  assert.deepEqual(await keysIn(settings), []);
});

test("a bucket that takes results, and no upload with signed headers, is reported", async (t) => {
  let stored = "";
  const cors = {
    "access-control-allow-origin": "*",
    "access-control-allow-methods": "GET, PUT",
    "access-control-allow-headers": "content-type",
  };
  const bucket = await startUpstream(({ method, path, body }) => {
    const isSigned = path.includes("content-length%3Bcontent-type%3Bhost");
    if (method === "PUT" && isSigned)
      return { status: 403, body: "<Error><Code>AccessDenied</Code></Error>" };
    if (method === "PUT") stored = body;
    return { headers: cors, body: method === "GET" ? stored : "" };
  });
  t.after(() => bucket.stop());
  const settings = {
    ...bucketOf(emulator),
    RESULTS_BUCKET_URL: `${bucket.url}/mine`,
  };
  assert.deepEqual(await examined(t, settings), []);
  const found = await examined(t, { ...settings, UPLOAD_MODE: "bucket" });
  assert.match(
    found.join("\n"),
    /^error: the bucket of RESULTS_BUCKET_URL refuses an upload .*\(403 AccessDenied\), so UPLOAD_MODE=bucket does not work; check [^\n]*$/,
  );
});

test("the emulator's bucket needs nothing, and no secret is printed", async (t) => {
  const settings = bucketOf(emulator);
  for (const uploads of [{}, { UPLOAD_MODE: "bucket" }])
    assert.deepEqual(await examined(t, { ...settings, ...uploads }), []);
  const wrong = { ...settings, RESULTS_SECRET_ACCESS_KEY: "canary" };
  assert.match(
    (await examined(t, wrong, "wrangler.jsonc")).join("\n"),
    /^error: RESULTS_ACCESS_KEY_ID may not store .*\(403 SignatureDoesNotMatch\); check RESULTS_SECRET_ACCESS_KEY [^\n]*$/,
  );
  const { RESULTS_SECRET_ACCESS_KEY: _, ...unset } = settings;
  assert.match(
    (await examined(t, unset)).join("\n"),
    /^note: .* was not tried; set RESULTS_SECRET_ACCESS_KEY in the environment/,
  );
  const closed = {
    ...settings,
    RESULTS_BUCKET_URL: `http://127.0.0.1:${await freePort()}/b`,
  };
  assert.match(
    (await examined(t, closed)).join("\n"),
    /^error: the bucket of RESULTS_BUCKET_URL can't be reached \(ECONNREFUSED\)/,
  );
});

test("bucket-cors prints the rules, and lists missing settings", async (t) => {
  const cwd = await project(t);
  const printed = (format) =>
    run(t, ["bucket-cors", "--print", format], { cwd });
  const [rule] = JSON.parse((await printed("json")).out);
  assert.deepEqual(
    [rule.AllowedOrigins, rule.AllowedMethods],
    [["*"], ["GET", "HEAD", "PUT"]],
  );
  assert.match(
    (await printed("xml")).out,
    /<AllowedOrigin>\*<\/AllowedOrigin>\n\s*<AllowedMethod>GET<\/AllowedMethod>/,
  );
  assert.equal((await printed("yaml")).code, 2);
  const lacking = await run(t, ["bucket-cors"], { cwd });
  assert.equal(lacking.code, 1);
  assert.match(lacking.err, /RESULTS_BUCKET_URL, .* are missing; set each/);
});
