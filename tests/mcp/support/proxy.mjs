// Stands before the gateway for a suite of tests that has no token and wants tools of its own: shows the token with every
// request, and calls the gateway's tools in the place of the suite's. Everything else passes as it is, `Host` and
// `Origin` too.
import { createServer, request } from "node:http";

/**
 * Starts it on a free port.
 *
 * @param {(url: string) => Promise<{ url: string }>} start starts the gateway, given the address that callers will see
 * @param {() => string} token
 * @param {Record<string, (input: object) => [string, object]>} standIns by the name of a tool: what is called instead
 * @returns {Promise<{ url: string, stop: () => Promise<void> }>}
 */
export async function startProxy(start, token, standIns = {}) {
  let target;
  const server = createServer(async (incoming, outgoing) => {
    const chunks = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const { body, headers } = substitute(Buffer.concat(chunks), incoming.headers, standIns);
    const options = { method: incoming.method, headers: { ...headers, authorization: `Bearer ${token()}` }, setHost: false };
    const passed = request(target + incoming.url, options, (answer) => {
      outgoing.writeHead(answer.statusCode, answer.headers);
      answer.pipe(outgoing);
    });
    outgoing.on("close", () => passed.destroy());
    passed.on("error", () => outgoing.destroy());
    passed.end(body);
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  const url = `http://127.0.0.1:${server.address().port}`;
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

/** The request with the name and the arguments of the tool that stands in. A header that was wrong stays so. */
function substitute(body, headers, standIns) {
  const { params, ...message } = parsed(body) ?? {};
  const standIn = message.method === "tools/call" && standIns[params?.name];
  if (!standIn) return { body, headers };
  const [name, input] = standIn(params.arguments ?? {});
  const text = Buffer.from(JSON.stringify({ ...message, params: { ...params, name, arguments: input } }));
  const told = headers["mcp-name"] === params.name ? { "mcp-name": name } : {};
  return { body: text, headers: { ...headers, ...told, "content-length": String(text.length) } };
}

function parsed(body) {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
