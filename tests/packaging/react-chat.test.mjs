// mediagate/react in a page like a chat, which a server has rendered.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { picture } from "../support/fixtures.mjs";
import { until } from "../support/within.mjs";
import { install, remove, run, tool } from "./support/install.mjs";
import { suite } from "./support/suite.mjs";

// Long enough for a reload before the end of a task, and of the upload of the file.
const TASK_SECONDS = "4";
const UPLOAD_SPEED = 1_000_000;
const FILE_SIDE = 1_200;
const suited = suite({
  storage: true,
  stack: {
    flags: ["--task-seconds", TASK_SECONDS],
    uploadSpeed: UPLOAD_SPEED,
  },
});

/** The credits that a picture and a cutout cost at the emulator. */
const PICTURE = 4;
const CUTOUT = 2;

let folder;
let file;
let html;
before(async () => {
  folder = await install("react-chat", "react-chat");
  const build = (...options) =>
    run(tool("vite"), ["build", "--logLevel", "warn", ...options], folder);
  await build("--outDir", "dist/client");
  await build("--outDir", "dist/server", "--ssr", "server.jsx");
  const { render } = await import(`${folder}/dist/server/server.js`);
  const page = `${folder}/dist/client/index.html`;
  html = (await readFile(page, "utf8")).replace("<!--app-->", render());
  await writeFile(page, html);
  file = `${folder}/boat.png`;
  await writeFile(file, picture(FILE_SIDE, FILE_SIDE));
});
after(() => remove(folder));

async function open(t) {
  const opened = await suited.visit(t, `${folder}/dist/client`);
  await opened.page.shows("p", "connected");
  return opened;
}

/** Resolves to the credits that are left of the emulator's account. */
async function credits() {
  return (await (await fetch(`${suited.stack.admin}/scene`)).json()).credits;
}

/** Asserts that React has not warned, such as of a page that differs from the server's. */
async function assertClean(page) {
  const lines = await page.lines();
  const own = lines.filter((line) => !line.includes("React DevTools"));
  assert.deepEqual(own, []);
}

/** Waits until an image of this part of the page is loaded. */
const showsImage = (page, part, alt) =>
  page.waitFor((selector) => {
    const image = /** @type {HTMLImageElement | null} */ (
      document.querySelector(selector)
    );
    return image?.naturalWidth > 0;
  }, `${part} img[alt="${alt}"]`);

/** Waits until the past results have this prompt. */
const lists = (page, prompt) =>
  page.waitFor(
    (prompt) => document.querySelector("ol").textContent.includes(prompt),
    prompt,
  );

async function create(page, form, prompt) {
  await page.type(`#${form} input`, prompt);
  await page.click(`#${form} button`);
}

/** Starts the create of a cutout, and waits until its file is being uploaded. */
async function upload(page) {
  await page.choose("#cutout input", file);
  await page.click("#cutout button");
  await page.find("#cutout meter");
  await page.shows("#cutout output", "creating");
}

test("a server renders the page, which shows a running task again after a reload", async (t) => {
  assert.match(html, /<p>connecting<\/p>/);
  assert.match(html, /<button type="submit" disabled="">/);
  const before = await credits();
  const { page } = await open(t);
  await page.shows("#left output", "idle");
  await create(page, "left", "a paper boat");
  await page.find("#left progress");
  await lists(page, "a paper boat");
  await page.reload();
  await page.shows("#left output", "succeeded");
  await showsImage(page, "#left", "a paper boat");
  await showsImage(page, "ol", "a paper boat");
  await page.shows("ol", "a paper boat: SUCCEEDED");
  assert.equal(before - (await credits()), PICTURE);
  assert.ok(await page.evaluate(() => globalThis.served.isConnected));
  await assertClean(page);
});

test("a reload while a file is uploaded goes on with the create", async (t) => {
  const before = await credits();
  const { page } = await open(t);
  await upload(page);
  await page.reload();
  await page.find("#cutout meter");
  await page.shows("#cutout output", "restoring");
  await page.shows("#cutout output", "succeeded");
  await showsImage(page, "#cutout", "boat.png");
  await page.shows("ol", "boat.png: SUCCEEDED");
  assert.equal(before - (await credits()), CUTOUT);
  await assertClean(page);
});

test("a double click creates one picture", async (t) => {
  const before = await credits();
  const { page } = await open(t);
  await page.type("#left input", "a paper boat");
  await page.evaluate(() => {
    const button = /** @type {HTMLButtonElement} */ (
      document.querySelector("#left button")
    );
    button.click();
    button.click();
  });
  await page.shows("#left output", "succeeded");
  await page.shows("ol", "a paper boat: SUCCEEDED");
  assert.equal(before - (await credits()), PICTURE);
  await assertClean(page);
});

test("a create goes on while its component is not mounted, which shows it again", async (t) => {
  const before = await credits();
  const { page } = await open(t);
  await upload(page);
  await page.click("#toggle");
  await page.waitFor(() => !document.querySelector("#cutout"));
  await page.click("#toggle");
  await page.find("#cutout meter");
  await page.shows("#cutout output", "creating");
  await page.click("#toggle");
  // The emulator has the create although nobody sees it.
  const isCreated = async () => before - (await credits()) === CUTOUT;
  await until(isCreated, "the create");
  await page.click("#toggle");
  await page.shows("#cutout output", "succeeded");
  await showsImage(page, "#cutout", "boat.png");
  assert.equal(before - (await credits()), CUTOUT);
  await assertClean(page);
});

test("components with two names have a generation each", async (t) => {
  const before = await credits();
  const { page } = await open(t);
  await create(page, "left", "a paper boat");
  await page.shows("#right output", "idle");
  await create(page, "right", "a kite");
  await showsImage(page, "#left", "a paper boat");
  await showsImage(page, "#right", "a kite");
  assert.equal(before - (await credits()), 2 * PICTURE);
  await assertClean(page);
});

test("another tab lists the task, and shows no generation", async (t) => {
  const { page, address } = await open(t);
  await create(page, "left", "a paper boat");
  await page.find("#left progress");
  const other = await page.openTab(address);
  await lists(other, "a paper boat");
  await other.shows("#left output", "idle");
  await create(other, "right", "a kite");
  await lists(page, "a kite");
  await page.shows("#right output", "idle");
  await assertClean(page);
  await assertClean(other);
});
