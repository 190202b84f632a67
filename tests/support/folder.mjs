import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Makes a folder, which is removed after the test. At the top level of a file, `folder({ after })`
 * makes one for all its tests. In a hook, `after` would remove it at the hook's end.
 *
 * @param {{ after: (end: () => Promise<unknown>) => void }} t
 */
export async function folder(t) {
  const path = await mkdtemp(join(tmpdir(), "mediagate-"));
  // A process that still ends may write meanwhile.
  t.after(() => rm(path, { recursive: true, force: true, maxRetries: 10 }));
  return path;
}
