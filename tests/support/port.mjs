import { once } from "node:events";
import { createServer } from "node:net";
import { listen } from "./listen.mjs";

/** A port of 127.0.0.1 that was free just now, for a program whose port is an argument. */
export async function freePort() {
  const server = createServer();
  const { port } = new URL(await listen(server));
  server.close();
  await once(server, "close");
  return Number(port);
}
