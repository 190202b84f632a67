// Pipelines on bare workerd, killed at each of their requests.
import { test } from "node:test";
import { killedAt, POINTS } from "../../support/film.mjs";
import { folder } from "../../support/folder.mjs";
import { processes, serve } from "../support.mjs";

/**
 * Returns a function that starts a gateway in one folder, each time with the stored data. `stop`
 * kills it.
 */
async function launcher(t) {
  const cwd = await folder(t);
  /** @param {Record<string, string>} settings */
  return async (settings) => {
    const started = await serve(t, settings.UPSTREAM_BASE_URL, {
      cwd,
      settings,
    });
    // Read now: at the end of a test, the folder is removed first.
    const { workerd } = await processes(cwd);
    const stop = async () => {
      if (started.child.exitCode !== null) return;
      process.kill(workerd, "SIGKILL");
      await started.ended;
    };
    return { url: started.url, stop };
  };
}

for (const point of POINTS) {
  test(`on a server, a pipeline killed at its request ${point} ends, with each create sent once at most`, async (t) =>
    killedAt(t, point, { launch: await launcher(t) }));
}
