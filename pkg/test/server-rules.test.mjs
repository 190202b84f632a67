// Random claims and deliveries, beside other implementations of the same rules: the gateway's, and the published library's.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { inspect } from "node:util";
import { Webhook } from "standardwebhooks";
import { SETTINGS, startGateway } from "../../tests/support/gateway.mjs";
import { request } from "../../tests/support/request.mjs";
import { token } from "../../tests/support/token.mjs";
import { startUpstream } from "../../tests/support/upstream.mjs";
import { delivery, SECRET as KEY, now, OTHER } from "./support/deliveries.mjs";
import { below, one, server } from "./support/server.mjs";

const SECRET = SETTINGS.SESSION_SECRET;

let upstream;
let gateway;
before(async () => {
  upstream = await startUpstream(() => ({ json: { code: 0, data: {} } }));
  gateway = await startGateway({ UPSTREAM_BASE_URL: upstream.url });
});
after(() => Promise.all([gateway.stop(), upstream.stop()]));

const ODD = [
  undefined,
  null,
  true,
  0,
  1,
  -1,
  1.5,
  2 ** 32 - 1,
  2 ** 32,
  "",
  " ",
  "a",
  "7",
  "voice",
  "avatar",
  [],
  {},
];
const SUBJECTS = [
  "alice",
  "anon:x",
  "ANON:x",
  " anon:x",
  "",
  "\t",
  "\u0085",
  "\ufeff",
  "\u200b",
  "\0",
  "é",
  "\ud83c",
  "🎬",
  7,
  null,
];

const budget = () =>
  Object.fromEntries(
    ["creates", "generate", "process", "in_flight", "inFlight"]
      .filter((_, index) => below(index === 4 ? 12 : 2) === 0)
      .map((it) => [it, below(3) ? below(100) : one(ODD)])
      // JSON drops it, so the gateway sees no limit where one may have been meant.
      .filter(([, value]) => value !== undefined),
  );
const asset = () =>
  one([
    one(ODD),
    "a",
    { id: one(ODD) },
    { id: "a", category: one(ODD) },
    { id: "b", category: "voice" },
  ]);
const claims = () => ({
  sub: below(3) ? "alice" : one(SUBJECTS),
  ...(below(2) && { budget: below(6) ? budget() : one(ODD) }),
  ...(below(2) && {
    assets: below(6) ? Array.from({ length: below(3) }, asset) : one(ODD),
  }),
  ...(below(4) === 0 && { watch: one(ODD) }),
});

test("mintSession takes what the gateway accepts of another signer, and nothing else", async () => {
  const taken = { yes: 0, no: 0 };
  for (let round = 0; round < 400; round += 1) {
    const { sub, ...permissions } = claims();
    const bearer = token(sub, "", permissions);
    const { status } = await request(`${gateway.url}/api/app/v1/models`, {
      bearer,
    });
    const minted = await server
      .mintSession({ secret: SECRET, subject: sub, ...permissions })
      .catch((error) => error);
    const what = `${JSON.stringify({ sub, ...permissions })}: ${status}, ${minted.message ?? "signed"}`;
    assert.equal(minted.token !== undefined, status === 200, what);
    if (minted.token) {
      assert.equal(
        (
          await request(`${gateway.url}/api/app/v1/models`, {
            bearer: minted.token,
          })
        ).status,
        200,
        what,
      );
    }
    taken[status === 200 ? "yes" : "no"] += 1;
  }
  assert.ok(taken.yes > 50 && taken.no > 50, JSON.stringify(taken));
});

test("what the published library refuses of random deliveries is refused here, and what it verifies is verified", async () => {
  const library = new Webhook(KEY);
  const values = {
    "webhook-id": ["msg_1", "msg_2", "", "msg_1."],
    "webhook-timestamp": [String(now()), String(now() - 400), "0", ""],
    "webhook-signature": [
      "",
      "v1,",
      "v1,AAAA",
      ...[[KEY], [OTHER], [OTHER, KEY]].map(
        (secrets) => delivery({ secrets }).headers["webhook-signature"],
      ),
    ],
  };
  let count = 0;
  for (let round = 0; round < 500; round += 1) {
    const { headers, body } = delivery({
      secrets: one([[KEY], [OTHER, KEY], [OTHER]]),
    });
    const name = one(Object.keys(values));
    const changed = below(3)
      ? headers
      : { ...headers, [name]: one(values[name]) };
    const request = { headers: changed, body: below(4) ? body : `${body}\n` };
    const expected = attempt(() => library.verify(request.body, changed));
    const verified = await server
      .verifyWebhook(request, KEY)
      .then(Boolean, () => false);
    assert.equal(verified, expected, inspect(request));
    count += Number(verified);
  }
  assert.ok(count > 50 && count < 450, `${count}`);
});

/** Whether a function returns. */
function attempt(run) {
  try {
    run();
    return true;
  } catch {
    return false;
  }
}
