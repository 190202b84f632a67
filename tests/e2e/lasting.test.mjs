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
import { readTasks } from "./tasks.mjs";

const suited = suite();
const { open } = suited;

/** @type {Parameters<import("playwright-core").Route["fulfill"]>[0]} */
const LOST = { status: 200, contentType: "text/html", body: "<html>" };

const inForm = ({ page }, name) =>
  page.locator(".form").getByRole("button", { name, exact: true });

test("a task goes on after a reload, under the same session, and its watch can be stopped and resumed", async (t) => {
  const playground = await open(t, "text_to_image_turbo");
  const { page } = playground;
  await playground.createTask(3);
  await eventually(() => playground.streams(), 1);
  await playground.press(/^Stop watching/);
  await playground.stage
    .getByText("The media service cannot cancel a task")
    .waitFor();
  await eventually(() => playground.streams(), 0);
  const count = () => playground.count("GET", /\/tasks\//);
  let reads = count();
  // A reload would end a write that has only begun, and then the create would be repeated with its
  // key.
  await readTasks(page);
  await playground.reload();
  await sleep(1_500);
  assert.equal(count(), reads);
  await playground.press(/^Watch .* again/);
  await readTasks(page);
  await playground.reload();
  await playground.reaches("SUCCEEDED");
  await playground.result.waitFor();
  assert.equal(playground.count("POST", /text_to_image_turbo$/), 1);

  await readTasks(page);
  reads = count();
  await playground.reload();
  await playground.result.waitFor();
  await sleep(1_500);
  assert.equal(count(), reads, "a finished task is not read again");
});

test("a page that is left while a result is moved, and again during the create, creates its task once", async (t) => {
  const playground = await open(t, "text_to_image_turbo");
  const { page } = playground;
  const isCreateUrl = /\/background_removal$/;
  const isCreate = (request) =>
    request.method() === "POST" && isCreateUrl.test(request.url());
  await playground.make(BOAT);
  await playground.useIn("Remove background");
  const waiting = [];
  await page.route("**/api/app/v1/files", (route) => void waiting.push(route));
  await playground.run();
  await playground.task.getByText("moving the result").waitFor();
  await eventually(() => waiting.length, 1);
  assert.equal(playground.count("POST", isCreateUrl), 0);

  // The first create reaches the gateway, and its response never reaches the page. The route stays,
  // because the end of a route sends the requests that it holds.
  let isMade = false;
  await page.route(isCreateUrl, async (route) => {
    if (isMade) return route.continue();
    await forward(route);
    isMade = true;
  });
  await page.unroute("**/api/app/v1/files");
  await page.reload();
  await playground.task.getByText("sending").waitFor();
  await eventually(() => isMade, true);
  const replay = page.waitForResponse((response) =>
    isCreate(response.request()),
  );
  await page.reload();
  assert.equal(await (await replay).headerValue("idempotent-replayed"), "true");
  await playground.reaches("SUCCEEDED");
  assert.equal(await page.locator(".task").count(), 2);
  const keys = playground.requests
    .filter(({ request }) => isCreate(request))
    .map(({ headers }) => headers["idempotency-key"]);
  assert.equal(keys.length, 2);
  assert.equal(keys[0], keys[1]);
});

test("a create whose response was lost is repeated with its key, after a reload and from another tab, unless a person wants a new task", async (t) => {
  const playground = await open(t, "text_to_image_turbo");
  const { page } = playground;
  const keys = [];
  let lost = true;
  await page.context().route(/\/text_to_image_turbo$/, async (route) => {
    keys.push(route.request().headers()["idempotency-key"]);
    const response = await forward(route);
    await route.fulfill(lost ? LOST : { response });
  });
  const sent = (count) =>
    eventually(async () => {
      await nextTurn();
      return keys.length;
    }, count);
  const credits = async () => (await suited.scene()).credits;
  const before = await credits();
  await playground.fillIn(BOAT);
  await playground.run();
  const { code, text } = await playground.failure();
  assert.equal(code, "unreadable");
  assert.equal(text.match(/unknown whether a task was created/g).length, 1);
  await playground.task.getByText("outcome unknown").waitFor();
  const spent = before - (await credits());
  assert.ok(spent > 0);

  await inForm(playground, "Ask again").press("Enter");
  await sent(2);
  await inForm(playground, "Ask again").waitFor();
  const other = await page.context().newPage();
  await other.goto(playground.url);
  await other.locator(".task").getByText("outcome unknown").waitFor();
  await playground.reload();
  lost = false;
  await playground.press("Ask again", playground.stage);
  await playground.reaches("SUCCEEDED");
  await other.locator('.task[data-state="SUCCEEDED"]').waitFor();
  assert.equal(new Set(keys).size, 1);
  assert.equal(before - (await credits()), spent);
  assert.equal(await page.locator(".task").count(), 1);

  await playground.fill("title", "emulate: code=99");
  await inForm(playground, "Run").press("Enter");
  await playground.stage
    .getByText("The gateway does not know either")
    .waitFor();
  await page.getByText("A new task may cost credits a second time.").waitFor();
  await inForm(playground, "Run as a new task").press("Enter");
  await sent(5);
  assert.equal(new Set(keys).size, 3);
});
