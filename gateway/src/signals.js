// Until when a command runs.
import { once } from "node:events";

/**
 * Resolves once the process gets a signal. Take it before a part is started: without a listener, a signal would end this
 * process alone, and the part would run on.
 */
export const nextSignal = () =>
  Promise.race(
    ["SIGINT", "SIGTERM", "SIGHUP"].map((it) => once(process, it)),
  ).then(() => undefined);

/**
 * Runs until a part ends by itself, or the process has got a signal; then stops every part.
 *
 * @param {{ name: string, ended: Promise<number | string>, stop: () => Promise<void> }[]} parts
 * @param {Promise<undefined>} signalled `nextSignal`, from before the first of them was started
 * @returns {Promise<number>} the exit code: 0 after a signal, 1 where a part has ended by itself
 */
export async function untilSignal(parts, signalled) {
  const ended = parts.map(
    async ({ name, ended }) => `${name} has ended (${await ended})`,
  );
  const failure = await Promise.race([signalled, ...ended]);
  if (failure) console.error(`error: ${failure}; the lines above may say why`);
  await Promise.all(parts.map((it) => it.stop()));
  return failure ? 1 : 0;
}
