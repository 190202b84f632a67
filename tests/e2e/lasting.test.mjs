// Tasks outlive the page that created them. A create whose outcome is unknown is repeated, and
// creates no second task.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  setImmediate as nextTurn,
  setTimeout as sleep,
} from "node:timers/promises";
import { forward } from "../support/forward.mjs";
import { BOAT, eventually } from "./playground.mjs";
import { suite } from "./suite.mjs";
import { changeTasks, readTasks } from "./tasks.mjs";

const suited = suite();
const { open } = suited;

/** @type {Parameters<import("playwright-core").Route["fulfill"]>[0]} */
const LOST = { status: 200, contentType: "text/html", body: "<html>" };
const FORBIDDEN = {
  status: 403,
  json: {
    code: 13,
    message: "no such scope",
    data: { reason: "scope", outcome: "not_sent" },
  },
};

/**
 * Records the keys of creates. While `lost` is set, each create reaches the gateway, and the page
 * gets that response instead of the gateway's.
 */
async function interceptCreates({ page }) {
  const creates = { keys: [], lost: LOST };
  await page
    .context()
    .route(/\/(generate|process)\/(image|video)\//, async (route) => {
      creates.keys.push(route.request().headers()["idempotency-key"]);
      const response = await forward(route);
      await route.fulfill(creates.lost ?? { response });
    });
  return creates;
}

/** Waits until this many creates were sent. */
const sent = (creates, count) =>
  eventually(async () => {
    await nextTurn();
    return creates.keys.length;
  }, count);

const credits = async () => (await suited.scene()).credits;

const inForm = ({ page }, name) =>
  page.locator(".form").getByRole("button", { name, exact: true });

test("a task goes on after a reload, under the same session, and is created once", async (t) => {
  const playground = await open(t, "text_to_image_turbo");
  const release = await playground.holdReads();
  await playground.createTask(1);
  // A reload would end a write that has only begun, and then the create would be repeated with its
  // key.
  await readTasks(playground.page);
  await playground.reload();
  assert.notEqual(
    await playground.task.getAttribute("data-state"),
    "SUCCEEDED",
  );
  await release();
  await playground.reaches("SUCCEEDED");
  await playground.result.waitFor();
  assert.equal(playground.count("POST", /text_to_image_turbo$/), 1);

  // A reload would end a write that has only begun.
  await readTasks(playground.page);
  const reads = playground.count("GET", /\/tasks\//);
  await playground.reload();
  await playground.result.waitFor();
  await sleep(1_500);
  assert.equal(
    playground.count("GET", /\/tasks\//),
    reads,
    "a finished task is neither read nor followed again",
  );
});

test("watching can be stopped and resumed", async (t) => {
  const playground = await open(t, "text_to_image_turbo");
  await playground.createTask(60);
  await eventually(() => playground.streams(), 1);
  await playground.press(/^Stop watching/);
  await playground.task
    .getByText("The media service cannot cancel a task")
    .waitFor();
  await eventually(() => playground.streams(), 0);
  const reads = playground.count("GET", /\/tasks\//);
  await sleep(1_500);
  assert.equal(playground.count("GET", /\/tasks\//), reads);
  await playground.press(/^Watch .* again/);
  await eventually(() => playground.streams(), 1);
});

test("a page that is left during a create finds its task again, and it is created once", async (t) => {
  const playground = await open(t, "text_to_image_turbo");
  const { page } = playground;
  const isCreateUrl = /\/image\/text_to_image_turbo$/;
  const isCreate = (request) =>
    request.method() === "POST" && isCreateUrl.test(request.url());
  const keys = [];
  page.on(
    "request",
    (request) =>
      isCreate(request) && keys.push(request.headers()["idempotency-key"]),
  );
  // The first create reaches the gateway, and its response never reaches the page. The route stays,
  // because the end of a route sends the requests that it holds.
  let isMade = false;
  await page.route(isCreateUrl, async (route) => {
    if (isMade) return route.continue();
    await forward(route);
    isMade = true;
  });
  await playground.fillIn(BOAT);
  await playground.run();
  await playground.task.getByText("sending").waitFor();
  await eventually(() => isMade, true);
  const replay = page.waitForResponse((response) =>
    isCreate(response.request()),
  );
  await page.reload();
  assert.equal(await (await replay).headerValue("idempotent-replayed"), "true");
  await playground.reaches("SUCCEEDED");
  assert.equal(await page.locator(".task").count(), 1);
  assert.equal(keys.length, 2);
  assert.equal(keys[0], keys[1]);
});

test("a create whose response was lost is repeated with its key, after a reload and from another tab", async (t) => {
  const playground = await open(t, "text_to_image_turbo");
  const { page } = playground;
  const creates = await interceptCreates(playground);
  const before = await credits();
  await playground.fillIn(BOAT);
  await playground.run();
  const { code, text } = await playground.failure();
  assert.equal(code, "unreadable");
  assert.match(text, /unknown whether a task was created/);
  assert.equal(text.match(/unknown whether/g).length, 1);
  await playground.task.getByText("outcome unknown").waitFor();
  const spent = before - (await credits());
  assert.ok(spent > 0);

  await inForm(playground, "Ask again").press("Enter");
  await sent(creates, 2);
  await inForm(playground, "Ask again").waitFor();
  await playground.fill("width", "96");
  await inForm(playground, "Run").waitFor();
  await playground.fillIn({ width: 64, prompt: "a paper boat " });
  await playground.fill("prompt", "a paper boat");

  const other = await page.context().newPage();
  await other.goto(playground.url);
  await other.locator(".task").getByText("outcome unknown").waitFor();
  await playground.reload();
  await playground.press("Ask again", playground.task);
  await sent(creates, 3);
  await playground.task.getByText("outcome unknown").waitFor();
  // Waits for the write of the shown tasks.
  await readTasks(page);
  // The refusal of this attempt tells nothing about the first one.
  creates.lost = FORBIDDEN;
  await playground.press("Ask again", playground.task);
  await playground.task.locator('.failure[data-code="forbidden"]').waitFor();
  await playground.task.getByText("outcome unknown").waitFor();
  await readTasks(page);

  creates.lost = undefined;
  await playground.press("Ask again", playground.task);
  await playground.reaches("SUCCEEDED");
  await other.locator('.task[data-state="SUCCEEDED"]').waitFor();
  assert.equal(new Set(creates.keys).size, 1);
  assert.equal(before - (await credits()), spent);
  assert.equal(await page.locator(".task").count(), 1);
  await inForm(playground, "Run").waitFor();
});

/** Milliseconds after which no create is repeated: an hour less than the gateway keeps its key. */
const OLD_MS = 23 * 3_600_000;

test("a person decides about an outcome that the gateway does not know, and about a request that is almost a day old", async (t) => {
  const playground = await open(t, "text_to_image_turbo");
  const { page } = playground;
  const creates = await interceptCreates(playground);
  creates.lost = undefined;
  await playground.fillIn({ ...BOAT, title: "emulate: code=99" });
  await playground.run();
  assert.match(
    (await playground.failure()).text,
    /The gateway does not know either/,
  );
  await inForm(playground, "Ask again").press("Enter");
  await sent(creates, 2);
  await page.getByText("A new task may cost credits a second time.").waitFor();
  await inForm(playground, "Run as a new task").press("Enter");
  await page.locator(".task").nth(1).waitFor();
  await sent(creates, 3);
  assert.equal(creates.keys[0], creates.keys[1]);
  assert.notEqual(creates.keys[0], creates.keys[2]);

  await page.locator(".task").getByText("outcome unknown").nth(1).waitFor();
  await changeTasks(page, {
    startedAt: Date.now() - OLD_MS,
    sentAt: Date.now() - OLD_MS,
  });
  await page.reload();
  await page
    .locator(".task")
    .getByText("The gateway remembers a request for only a day")
    .first()
    .waitFor();
  await inForm(playground, "Run").waitFor();
  assert.equal(
    await page.getByRole("button", { name: "Ask again" }).count(),
    0,
  );
});

test("Run continues an unsettled task even if it was removed", async (t) => {
  const playground = await open(t, "text_to_image_turbo");
  const { page } = playground;
  const creates = await interceptCreates(playground);
  await playground.fillIn(BOAT);
  await playground.run();
  await playground.task.getByText("outcome unknown").waitFor();
  await playground.press(/^Remove/, playground.task);
  await playground.task.waitFor({ state: "detached" });
  creates.lost = undefined;
  await playground.finish();
  assert.deepEqual([creates.keys.length, new Set(creates.keys).size], [2, 1]);
  assert.equal(await page.locator(".task").count(), 1);
});

test("a second press of Try again during the first creates nothing", async (t) => {
  const playground = await open(t, "text_to_image_turbo");
  const creates = await interceptCreates(playground);
  creates.lost = undefined;
  await playground.make({ ...BOAT, title: "emulate: state=FAILED" }, "FAILED");
  const pressTwice = (button) => {
    button.click();
    button.click();
  };
  await playground.task
    .getByRole("button", { name: "Try again" })
    .evaluate(pressTwice);
  await playground.page.locator('.task[data-state="FAILED"]').nth(1).waitFor();
  await playground.go("merge_pdf");
  assert.equal(creates.keys.length, 2);
  assert.equal(await playground.page.locator(".task").count(), 2);
});

test("a cancel while the form still waits for the client creates nothing", async (t) => {
  const playground = await open(t, "text_to_image_turbo");
  const { page } = playground;
  const creates = await interceptCreates(playground);
  await playground.fill("prompt", "a paper boat");
  await playground.written();
  const waiting = [];
  await page.route(/\.wasm$/, (route) => void waiting.push(route));
  await page.reload();
  await eventually(
    () => playground.field("prompt").locator("textarea").inputValue(),
    "a paper boat",
  );
  await playground.run();
  await inForm(playground, "Cancel").press("Enter");
  await inForm(playground, "Run").waitFor();
  await eventually(() => waiting.length > 0, true);
  for (const route of waiting) await route.continue();
  await playground.connected();
  assert.equal(await page.locator(".task").count(), 0);
  assert.deepEqual(creates.keys, []);
  await playground.run();
  await sent(creates, 1);
});
