// A proxy before the gateway, for a test suite that has no token and calls tools of its own. The
// proxy adds a token to every request, and calls the gateway's tools instead of the suite's.
// Everything else passes unchanged, including `Host` and `Origin`.
import { createServer, request } from "node:http";
import { listen } from "../../support/listen.mjs";

/**
 * Starts the proxy on a free port.
 *
 * @param {(url: string) => Promise<{ url: string }>} start starts the gateway, for the URL that
 *   callers use
 * @param {() => string} token
 * @param {Record<string, (input: any) => any[]>} standIns by the name of the suite's tool: the tool
 *   and the arguments to call instead
 * @returns {Promise<{ url: string, stop: () => Promise<void> }>}
 */
export async function startProxy(start, token, standIns = {}) {
  let target;
  const server = createServer(async (incoming, outgoing) => {
    const chunks = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const { body, headers } = substitute(
      Buffer.concat(chunks),
      incoming.headers,
      standIns,
    );
    const options = {
      method: incoming.method,
      headers: { ...headers, authorization: `Bearer ${token()}` },
      setHost: false,
    };
    const forwarded = request(target + incoming.url, options, (response) => {
      outgoing.writeHead(response.statusCode, response.headers);
      response.pipe(outgoing);
    });
    outgoing.on("close", () => forwarded.destroy());
    forwarded.on("error", () => outgoing.destroy());
    forwarded.end(body);
  });
  const url = await listen(server);
  const stop = () => {
    server.closeAllConnections();
    return new Promise((stopped) => server.close(stopped));
  };
  try {
    ({ url: target } = await start(url));
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, stop };
}

/**
 * Returns the request with the name and the arguments of the replacement. A wrong `Mcp-Name` header
 * stays wrong.
 */
function substitute(body, headers, standIns) {
  const { params, ...message } = parseJson(body) ?? {};
  const standIn = message.method === "tools/call" && standIns[params?.name];
  if (!standIn) return { body, headers };
  const [name, input] = standIn(params.arguments ?? {});
  const text = Buffer.from(
    JSON.stringify({
      ...message,
      params: { ...params, name, arguments: input },
    }),
  );
  const renamed =
    headers["mcp-name"] === params.name ? { "mcp-name": name } : {};
  return {
    body: text,
    headers: { ...headers, ...renamed, "content-length": String(text.length) },
  };
}

function parseJson(body) {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
