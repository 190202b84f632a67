// Waits for the signal that ends a command.
import { once } from "node:events";
import { packageManagerEnded } from "./parent.js";

/**
 * Resolves once the process gets one of these signals, or its package manager is gone. Call it
 * before a part is started: without a listener, a signal would end only this process, and the part
 * would run on.
 *
 * @param {NodeJS.Signals[]} signals
 */
export const nextSignal = (signals = ["SIGINT", "SIGTERM", "SIGHUP"]) =>
  Promise.race([
    ...signals.map((signal) => once(process, signal)),
    packageManagerEnded(),
  ]).then(() => undefined);

/**
 * Waits until a part ends by itself or the process gets a signal, then stops every part.
 *
 * @param {{ name: string, ended: Promise<number | string>, stop: () => Promise<void> }[]} parts
 * @param {Promise<undefined>} signalled `nextSignal`, called before the first of them was started
 * @returns {Promise<number>} the exit code: 0 after a signal, 1 if a part has ended by itself
 */
export async function untilSignal(parts, signalled) {
  const ended = parts.map(
    async (part) => `${part.name} has ended (${await part.ended})`,
  );
  const failure = await Promise.race([signalled, ...ended]);
  if (failure) console.error(`error: ${failure}; the lines above may say why`);
  await Promise.all(parts.map((part) => part.stop()));
  return failure ? 1 : 0;
}
