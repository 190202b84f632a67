// WebKitGTK: its MiniBrowser on a display without a screen, driven by Selenium's client through
// WebKitWebDriver.
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Builder, By, Capabilities, Key, Origin } from "selenium-webdriver";
import { freePort } from "../port.mjs";
import { TIMEOUT_MS } from "../within.mjs";
import { startDisplay } from "./display.mjs";
import { Page } from "./page.mjs";

const BROWSER =
  process.env.MINIBROWSER ??
  "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser";
const DRIVER = process.env.WEBKIT_DRIVER ?? "/usr/bin/WebKitWebDriver";
/** Milliseconds until an element must exist, and until a script must end. */
const TIMEOUTS = { implicit: TIMEOUT_MS, script: TIMEOUT_MS };
/**
 * Milliseconds for a command of the driver, which may stop responding, and for the end of a
 * session.
 */
const COMMAND_MS = 120_000;
const QUIT_MS = 10_000;
/** The number of ports that are tried. Another program may take one before the driver does. */
const PORTS = 5;

/** Records what a page prints and throws, which the driver does not report. */
function record() {
  if (globalThis.recordedLines) return;
  globalThis.recordedLines = [];
  const add = (...values) =>
    globalThis.recordedLines.push(values.map(String).join(" "));
  for (const level of ["debug", "log", "info", "warn", "error"]) {
    const print = console[level];
    console[level] = (...values) => {
      add(...values);
      print.apply(console, values);
    };
  }
  addEventListener("error", ({ message }) => add(message));
  addEventListener("unhandledrejection", ({ reason }) => add(reason));
}

/** @returns {Promise<import("./index.mjs").Engine>} */
export async function start() {
  const display = await startDisplay();
  const home = await mkdtemp(join(tmpdir(), "mediagate-webkit-"));
  const env = {
    ...process.env,
    DISPLAY: display.name,
    HOME: home,
    XDG_RUNTIME_DIR: home,
    GDK_BACKEND: "x11",
  };
  const sessions = new Set();
  return {
    open: async () => {
      const session = await startSession(env);
      sessions.add(session);
      return new Page(
        drive(
          session.client,
          await session.client.getWindowHandle(),
          session.stop,
        ),
      );
    },
    head: `<script>(${record})()</script>`,
    close: async () => {
      for (const session of sessions) await session.stop();
      await display.stop();
      // A process of the browser that still ends may write meanwhile.
      await rm(home, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/** Starts a driver with one session. Its storage is its own and ends with it. */
async function startSession(env) {
  const { child, ended, url } = await startDriver(env);
  let client;
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null)
      await Promise.race([client?.quit().catch(() => {}), sleep(QUIT_MS)]);
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // Every process of the group has ended.
    }
    await ended;
  };
  try {
    client = await connect(url);
    return { client, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Starts a driver, and waits until it listens. */
async function startDriver(env) {
  for (let attempt = 0; attempt < PORTS; attempt += 1) {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    // The output of the driver and the browser is ignored: it warns of sound and fonts that are not
    // installed.
    const child = spawn(DRIVER, [`--port=${port}`], {
      env,
      stdio: "ignore",
      // In a group of its own, so that a signal to the group also ends the browser.
      detached: true,
    });
    const ended = new Promise((resolve) => child.once("exit", resolve));
    if (await isListening(url, child)) return { child, ended, url };
  }
  throw new Error(`WebKitWebDriver ended on each of ${PORTS} ports`);
}

async function connect(url) {
  const options = { binary: BROWSER, args: ["--automation"] };
  const capabilities = new Capabilities({
    browserName: "MiniBrowser",
    "webkitgtk:browserOptions": options,
  });
  const client = await new Builder()
    .disableEnvironmentOverrides()
    .usingServer(url)
    .withCapabilities(capabilities)
    .build();
  const execute = client.execute.bind(client);
  client.execute = async (command) => {
    const late = sleep(COMMAND_MS, undefined, { ref: false }).then(() => {
      throw new Error(`the driver did not respond to ${command.getName()}`);
    });
    return Promise.race([execute(command), late]);
  };
  await client.manage().setTimeouts(TIMEOUTS);
  return client;
}

/** Waits until a driver listens. Returns false if it ends before that. */
async function isListening(url, child) {
  const end = Date.now() + TIMEOUT_MS;
  while (child.exitCode === null && child.signalCode === null) {
    if (await fetch(`${url}/status`).catch(() => undefined)) return true;
    if (Date.now() > end) {
      child.kill("SIGKILL");
      throw new Error(`WebKitWebDriver did not listen within ${TIMEOUT_MS} ms`);
    }
    await sleep(50);
  }
  return false;
}

/**
 * Runs in the page: waits until an element has stopped moving. The driver presses at the place that
 * the element had when the click began.
 */
async function untilStill(selector) {
  const place = () =>
    JSON.stringify(document.querySelector(selector)?.getBoundingClientRect());
  for (let before = ""; before !== place(); ) {
    before = place();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Runs in the page: selects the text of a control. */
function select(selector) {
  const control = document.querySelector(selector);
  control.focus();
  control.select();
}

/**
 * @param {import("selenium-webdriver").WebDriver} client
 * @param {string} tab its window handle
 * @param {() => Promise<unknown>} close
 * @returns {import("./page.mjs").Driver}
 */
function drive(client, tab, close) {
  // The session's commands go to one tab at a time.
  const focused = () => client.switchTo().window(tab);
  const element = async (selector) => {
    await focused();
    return client.findElement(By.css(selector));
  };
  const evaluate = async (work, argument) => {
    await focused();
    // A result of `undefined` would arrive as null, so the result is in an array.
    const script = `return Promise.resolve((${work})(arguments[0]))
      .then((result) => (result === undefined ? [] : [result]))`;
    return (await client.executeScript(script, argument))[0];
  };
  return {
    goto: async (url) => {
      await focused();
      await client.get(url);
      await evaluate(record);
    },
    reload: async () => {
      await focused();
      await client.navigate().refresh();
      await evaluate(record);
    },
    evaluate,
    lines: () => evaluate(() => globalThis.recordedLines ?? []),
    click: async (selector) => {
      const found = await element(selector);
      await evaluate(untilStill, selector);
      await found.click();
    },
    type: async (selector, text) => {
      const control = await element(selector);
      // The driver's `clear` sends no `input`, so the page would put the old text back when it
      // renders.
      await evaluate(select, selector);
      await control.sendKeys(Key.BACK_SPACE, text.replaceAll("\n", Key.ENTER));
    },
    press: async (selector, key) =>
      (await element(selector)).sendKeys(
        Key[key.toUpperCase().replace("ARROW", "ARROW_")] ?? key,
      ),
    choose: async (selector, paths) =>
      (await element(selector)).sendKeys(paths.join("\n")),
    drag: async (from, to) => {
      await focused();
      const move = ({ x, y }) => ({
        x: Math.round(x),
        y: Math.round(y),
        origin: Origin.VIEWPORT,
        duration: 200,
      });
      await client
        .actions()
        .move(move(from))
        .press()
        .move(move(to))
        .release()
        .perform();
    },
    openTab: async (url) => {
      await client.switchTo().newWindow("tab");
      const other = drive(client, await client.getWindowHandle(), close);
      await other.goto(url);
      return other;
    },
    close,
  };
}
