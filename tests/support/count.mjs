// A reporter for Node's test runner that writes how many tests ran into the file that
// `MEDIAGATE_TEST_COUNT` names. The runner itself also succeeds if no test matches a name pattern.
import { writeFileSync } from "node:fs";

/**
 * @param {AsyncIterable<{ type: string, data: { skip?: unknown, details?: { type?: string } } }>}
 *   events
 */
export default async function* count(events) {
  let ran = 0;
  // Written synchronously, since the runner ends without waiting for open streams.
  const write = () =>
    writeFileSync(
      /** @type {string} */ (process.env.MEDIAGATE_TEST_COUNT),
      `${ran}\n`,
    );
  write();
  for await (const { type, data } of events) {
    const hasEnded = type === "test:pass" || type === "test:fail";
    // A suite is no test, and it also ends if each of its tests is skipped.
    if (hasEnded && data.skip === undefined && data.details?.type !== "suite") {
      ran++;
      write();
    }
  }
  yield "";
}
