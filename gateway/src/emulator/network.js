// Serves the results of an emulator in the network. The emulator itself stays on this machine: only
// its results are at the network's addresses, and uploads go through the gateway.
import { once } from "node:events";
import { createServer, request as send } from "node:http";
import { buffer } from "node:stream/consumers";
import { Failure } from "../failure.js";
import { inUrl } from "../workerd/address.js";

const RESULTS = "/files/";

/**
 * Starts a server for each address, and one between the gateway and the emulator that replaces the
 * origin of results by the first address.
 *
 * @param {string} url the emulator's
 * @param {string[]} addresses
 * @returns {Promise<{ url: string, results: string, stop: () => void }>} `url` is the media
 *   service's for the gateway, `results` the origin of results
 */
export async function openResults(url, addresses) {
  const { port } = new URL(url);
  const results = `http://${inUrl(addresses[0])}:${port}`;
  const between = createServer((request, response) =>
    forward(port, request, response, [url, results]),
  );
  const servers = addresses.map(() =>
    createServer((request, response) => serveResult(port, request, response)),
  );
  const stop = () => {
    for (const server of [between, ...servers])
      server.close().closeAllConnections();
  };
  try {
    await Promise.all(
      servers.map((server, index) =>
        listen(server, Number(port), addresses[index]),
      ),
    );
    const { port: own } = await listen(between, 0, "127.0.0.1");
    return { url: `http://127.0.0.1:${own}`, results, stop };
  } catch (error) {
    stop();
    const { code, address } =
      /** @type {NodeJS.ErrnoException & { address?: string }} */ (error);
    throw new Failure(
      `results can't be served at ${address}:${port} (${code}); ` +
        "end the program that uses this port",
    );
  }
}

async function listen(server, port, host) {
  await once(server.listen(port, host), "listening");
  return server.address();
}

/** Serves only results: their URLs can't be guessed, and reading one changes nothing. */
function serveResult(port, request, response) {
  const isResult =
    request.url.startsWith(RESULTS) &&
    ["GET", "HEAD", "OPTIONS"].includes(request.method);
  if (isResult) forward(port, request, response);
  else response.writeHead(404).end();
}

/**
 * Passes a request on to the emulator, and its response back.
 *
 * @param {string} port the emulator's
 * @param {[string, string]} [origins] of results: the emulator's, and its replacement
 */
function forward(port, request, response, origins) {
  const { method, url: path, headers } = request;
  const sent = send(
    { host: "127.0.0.1", port, method, path, headers },
    (received) => {
      const isJson =
        origins &&
        received.headers["content-type"]?.startsWith("application/json");
      if (isJson)
        return void rewrite(received, response, origins).catch(() =>
          response.destroy(),
        );
      response.writeHead(received.statusCode ?? 502, received.headers);
      received.pipe(response);
      received.once("error", () => response.destroy());
    },
  );
  sent.once("error", () => response.destroy());
  response.once("close", () => sent.destroy());
  request.pipe(sent);
}

async function rewrite(received, response, [from, to]) {
  const text = (await buffer(received))
    .toString()
    .replaceAll(`${from}${RESULTS}`, `${to}${RESULTS}`);
  const headers = {
    ...received.headers,
    "content-length": Buffer.byteLength(text),
  };
  delete headers["transfer-encoding"];
  response.writeHead(received.statusCode, headers).end(text);
}
