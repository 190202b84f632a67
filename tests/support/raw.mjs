// A client that sends raw bytes, for requests that no HTTP library would send, and for responses
// that it does not read.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";

/**
 * Opens a connection to a server.
 *
 * @param {string} url any address of the server
 * @returns {Promise<{
 *   send: (bytes: string) => void,
 *   response: Promise<{ status: number, text: string }>,
 *   close: () => void,
 * }>} `send` takes one character per byte; `response` is the first complete response, or the part
 *   that arrived before the server closed the connection
 */
export async function openRaw(url) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).setEncoding("latin1");
  let text = "";
  const response = new Promise((resolve) => {
    const finish = () =>
      resolve({ status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]), text });
    socket.on("data", (chunk) => {
      text += chunk;
      if (isWhole(text)) finish();
    });
    // A server that has rejected the request may reset the connection while the client still sends,
    // so an error ends the response like a close.
    socket.on("error", finish).on("close", finish);
  });
  await new Promise((resolve) => socket.once("connect", resolve));
  return {
    send: (bytes) => socket.write(bytes, "latin1"),
    response,
    close: () => socket.destroy(),
  };
}

/** Returns true if a response is complete, by its `Content-Length` or its last chunk. */
function isWhole(text) {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, end))?.[1];
  return length === undefined
    ? /^HTTP\/1\.1 204/.test(text) || text.endsWith("\r\n0\r\n\r\n")
    : text.length >= end + 4 + Number(length);
}

/**
 * Sends one request, and resolves to the response. Line feeds separate the lines of the head.
 * `host` is the value of the header, by default the URL's own host.
 */
export async function sendRaw(url, head, body = "", host = new URL(url).host) {
  const connection = await openRaw(url);
  connection.send(
    `${head.replaceAll("\n", "\r\n")}\r\nHost: ${host}\r\n\r\n${body}`,
  );
  const response = await connection.response;
  connection.close();
  return response;
}

/**
 * Requests a URL, and reads only the first bytes with the status, which must be 200. The connection
 * closes after the response.
 *
 * @param {string} url
 * @param {string} [bearer] the session token
 */
export async function openUnread(url, bearer) {
  const { hostname, port, pathname, host } = new URL(url);
  const lines = [
    `GET ${pathname} HTTP/1.1`,
    `Host: ${host}`,
    "Connection: close",
    ...(bearer === undefined ? [] : [`Authorization: Bearer ${bearer}`]),
  ];
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  await once(socket, "readable");
  const first = socket.read()?.toString("latin1") ?? "";
  assert.match(first, /^HTTP\/1\.1 200 /);
  // The gateway may end the response.
  socket.on("error", () => {});
  return socket;
}
