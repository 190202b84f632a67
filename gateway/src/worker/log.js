// The log: a line of JSON for each request. The gateway itself writes the line of every request
// that reaches it.

/**
 * Writes the line of a request that is refused before the gateway sees it.
 *
 * @param {string} method
 * @param {{ code?: number, operation?: string, reason: string, status: number }} line
 *   `code` is the envelope's, if the response has one
 */
export const log = (method, { code, operation = "-", reason, status }) =>
  console.log(
    JSON.stringify({
      code: code ?? null,
      method,
      operation,
      reason,
      status,
      time: new Date().toISOString(),
    }),
  );
