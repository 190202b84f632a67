// Measures the calls of all clients in alternating rounds, in Node and in a page.
import * as fal from "../subjects/fal.mjs";
import * as byHand from "../subjects/fetch.mjs";
import * as mediagate from "../subjects/mediagate.mjs";
import * as replicate from "../subjects/replicate.mjs";
import { stubFetch } from "../subjects/responses.mjs";
import * as runway from "../subjects/runway.mjs";
import { takeTurns } from "../support/rounds.mjs";

/**
 * Measures the microseconds per call of each client. A client that does not work here has a note
 * instead.
 *
 * @param {BufferSource} wasm
 * @param {{ name: string, input: unknown, rounds: number, calls: number, clock?: () => number }}
 *   options
 */
export async function measureAll(wasm, { name, input, ...options }) {
  const restore = stubFetch();
  try {
    const { clients, failed } = await openAll(wasm);
    const pick = (call) =>
      Object.fromEntries(
        Object.entries(clients).flatMap(([name, client]) =>
          client[call] ? [[name, client[call]]] : [],
        ),
      );
    const create = await takeTurns(withoutArguments(pick("create")), options);
    const status = await takeTurns(withoutArguments(pick("status")), options);
    const validate = await takeTurns(
      { mediagate: () => clients.mediagate.validate(name, input) },
      options,
    );
    return { create, status, validate, failed };
  } finally {
    restore();
  }
}

const withoutArguments = (calls) =>
  Object.fromEntries(
    Object.entries(calls).map(([name, call]) => [name, () => call()]),
  );

async function openAll(wasm) {
  const clients = {};
  const failed = [];
  for (const subject of [mediagate, byHand, fal, replicate, runway]) {
    try {
      const client = await subject.open("https://gateway.test", wasm);
      await client.create();
      await client.status();
      clients[subject.name] = client;
    } catch (error) {
      failed.push(
        `${subject.name} does not work here: ${String(error).split("\n")[0]}`,
      );
    }
  }
  return { clients, failed };
}
