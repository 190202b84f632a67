// The page itself: every capability, on every screen size, under a strict content security policy.
// Its statements about itself: its purpose, what is emulated, and the cost of a run.
import assert from "node:assert/strict";
import { test } from "node:test";
import { documented } from "../support/catalogue.mjs";
import { forward } from "../support/forward.mjs";
import { eventually, hasFocus, png, WIDE } from "./playground.mjs";
import { suite } from "./suite.mjs";
import { finishedTask, listTasks } from "./tasks.mjs";

const suited = suite();
const { open } = suited;

/**
 * Runs in the page: opens each form. Returns the names of the fields by form, and the forms that
 * are wider than the window.
 */
async function openForms(names) {
  const MAX_FRAMES = 600;
  const fields = {};
  const wider = [];
  for (const name of names) {
    location.hash = name;
    const isShown = () =>
      document.querySelector(`[id^="field-${name}-"]`) !== null;
    for (let frame = 0; frame < MAX_FRAMES && !isShown(); frame += 1)
      await new Promise(requestAnimationFrame);
    const rows = /** @type {NodeListOf<HTMLElement>} */ (
      document.querySelectorAll("[data-field]")
    );
    fields[name] = [...rows].map((row) => row.dataset.field).toSorted();
    if (document.documentElement.scrollWidth > innerWidth) wider.push(name);
  }
  return { fields, wider };
}

test("every capability is listed, found and opened with all fields, and nothing is wider than a screen", async (t) => {
  const playground = await open(t, "text_to_image", { viewport: WIDE });
  const { page } = playground;
  const title = "a very long title ".repeat(20).trim();
  await listTasks(page, [{ ...finishedTask(1), title }]);
  await playground.reload();
  await playground.fill("prompt", "a lighthouse");
  const links = page.locator(".capabilities li a");
  const titles = documented.map((capability) => capability.title);
  assert.deepEqual((await links.allInnerTexts()).toSorted(), titles.toSorted());
  const filter = page.getByLabel("Filter capabilities");
  await filter.fill("pdf");
  await eventually(() => links.allInnerTexts(), ["Merge PDFs", "Split PDF"]);
  await filter.fill("no such thing");
  await page.getByText("No capability matches.").waitFor();
  await filter.fill("");

  const names = documented.map(({ name }) => name);
  const expected = documented.map(({ name, fields }) => [
    name,
    fields.map((field) => field.name).toSorted(),
  ]);
  // A phone, a small phone, a tablet, and two desktops.
  for (const width of [390, 320, 820, 1280, 1440]) {
    await page.setViewportSize({ width, height: 800 });
    const { fields, wider } = await page.evaluate(openForms, names);
    assert.deepEqual(fields, Object.fromEntries(expected));
    assert.deepEqual(wider, [], `${width} pixels`);
  }
  await playground.go("text_to_image");
  const prompt = page.locator("textarea[name=prompt]");
  assert.equal(await prompt.inputValue(), "a lighthouse");
  // A title takes three lines, however long it is.
  const heading = playground.task.locator("h3");
  const { height } = await heading.boundingBox();
  assert.ok(height < 80, `${height} pixels`);
  assert.equal(await heading.locator("button").getAttribute("title"), title);
  assert.deepEqual(playground.pageErrors, []);
});

test("the introduction leaves room for the form, is dismissed for good, and can be read again", async (t) => {
  const playground = await open(t, "text_to_image", {
    viewport: { width: 800, height: 800 },
  });
  const { page } = playground;
  await page
    .locator("[data-worker=emulator]")
    .getByText("An emulator works here.")
    .waitFor();
  const introduction = page.getByRole("complementary", {
    name: "Try what Mediagate can do",
  });
  const words = (await introduction.innerText()).split(/\s+/).length;
  assert.ok(words <= 90, `${words} words`);
  assert.ok(
    (await playground.field("prompt").locator("textarea").boundingBox()).y <
      700,
  );
  await introduction.getByText("How this page works").press("Enter");
  await introduction.getByText("session token").waitFor();
  const [link] = await introduction
    .locator("dl a")
    .evaluateAll((links) => links.map((link) => link.href));
  const { info } = await (await fetch(link)).json();
  assert.ok(info.title, "the link leads to the OpenAPI document");

  await playground.press("Hide the introduction", introduction);
  await hasFocus(playground.button("About this page"));
  await playground.reload();
  assert.equal(await introduction.count(), 0);
  await playground.press("About this page");
  await hasFocus(introduction.getByRole("heading").first());
});

/** Responds with the models in the media service's form. */
const asMediaService = async (route) => {
  const response = await forward(route);
  const body = await response.json();
  delete body.data.emulated;
  await route.fulfill({ response, json: body });
};

test("the form does not move from under a pointer when the models arrive, which say if tasks cost credits", async (t) => {
  const playground = await open(t, "background_removal");
  const { page } = playground;
  const waiting = [];
  await page.route(/\/api\/app\/v1\/models$/, (route) => {
    waiting.push(route);
  });
  await playground.reload();
  await eventually(() => waiting.length, 1);
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
  const button = playground.button("Paste an address");
  const before = await button.boundingBox();
  await waiting[0].continue();
  await page.locator("[data-worker=emulator]").waitFor();
  assert.deepEqual(await button.boundingBox(), before);

  await page.unroute(/\/api\/app\/v1\/models$/);
  await page.route(/\/api\/app\/v1\/models$/, asMediaService);
  await page.reload();
  await page
    .getByText("Results are real. Each task may cost credits")
    .waitFor();
  assert.equal(await page.locator("[data-worker=emulator]").count(), 0);
});

test("a run's cost is estimated only on request, and hidden once the form has changed", async (t) => {
  const playground = await open(t, "image_to_video");
  const { page } = playground;
  const action = page.locator(".actions button", { hasText: "Estimate" });
  const estimate = () => playground.moreOfForm(/^Estimate the cost/);
  const result = page.locator(".actions .estimated");
  await page.locator("[data-worker=emulator]").waitFor();
  await estimate();
  await page.getByText("Fill in the form first.").waitFor();
  await playground.fillIn({
    file_id: png(64, 48),
    prompt: "slow push in",
    duration_seconds: 1,
  });
  await eventually(
    async () => (await action.innerText()).trim(),
    "Estimate the cost (uploads the file)",
  );
  assert.equal(playground.count("PUT", /./), 0);
  assert.equal(playground.count("POST", /\/credits\/estimate$/), 0);

  // Typing ends an earlier estimate in the next frame.
  await playground.frames();
  await estimate();
  await page
    .getByText(/^About \d+ emulated credits\. Nothing is charged\.$/)
    .waitFor();
  await eventually(
    async () => (await action.innerText()).trim(),
    "Estimate the cost",
  );
  assert.equal(playground.count("POST", /\/credits\/estimate$/), 1);
  await playground.fill("prompt", "slow push out");
  await eventually(() => result.innerText(), "");
  await playground.finish();
  assert.equal(
    playground.count("PUT", /./),
    1,
    "the run uploads nothing again",
  );
  assert.equal(await result.innerText(), "");

  // A gateway that estimates nothing offers no estimate after the first one.
  await playground.go("text_to_image");
  const refusal = {
    code: 12,
    message: "invalid input: there is nothing at this path",
    data: { reason: "unknown_path" },
  };
  await page.route(/\/credits\/estimate$/, (route) =>
    route.fulfill({ status: 404, json: refusal }),
  );
  await playground.fill("prompt", "a lighthouse");
  await playground.frames();
  await estimate();
  await action.waitFor({ state: "detached" });
  await hasFocus(playground.button("More for this form"));
});

test("the page has a policy without inline scripts and styles, and only files whose names change with their content are cached", async () => {
  const page = await fetch(suited.stack.url);
  const [, script] = (await page.text()).match(/src="(\/assets\/[^"]+\.js)"/);
  const read = async (headers) =>
    (await fetch(suited.stack.url + script, { headers })).headers;
  const headers = await read({});
  assert.equal(
    headers.get("cache-control"),
    "public, max-age=31536000, immutable",
  );
  assert.equal(
    (await read({ "if-none-match": headers.get("etag") })).get("cache-control"),
    headers.get("cache-control"),
  );
  assert.doesNotMatch(
    page.headers.get("cache-control"),
    /immutable|max-age=[1-9]/,
  );
  const policy = page.headers.get("content-security-policy");
  assert.match(policy, /script-src 'self' 'wasm-unsafe-eval'/);
  assert.doesNotMatch(policy, /'unsafe-inline'|'unsafe-eval'/);
  const missing = await fetch(`${suited.stack.url}/assets/no-such-file.js`);
  assert.doesNotMatch(missing.headers.get("cache-control") ?? "", /immutable/);
});
