// The buckets of the tests obey presigned URLs: the emulator's, and that of a published server.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { bucketOf } from "../../gateway/src/emulator/bucket.js";
import { startEmulator } from "../support/emulator.mjs";
import { bucketClient, startMoto } from "../support/moto.mjs";

const KEY = `results/${"a1".repeat(32)}/${"b2".repeat(32)}-0`;

let emulator, moto;
before(async () => {
  emulator = await startEmulator(["--results", "placeholder"]);
  moto = await startMoto();
});
after(async () => {
  await moto?.stop();
  await emulator?.stop();
});

for (const [name, settingsOf] of /** @type {const} */ ([
  ["the emulator's bucket", async () => bucketOf(emulator.url)],
  ["moto's bucket", () => moto.createBucket("results")],
])) {
  test(`${name} stores, serves and removes an object by presigned URLs`, async () => {
    const settings = await settingsOf();
    const client = bucketClient(settings);
    /**
     * @type {(method: string, options?: RequestInit & { query?: Record<string, string> }) =>
     * Promise<Response>}
     */
    const send = async (method, { query = {}, ...init } = {}) => {
      const url = new URL(`${settings.RESULTS_BUCKET_URL}/${KEY}`);
      for (const [parameter, value] of Object.entries(query))
        url.searchParams.set(parameter, value);
      const aws = { signQuery: true };
      const signed = await client.sign(url.href, { method, aws });
      return fetch(signed.url, { method, ...init });
    };
    const headers = { "content-type": "video/mp4" };
    const stored = await send("PUT", { headers, body: "0123456789" });
    assert.equal(stored.status, 200);
    const etag = stored.headers.get("etag");
    assert.ok(etag);

    const read = await send("GET");
    assert.equal(await read.text(), "0123456789");
    assert.equal(read.headers.get("content-type"), "video/mp4");
    assert.equal(read.headers.get("etag"), etag);
    const head = await send("HEAD");
    assert.equal(head.headers.get("content-length"), "10");

    const part = await send("GET", { headers: { range: "bytes=2-4" } });
    assert.equal(part.status, 206);
    assert.equal(part.headers.get("content-range"), "bytes 2-4/10");
    assert.equal(await part.text(), "234");
    const past = await send("GET", { headers: { range: "bytes=10-" } });
    assert.equal(past.status, 416);

    const query = {
      "response-content-type": "image/png",
      "response-content-disposition": 'attachment; filename="a b.png"',
      "response-cache-control": "private, max-age=60",
    };
    const replaced = await send("GET", { query });
    assert.equal(await replaced.text(), "0123456789");
    for (const [parameter, value] of Object.entries(query))
      assert.equal(
        replaced.headers.get(parameter.replace("response-", "")),
        value,
      );

    assert.equal((await send("DELETE")).status, 204);
    const gone = await send("GET");
    assert.equal(gone.status, 404);
    assert.match(await gone.text(), /<Code>NoSuchKey<\/Code>/);
  });
}

test("the emulator's bucket refuses what was not signed", async () => {
  const settings = bucketOf(emulator.url);
  const url = `${settings.RESULTS_BUCKET_URL}/${KEY}`;
  const code = async (signed, init) =>
    /<Code>(.*)<\/Code>/.exec(await (await fetch(signed, init)).text())?.[1];
  const sign = (changes = {}, at = new Date()) =>
    bucketClient({ ...settings, ...changes })
      .sign(`${url}?X-Amz-Expires=60`, {
        aws: { signQuery: true, datetime: dateOf(at) },
      })
      .then((signed) => signed.url);
  assert.equal(await code(url), "AccessDenied");
  const expired = sign({}, new Date(Date.now() - 70_000));
  assert.equal(await code(await expired), "AccessDenied");
  const other = { RESULTS_SECRET_ACCESS_KEY: "other" };
  assert.equal(await code(await sign(other)), "SignatureDoesNotMatch");
  const written = code(await sign(), { method: "PUT", body: "x" });
  assert.equal(await written, "SignatureDoesNotMatch");
});

/** Formats a date for a signature: `20130524T000000Z`. */
const dateOf = (date) => date.toISOString().replace(/[:-]|\.\d{3}/g, "");
