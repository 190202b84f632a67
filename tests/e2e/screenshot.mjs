// Takes the README's picture of the playground, with real tasks, from a stack of its own; after `cargo xtask test`, which
// builds all it needs: node tests/e2e/screenshot.mjs [light|dark] [path]
import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { startBrowser } from "../support/browser.mjs";
import { tone, wav } from "../support/fixtures.mjs";
import { startStack } from "../support/stack.mjs";
import { Playground, download, file, shownSize } from "./playground.mjs";

const path = fileURLToPath(new URL("../../docs/playground.png", import.meta.url));

const stack = await startStack();
const browser = await startBrowser();
try {
  const options = { viewport: { width: 1280, height: 800 }, deviceScaleFactor: 2, colorScheme: process.argv[2] ?? "light" };
  const playground = await Playground.open(browser, stack.url, "adjust_audio_volume", options);
  await makeTasks(playground);
  await mkdir(new URL("../../docs/", import.meta.url), { recursive: true });
  await playground.page.evaluate(() => scrollTo(0, 0));
  await playground.page.screenshot({ path: process.argv[3] ?? path });
} finally {
  await browser.close();
  await stack.stop();
}

/** A sound, a picture, and a video made from that picture. */
async function makeTasks(playground) {
  await playground.choose("input_file_id", file("interview.wav", "audio/wav", wav(tone(8_000))));
  await playground.fill("volume", "-6dB");
  await playground.run();
  await playground.reaches("SUCCEEDED");

  await playground.go("text_to_image");
  await playground.fill("prompt", "a lighthouse at dusk, seen from the harbour");
  await playground.fill("width", "1024");
  await playground.fill("height", "576");
  await playground.fill("seed", "99");
  await playground.run();
  await playground.page.locator(".task").nth(1).waitFor();
  await playground.reaches("SUCCEEDED");
  const [picture] = await playground.results();

  await playground.go("image_to_video");
  await playground.choose("file_id", file("lighthouse.png", "image/png", await download(picture)));
  await playground.fill("prompt", "slow push in, waves rolling below");
  await playground.page.getByText("16:9", { exact: true }).click();
  await playground.fill("duration_seconds", "4");
  await playground.run();
  await playground.page.locator(".task").nth(2).waitFor();
  await playground.reaches("SUCCEEDED");
  // The player's controls need a moment after the first picture is there.
  await shownSize(playground.task.locator("video"));
  await playground.page.waitForTimeout(2_000);
}
