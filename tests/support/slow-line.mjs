// A slow line to a server. A client's bytes arrive at the given speed, the server's at once.
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { Transform } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { listen } from "./listen.mjs";

/**
 * Starts a line on a free port of 127.0.0.1.
 *
 * @param {number} port the server's port on 127.0.0.1; the server may start later
 * @param {number} bytesPerSecond
 * @returns {Promise<{ url: string, stop: () => Promise<void> }>}
 */
export async function startSlowLine(port, bytesPerSecond) {
  /** @type {Set<import("node:net").Socket>} */
  const sockets = new Set();
  const line = createServer((near) => {
    const far = connect({ host: "127.0.0.1", port });
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.once("close", () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
      // An aborted request is no error of the line.
      socket.on("error", () => {});
    }
    near.pipe(slow(bytesPerSecond)).pipe(far);
    far.pipe(near);
  });
  const url = await listen(line);
  const stop = async () => {
    for (const socket of sockets) socket.destroy();
    line.close();
    await once(line, "close");
  };
  return { url, stop };
}

/** @param {number} bytesPerSecond */
const slow = (bytesPerSecond) =>
  new Transform({
    async transform(chunk, _, done) {
      await sleep((1000 * chunk.length) / bytesPerSecond);
      done(null, chunk);
    },
  });
