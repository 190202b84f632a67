import { setTimeout as sleep } from "node:timers/promises";
import { send } from "./send.js";

/**
 * @typedef {object} Person
 * @property {(lines: string) => void} show
 * @property {(capability: string) => Promise<boolean>} consents resolves to true if a task, which
 *   costs credits, may be created
 * @property {AbortSignal} interrupted
 */

/**
 * Runs a probe to its end, or until the person interrupts it: sends its requests, asks its
 * questions, and shows each exchange. The wasm decides what to send and how to show it.
 *
 * @param {any} probe the wasm's
 * @param {(response: string) => string} shownResponse
 * @param {string} key
 * @param {Person} person
 * @returns {Promise<{ file: string, is_needed: boolean, is_enough: boolean }>}
 */
export async function runProbe(probe, shownResponse, key, person) {
  const hide = (text) => text.replaceAll(key, "(the key)");
  let last = "";
  /** Sends a request, and returns the event of its response. */
  const exchange = async (request) => {
    const show = (response) =>
      person.show(
        hide(`── ${request.purpose}\n→ ${request.shown}\n← ${response}\n`),
      );
    try {
      if (request.has_key && !probe.isOrigin(request.url))
        throw new Error("the key is for another host");
      const sent = await send(request, key);
      const response = { ...sent, text: hide(sent.text) };
      const exchanged = JSON.stringify([request, response]);
      // A poll with the same response as the last one shows nothing.
      if (exchanged !== last) show(shownResponse(JSON.stringify(response)));
      last = exchanged;
      return { response };
    } catch (error) {
      const { cause, message } = /** @type {Error & { cause?: Error }} */ (
        error
      );
      const why = hide(cause?.message ?? message);
      show(`no response: ${why}`);
      return { failed: why };
    }
  };
  const { interrupted } = person;
  for (let event = {}; ; ) {
    const step = JSON.parse(probe.advance(JSON.stringify(event)));
    if (step.done) return step.done;
    event = {};
    if (interrupted.aborted) event = { interrupted: true };
    else if (step.send) event = await exchange(step.send);
    else if (step.consent) {
      const consent = await person.consents(step.consent);
      event = interrupted.aborted ? { interrupted: true } : { consent };
    } else
      await sleep(step.wait, undefined, { signal: interrupted }).catch(
        () => {},
      );
  }
}
