// Webhooks at `mediagate/server`, signed by the published library of Standard Webhooks.
import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import {
  BODY,
  delivery,
  EVENT,
  now,
  OTHER,
  SECRET,
} from "./support/deliveries.mjs";
import { instance, rejection, server } from "./support/server.mjs";

const post = ({ headers, body }) =>
  new Request("https://app.example.com/hook", {
    method: "POST",
    headers,
    body,
  });
const bytes = (text) => new TextEncoder().encode(text);

/**
 * Asserts that a delivery is refused, with a message that contains no secret.
 *
 * @param {any} request
 * @param {string} code
 * @param {{ secrets?: any[], what?: string }} [options] the first of `secrets` is used; it may be
 *   `undefined`
 */
async function refused(
  request,
  code,
  { secrets = [SECRET], what = inspect(request) } = {},
) {
  const error = await rejection(
    server.verifyWebhook(request, secrets[0]),
    `${what} is verified`,
  );
  assert.deepEqual(
    [error.name, error.code],
    ["WebhookError", code],
    `${what}: ${error.stack}`,
  );
  assert.ok(error instanceof server.WebhookError && error instanceof Error);
  assert.doesNotMatch(error.message, /MfKQ9r8G|C2FVsBQI|Zoë/);
  return error.message;
}

const withHeader = (name, value, { headers, body } = delivery()) => ({
  headers: { ...headers, [name]: value },
  body,
});

test("a delivery is verified in the form of each framework", async () => {
  const { headers, body } = delivery();
  const padded = bytes(`..${body}..`);
  const forms = {
    "a Request": post({ headers, body }),
    "a string": { headers, body },
    "a Buffer": { headers, body: Buffer.from(body) },
    "an ArrayBuffer": { headers, body: bytes(body).buffer },
    "part of a buffer": { headers, body: padded.subarray(2, -2) },
    "a DataView": {
      headers,
      body: new DataView(padded.buffer, 2, padded.length - 4),
    },
    Headers: { headers: new Headers(headers), body },
    // Members like those of Node's requests.
    getters: instance({ headers, body }),
    "a rawBody, as of Firebase and Nest": {
      headers,
      body: EVENT,
      rawBody: Buffer.from(body),
    },
    "a rawBody that is a string": { headers, body: EVENT, rawBody: body },
    "an event of an API gateway": { headers, body, isBase64Encoded: false },
    "an event of an API gateway in base64": {
      headers,
      body: Buffer.from(body).toString("base64"),
      isBase64Encoded: true,
    },
    "names in capitals": {
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [
          name.toUpperCase(),
          value,
        ]),
      ),
      body,
    },
  };
  for (const [name, request] of Object.entries(forms)) {
    assert.deepEqual(
      await server.verifyWebhook(request, SECRET),
      { ...EVENT, id: "msg_1" },
      name,
    );
  }
});

async function verifiedData(type, data) {
  const event = { type, timestamp: EVENT.timestamp, data };
  const request = delivery({ body: JSON.stringify(event) });
  return (await server.verifyWebhook(request, SECRET)).data;
}

test("an event has the names of the package, and the rest of a task's record as it was sent", async () => {
  const { subject } = EVENT.data;
  const outputs = [{ asset_id: "face", kind: "image" }];
  const assets = [{ assetId: "face", kind: "image" }];
  const task = { id: "t", state: "SUCCEEDED", model_id: "m", outputs };
  assert.deepEqual(await verifiedData("task.succeeded", { task, subject }), {
    task: { ...task, outputs: assets },
    subject,
  });
  const step = {
    name: "still",
    capability: "text_to_image",
    state: "SUCCEEDED",
    uses: [],
  };
  const pipeline = {
    id: "p",
    state: "SUCCEEDED",
    created_at: "2026-11-20T09:30:00.000Z",
    ended_at: "2026-11-20T09:31:00.000Z",
    resumable: false,
    steps: [{ ...step, task_id: "t", outputs }],
    outputs,
  };
  assert.deepEqual(
    await verifiedData("pipeline.succeeded", { pipeline, subject }),
    {
      pipeline: {
        id: "p",
        state: "SUCCEEDED",
        createdAt: pipeline.created_at,
        endedAt: pipeline.ended_at,
        resumable: false,
        steps: [{ ...step, taskId: "t", outputs: assets }],
        outputs: assets,
      },
      subject,
    },
  );
});

test("during a rotation, one key that both sides have is enough", async () => {
  const verify = (secrets, secret) =>
    server.verifyWebhook(delivery({ secrets }), secret);
  for (const [secrets, secret] of /** @type {[string[], string][]} */ ([
    [[OTHER, SECRET], SECRET],
    [[SECRET], `${OTHER}, ${SECRET}`],
    [[OTHER, SECRET], ` ${SECRET},\n${OTHER},`],
  ])) {
    assert.equal(
      (await verify(secrets, secret)).type,
      "task.succeeded",
      inspect([secrets, secret]),
    );
  }
  await refused(delivery({ secrets: [OTHER] }), "invalid_signature");
});

test("signatures of other versions are ignored", async () => {
  const [valid] = delivery().headers["webhook-signature"].split(" ");
  const signed = (text) => withHeader("webhook-signature", text);
  assert.equal(
    (
      await server.verifyWebhook(
        signed(`v1a,AAAA v2,${valid.slice(3)} v1,? ${valid}`),
        SECRET,
      )
    ).id,
    "msg_1",
  );
  for (const text of [
    `v2,${valid.slice(3)}`,
    valid.slice(3),
    "v1,",
    "v1",
    `V1${valid.slice(2)}`,
    valid.replaceAll("=", ""),
  ]) {
    await refused(signed(text), "invalid_signature", { what: text });
  }
});

test("only the first 16 of many signatures are compared", async () => {
  const [valid] = delivery().headers["webhook-signature"].split(" ");
  const after = (count) =>
    withHeader(
      "webhook-signature",
      [...Array(count).fill("v1,AAAA"), valid].join(" "),
    );
  assert.equal((await server.verifyWebhook(after(15), SECRET)).id, "msg_1");
  await refused(after(16), "invalid_signature");
});

test("a delivery is valid for five minutes, in both directions of the clock", async () => {
  for (const seconds of [-270, 0, 270])
    await server.verifyWebhook(delivery({ at: now() + seconds }), SECRET);
  for (const seconds of [-330, 330, -86_400])
    await refused(delivery({ at: now() + seconds }), "wrong_time");
  for (const text of [
    "soon",
    "NaN",
    "1e9",
    `${now()}.5`,
    `+${now()}`,
    `0x${now().toString(16)}`,
    "9".repeat(400),
    " ",
  ]) {
    await refused(withHeader("webhook-timestamp", text), "wrong_time", {
      what: text,
    });
  }
});

test("a delivery with anything changed is refused", async () => {
  const { headers, body } = delivery();
  await refused(withHeader("webhook-id", "msg_2"), "invalid_signature");
  await refused(
    withHeader("webhook-timestamp", String(now() + 60)),
    "invalid_signature",
  );
  // The dots between the parts must not let bytes move from one to the next.
  await refused(
    { headers: { ...headers, "webhook-id": "msg_1.1" }, body },
    "invalid_signature",
  );
  for (const other of [
    "",
    "{}",
    `${body} `,
    body.replace("SUCCEEDED", "FAILED"),
    JSON.stringify(EVENT, null, 2),
  ]) {
    await refused({ headers, body: other }, "invalid_signature", {
      what: other,
    });
    await refused(post({ headers, body: other }), "invalid_signature", {
      what: `a Request with ${other}`,
    });
  }
  for (let bit = 0; bit < body.length; bit += 7) {
    const flipped = bytes(body);
    flipped[bit] ^= 1 << (bit % 8);
    await refused({ headers, body: flipped }, "invalid_signature", {
      what: `bit ${bit % 8} of byte ${bit}`,
    });
  }
});

test("the headers of a load balancer may be lists of one value", async () => {
  const { headers, body } = delivery();
  const lists = Object.entries(headers).map(([name, value]) => [name, [value]]);
  const multiValueHeaders = Object.fromEntries(lists);
  const event = await server.verifyWebhook({ multiValueHeaders, body }, SECRET);
  assert.equal(event.id, headers["webhook-id"]);
  const twice = { ...multiValueHeaders, "webhook-id": ["a", "b"] };
  await refused({ multiValueHeaders: twice, body }, "missing_header");
});

test("the error names a missing header of the signature", async () => {
  for (const name of ["webhook-id", "webhook-timestamp", "webhook-signature"]) {
    for (const value of [undefined, "", ["a"], 7]) {
      assert.match(
        await refused(withHeader(name, value), "missing_header"),
        new RegExp(name),
      );
    }
  }
  for (const request of [
    undefined,
    null,
    {},
    "body",
    { headers: null, body: BODY },
    { headers: [], body: BODY },
  ]) {
    await refused(request, "missing_header");
  }
});

test("the error of a body that was parsed or not read says what to use", async () => {
  const { headers } = delivery();
  for (const body of [
    EVENT,
    undefined,
    null,
    {},
    [1],
    7,
    new ReadableStream(),
    new Blob([BODY]),
  ]) {
    const message = await refused({ headers, body }, "unusable_body");
    for (const remedy of [
      /Express: .*express\.raw.*before any express\.json/,
      /Firebase: .*rawBody/,
      /Nest: .*rawBody: true/,
      /API Gateway: .*Buffer\.from\(body, "base64"\)/,
      /Next\.js.*bodyParser: false/,
    ])
      assert.match(message, remedy);
  }
  await refused(
    { headers, body: "{}", isBase64Encoded: true },
    "unusable_body",
  );
  const read = post(delivery());
  await read.json();
  assert.match(await refused(read, "unusable_body"), /read before/);
});

test("the error of an invalid secret says so, and does not repeat it", async () => {
  const of = (length) =>
    `whsec_${Buffer.alloc(length, "k").toString("base64")}`;
  for (const length of [24, 64]) {
    assert.equal(
      (
        await server.verifyWebhook(
          delivery({ secrets: [of(length)] }),
          of(length),
        )
      ).id,
      "msg_1",
    );
  }
  const wrong = [
    undefined,
    null,
    "",
    " ",
    ",",
    7,
    {},
    SECRET.slice(6),
    SECRET.replace("whsec_", "WHSEC_"),
    "whsec_",
    of(23),
    of(65),
    `${SECRET},C2FVsBQI`,
    `${SECRET}?`,
  ];
  for (const secret of [...wrong, SECRET.replace("M", " "), bytes(SECRET)]) {
    assert.match(
      await refused(delivery(), "invalid_secret", {
        secrets: [secret],
        what: inspect(secret),
      }),
      /WEBHOOK_SECRET/,
    );
  }
});

test("a signed body that is no event is refused", async () => {
  for (const body of [
    "",
    "null",
    "[]",
    "7",
    "{}",
    '{"type":7}',
    "{",
    "\ufffd",
  ]) {
    await refused(delivery({ body }), "unreadable_event", { what: body });
  }
});
