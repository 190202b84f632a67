import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

// Ports below every system's ephemeral ports. Otherwise a connection or a server on port 0 could
// take a free port between its check and its use.
const FIRST = 15_000;
const AFTER_LAST = 32_768;
const ATTEMPTS = 20;

/**
 * Resolves to a port of 127.0.0.1 that was free just now, for a program that takes its port as an
 * argument.
 */
export async function freePort() {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = randomInt(FIRST, AFTER_LAST);
    if (await isFree(port)) return port;
  }
  throw new Error(
    `none of ${ATTEMPTS} ports of 127.0.0.1 between ${FIRST} and ${AFTER_LAST} was free`,
  );
}

/** Returns true if a server can listen on the port. */
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
