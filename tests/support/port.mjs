import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

// Below every system's ephemeral ports: between a free port's check and its use, a connection or a server on port 0 would
// otherwise take it now and then.
const FIRST = 15_000;
const AFTER_LAST = 32_768;
const ATTEMPTS = 20;

/** A port of 127.0.0.1 that was free just now, for a program whose port is an argument. */
export async function freePort() {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = randomInt(FIRST, AFTER_LAST);
    if (await isFree(port)) return port;
  }
  throw new Error(
    `none of ${ATTEMPTS} ports of 127.0.0.1 between ${FIRST} and ${AFTER_LAST} was free`,
  );
}

/** Whether a server can listen on it. */
async function isFree(port) {
  const server = createServer();
  server.listen(port, "127.0.0.1");
  const isListening = await once(server, "listening").then(
    () => true,
    () => false,
  );
  if (!isListening) return false;
  server.close();
  await once(server, "close");
  return true;
}
