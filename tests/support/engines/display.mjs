// Starts a display without a screen, because WebKitGTK has no headless mode.
import { spawn } from "node:child_process";
import { once } from "node:events";

/**
 * Starts Xvfb on a free display.
 *
 * @returns {Promise<{ name: string, stop: () => Promise<void> }>} `name` is the value of `DISPLAY`
 */
export async function startDisplay() {
  const program = process.env.XVFB ?? "/usr/bin/Xvfb";
  // Xvfb writes the number of the display to the file descriptor 3 once it is ready.
  const options = [
    "-displayfd",
    "3",
    "-screen",
    "0",
    "1280x1024x24",
    "-nolisten",
    "tcp",
  ];
  const child = spawn(program, options, {
    stdio: ["ignore", "ignore", "inherit", "pipe"],
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const failed = ended.then((code) =>
    Promise.reject(new Error(`Xvfb ended with ${code}; its message is above`)),
  );
  const [number] = await Promise.race([once(child.stdio[3], "data"), failed]);
  failed.catch(() => {});
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
  };
  return { name: `:${String(number).trim()}`, stop };
}
