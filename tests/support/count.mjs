// A reporter for Node's test runner: how many tests ran, as a number in the file that `MEDIAGATE_TEST_COUNT` names. With a
// name pattern that nothing matches, the runner itself succeeds.
import { writeFileSync } from "node:fs";

/** @param {AsyncIterable<{ type: string, data: { skip?: unknown, details?: { type?: string } } }>} events */
export default async function* count(events) {
  let ran = 0;
  // At once: the runner, which ends without waiting for what is open, would not wait for a stream to be written either.
  const write = () =>
    writeFileSync(
      /** @type {string} */ (process.env.MEDIAGATE_TEST_COUNT),
      `${ran}\n`,
    );
  write();
  for await (const { type, data } of events) {
    const hasEnded = type === "test:pass" || type === "test:fail";
    // A suite ends too, also where each of its tests is skipped.
    if (hasEnded && data.skip === undefined && data.details?.type !== "suite") {
      ran++;
      write();
    }
  }
  yield "";
}
