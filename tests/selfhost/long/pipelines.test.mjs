// Pipelines on bare workerd, killed at each of their requests.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { killedAt, POINTS } from "../../support/film.mjs";
import { folder, serve } from "../support.mjs";

for (const point of POINTS) {
  test(`on a server, killed at its request ${point}, a pipeline ends, and each create was sent once at most`, async (t) => {
    const cwd = await folder(t);
    /** @param {Record<string, string>} settings */
    const launch = async (settings) => {
      const started = await serve(t, settings.UPSTREAM_BASE_URL, { cwd, settings });
      const stop = async () => {
        const lock = JSON.parse(await readFile(join(cwd, "mediagate-data/gateway.lock"), "utf8"));
        process.kill(lock.pids[1], "SIGKILL");
        await started.ended;
      };
      return { url: started.url, stop };
    };
    await killedAt(point, { launch });
  });
}
