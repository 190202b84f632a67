// An agent passes a file by its URL. The gateway loads it, if the host is in the operator's list.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  Client,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { token } from "../support/token.mjs";
import { BYTES, file, startTransfers } from "../support/transfers.mjs";
import { call, refusal } from "./support/client.mjs";

const HOST = {
  "/photo.png": file("image/png"),
  "/other.png": file("image/png"),
  "/film.mp4": file("video/mp4"),
  "/private.png": (_, response) => response.writeHead(401).end(),
  /** Sends the bytes over some seconds. */
  "/slow.png": async (_, response) => {
    const headers = { "content-type": "image/png" };
    response.writeHead(200, { "content-length": BYTES.length, ...headers });
    for (let at = 0; at < BYTES.length && !response.destroyed; at += 40_000) {
      response.write(BYTES.subarray(at, at + 40_000));
      await sleep(900);
    }
    response.end();
  },
};

const creates = ({ seen }) =>
  seen.filter((line) => /^POST .*(generate|process)/.test(line)).length;

test("the tool makes a file of a URL that other tools accept", async (t) => {
  const { gateway, host, created, uploads } = await startTransfers(t, HOST);
  const url = `${host.url}/photo.png`;
  const use = async (input) => {
    const result = await call(gateway, "use_url", input);
    return result.isError
      ? refusal(result).data.reason
      : result.structuredContent;
  };
  const { file_id, size } = await use({ url, kind: "image" });
  assert.equal(size, BYTES.length);
  assert.equal((await use({ url, kind: "image" })).file_id, file_id);
  const input = { file_id, prompt: "slow push in" };
  assert.ok(!(await call(gateway, "image_to_video", input)).isError);
  assert.equal(created[0].file_id, "file-1");
  assert.equal(await use({ url, kind: "video" }), "invalid_fields");
  assert.equal(uploads.length, 1);
});

test("an argument for a file accepts its URL, also in a list and beside ids", async (t) => {
  const { gateway, host, created, uploads } = await startTransfers(t, HOST);
  const photo = `${host.url}/photo.png`;
  const input = { file_id: photo, prompt: "slow push in" };
  const key = { idempotency_key: "k" };
  const scope = "generate:* process:* upload";
  // The repetition gets its task though the budget is used up.
  const bearer = token("alice", scope, { budget: { creates: 1 } });
  const animate = () =>
    call(gateway, "image_to_video", { ...input, ...key }, { bearer });
  const first = await animate();
  const again = await animate();
  assert.ok(first.structuredContent.task.id, JSON.stringify(first));
  assert.deepEqual(again.structuredContent, first.structuredContent);
  assert.deepEqual(created.splice(0), [{ ...input, file_id: "file-1" }]);
  const used = await call(gateway, "use_url", { url: photo });
  const { file_id } = used.structuredContent;
  const references = {
    prompt: "https://a.example/ is no file here",
    image_file_ids: [photo, file_id, `${host.url}/other.png`],
    video_file_ids: [`${host.url}/film.mp4`],
  };
  const { isError } = await call(
    gateway,
    "omni_reference_to_video",
    references,
  );
  assert.ok(!isError);
  const [sent] = created;
  assert.equal(sent.prompt, references.prompt);
  assert.deepEqual(sent.image_file_ids.slice(0, 2), ["file-1", "file-2"]);
  assert.equal(
    new Set([...sent.image_file_ids, ...sent.video_file_ids]).size,
    4,
  );
  assert.equal(uploads.length, 4);
});

test("a step of a pipeline and an estimate accept the URL of a file", async (t) => {
  const { gateway, host, created, uploads } = await startTransfers(t, HOST);
  const input = { file_id: `${host.url}/photo.png`, prompt: "slow push in" };
  const step = { capability: "image_to_video", input };
  const steps = [
    { name: "one", ...step },
    { name: "two", ...step },
  ];
  const started = await call(gateway, "run_pipeline", { steps });
  assert.ok(!started.isError, JSON.stringify(started));
  const { id } = started.structuredContent.pipeline;
  const wait = { pipeline_id: id, wait_seconds: 10 };
  const ended = await call(gateway, "get_pipeline", wait);
  assert.equal(
    ended.structuredContent.pipeline.state,
    "SUCCEEDED",
    JSON.stringify(ended.structuredContent),
  );
  assert.deepEqual(
    created.map((body) => body.file_id),
    ["file-1", "file-1"],
  );
  const estimate = await call(gateway, "estimate_credits", step);
  assert.ok(!estimate.isError, JSON.stringify(estimate));
  assert.match(JSON.stringify(created.at(-1)), /"file_id":"file-1"/);
  assert.equal(uploads.length, 1);
  const wrong = [
    { ...steps[0], input: { ...input, file_id: `${host.url}/film.mp4` } },
  ];
  const error = refusal(await call(gateway, "run_pipeline", { steps: wrong }));
  assert.match(error.message, /: steps\.one\.input\.file_id: the URL leads/);
});

test("a URL that can't be used is reported, and nothing is created", async (t) => {
  const { gateway, host, upstream, uploads } = await startTransfers(t, HOST);
  const omni = (image_file_ids) =>
    call(gateway, "omni_reference_to_video", { prompt: "p", image_file_ids });
  for (const [url, reason, words] of [
    ["/private.png", "input_needs_login", /without a login/],
    ["/film.mp4", "invalid_fields", /of the type video\/mp4/],
    ["https://10.0.0.1/a.png", "input_host_not_allowed", /INPUT_HOSTS/],
  ]) {
    const whole = String(url).startsWith("/") ? host.url + url : url;
    const { message, data } = refusal(await omni([whole]));
    assert.deepEqual([data.reason, data.outcome], [reason, "not_sent"]);
    assert.match(message, /^invalid input: image_file_ids\[0\]: /);
    assert.match(message, /** @type {RegExp} */ (words));
  }
  assert.deepEqual([creates(upstream), uploads], [0, []]);
});

test("nothing is loaded for a call that is refused", async (t) => {
  const { gateway, host, upstream, uploads } = await startTransfers(t, HOST);
  const file_id = `${host.url}/photo.png`;
  const input = { file_id, prompt: "p" };
  const clip = { capability: "image_to_video", input };
  const steps = (...list) => ({
    steps: list.map((step, index) => ({ name: `s${index}`, ...step })),
  });
  const still = { capability: "text_to_image_turbo", input: { prompt: "p" } };
  const references = (...image_file_ids) => ({ prompt: "p", image_file_ids });
  const unlisted = "https://a.example/a.png";
  const OMNI = "omni_reference_to_video";
  const claims = (budget) => ({ budget });
  const all = "generate:* process:* upload";
  for (const [name, args, reason, bearer] of /** @type {any[]} */ ([
    [
      "image_to_video",
      input,
      "budget",
      token("a", all, claims({ creates: 0 })),
    ],
    [
      "image_to_video",
      { ...input, idempotency_key: "no spaces" },
      "idempotency_key",
    ],
    ["image_to_video", input, "scope", token("b", "image_to_video")],
    [OMNI, references(file_id, "foreign-id"), undefined],
    [OMNI, references(file_id, unlisted), "input_host_not_allowed"],
    ["run_pipeline", steps(clip), "scope", token("c", "text_to_image upload")],
    ["run_pipeline", steps(clip), "scope", token("d", "image_to_video")],
    [
      "run_pipeline",
      steps(clip, still),
      "budget",
      token("e", all, claims({ creates: 1 })),
    ],
    ["run_pipeline", steps(clip, { ...clip, input: { file_id } }), undefined],
    ["run_pipeline", { ...steps(clip), unknown: 1 }, undefined],
    ["estimate_credits", clip, "scope", token("f", "text_to_image upload")],
    [
      "estimate_credits",
      { ...clip, input: { ...input, prompt: 5 } },
      undefined,
    ],
  ])) {
    const result = await call(gateway, name, args, { bearer });
    const { data, message } = refusal(result);
    const about = `${name}: ${message}`;
    // A refusal without a reason lists the issues.
    if (reason) assert.equal(data.reason, reason, about);
    else assert.ok(data.errors.length > 0, about);
    if (name !== "estimate_credits") assert.equal(data.outcome, "not_sent");
  }
  assert.deepEqual([host.seen, uploads, creates(upstream)], [[], [], 0]);
});

test("a long move reports its progress, and a repeated call continues it", async (t) => {
  const { gateway, host, created, uploads } = await startTransfers(t, HOST);
  const authorization = `Bearer ${token()}`;
  // This client checks each result against the schema of its tool.
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${gateway}/mcp`), {
      requestInit: { headers: { authorization } },
    }),
  );
  await client.listTools();
  const input = { file_id: `${host.url}/slow.png`, prompt: "p" };
  const animate = async () =>
    /** @type {any} */ (
      await client.callTool({
        name: "mediagate_image_to_video",
        arguments: input,
      })
    );
  const first = await animate();
  const { loaded, total } = first.structuredContent;
  assert.equal(total, BYTES.length);
  assert.ok(loaded > 0 && loaded < total, String(loaded));
  assert.match(first.content[1].text, /call the tool again/);
  assert.deepEqual(created, []);
  const second = await animate();
  assert.ok(second.structuredContent.task.id, JSON.stringify(second));
  assert.deepEqual([created.length, uploads.length], [1, 1]);
  await client.close();
});

test("each URL counts against the rate of its caller", async (t) => {
  const { gateway, host, upstream } = await startTransfers(t, HOST, {
    settings: { RATE_LIMIT_PER_MINUTE: "5" },
  });
  const image_file_ids = Array(9).fill(`${host.url}/photo.png`);
  const input = { prompt: "p", image_file_ids };
  const result = await call(gateway, "omni_reference_to_video", input);
  const { data } = refusal(result);
  assert.equal(data.reason, "rate_limit");
  assert.ok(data.retry_after >= 1);
  assert.deepEqual([host.seen, creates(upstream)], [[], 0]);
});

test("without INPUT_HOSTS, no argument accepts a URL", async (t) => {
  const { gateway, host, upstream } = await startTransfers(t, HOST, {
    settings: { INPUT_HOSTS: "" },
  });
  const input = { file_id: `${host.url}/photo.png`, prompt: "p" };
  const error = refusal(await call(gateway, "image_to_video", input));
  assert.equal(error.data.outcome, "not_sent");
  assert.match(error.message, /file_id: this gateway loads no files/);
  assert.deepEqual([host.seen, creates(upstream)], [[], 0]);
});
