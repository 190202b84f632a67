// A browser receives nothing that contains the API key, whatever the upstream does.
import assert from "node:assert/strict";
import { test } from "node:test";
import { logged, SETTINGS } from "../support/gateway.mjs";
import { TIMEOUT_MS, within } from "../support/within.mjs";
import { eventually, png } from "./playground.mjs";
import { suite } from "./suite.mjs";
import { readTasks } from "./tasks.mjs";

const suited = suite();
const { open } = suited;

const KEY = SETTINGS.UPSTREAM_API_KEY;
const SECRETS = [KEY, SETTINGS.SESSION_SECRET, SETTINGS.SEAL_SECRET];
/** A text of a person. No log may contain it. */
const TITLE = "a quiet morning";
const forms = (secret) => [
  secret,
  Buffer.from(secret).toString("base64").slice(0, -4),
  encodeURIComponent(secret),
];

/**
 * Records all that the page receives: status line, headers and body of each response, including
 * redirects.
 */
function record(page) {
  const received = [];
  page.on("response", (response) => {
    const whole = async () => {
      const headers = JSON.stringify(await response.headersArray());
      // A response without a body (a preflight, an aborted range) still has headers.
      const body = await response.body().catch(() => Buffer.alloc(0));
      return {
        url: response.url(),
        text: `${response.statusText()}\n${headers}\n${body.toString("latin1")}`,
      };
    };
    received.push(whole());
  });
  return received;
}

test("the key reaches the upstream and nothing else, the storage sees no session token, and no log has a secret", async (t) => {
  const echoed = await fetch(
    `${suited.stack.emulator}/api/app/v1/generate/image/text_to_image`,
    {
      method: "POST",
      headers: {
        authorization: `Bearer ${KEY}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({ prompt: "p", title: "emulate: echo-key" }),
    },
  );
  assert.ok(
    (await echoed.text()).includes(KEY),
    "the upstream does not echo the key: this test would prove nothing",
  );

  const playground = await open(t, "background_removal");
  const { page } = playground;
  const received = record(page);
  await playground.reload();
  await playground.choose("file_id", png(64, 64));
  let created = 0;
  for (const title of [
    TITLE,
    "emulate: echo-key",
    "emulate: echo-key numeric-id",
    "emulate: state=FAILED echo-key seconds=0.2",
  ]) {
    await playground.fill("title", title);
    await playground.submit();
    created += 1;
    await page
      .locator(
        ".task:first-child:is([data-state=SUCCEEDED], [data-state=FAILED])",
      )
      .waitFor();
  }
  for (const title of [
    "code=13",
    "code=99",
    "code=12",
    "code=1404",
    "html",
    "empty",
    "reset",
    "cut",
  ]) {
    await playground.fill("title", `emulate: ${title} echo-key`);
    await playground.submit();
    created += 1;
    await playground.failure();
  }
  // Only the codes 13 and 12 are certain to mean that there is no task.
  const listed = page.locator(".task");
  assert.equal(await listed.getByText("outcome unknown").count(), 6);
  assert.equal(await listed.getByText("not started").count(), 2);
  assert.equal(await listed.count(), created);

  const responses = await within(
    TIMEOUT_MS,
    "reading the responses",
    Promise.all(received),
  );
  assert.ok(
    responses.some((response) => /upload_urls/.test(response.url)) &&
      responses.some((response) => /\/tasks\//.test(response.url)),
  );
  assert.ok(
    responses.some((response) =>
      response.url.startsWith(suited.stack.emulator),
    ),
    "no result was loaded",
  );
  const stored = await page.evaluate(() =>
    JSON.stringify([
      { ...localStorage },
      { ...sessionStorage },
      document.cookie,
      document.documentElement.outerHTML,
    ]),
  );
  const records = JSON.stringify(await readTasks(page));
  assert.match(records, /outcome|unknown/);
  const ofPage = {
    url: "the page's storage and document",
    text: stored + records,
  };
  for (const { url, text } of [...responses, ofPage]) {
    for (const form of SECRETS.flatMap(forms))
      assert.ok(!text.includes(form), `${url} carries a secret`);
  }

  const put = playground.requests.find((request) => request.method === "PUT");
  assert.equal(put.headers.authorization, undefined);
  // The log's lines may arrive after the page has the responses.
  const isLogged = (name) =>
    logged(suited.stack.logs).some(({ operation }) => operation === name);
  await eventually(
    () => ["background_removal", "events"].every(isLogged),
    true,
  );
  const logs = suited.stack.logs.join("\n");
  for (const secret of [...SECRETS, TITLE]) assert.ok(!logs.includes(secret));
});
