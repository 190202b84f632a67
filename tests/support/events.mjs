// Opens and reads event streams.
import { token } from "./token.mjs";

/**
 * Opens the stream of a task or a pipeline, such as `tasks/ID`. `last` is the last event's id.
 *
 * @param {string} url the gateway's
 * @param {string} path
 * @param {{ bearer?: string, last?: unknown }} [options]
 */
export const openEvents = (url, path, { bearer = token(), last } = {}) =>
  fetch(`${url}/api/app/v1/${path}/events`, {
    headers: {
      authorization: `Bearer ${bearer}`,
      ...(last && { "last-event-id": String(last) }),
    },
  });

/** Yields the events of a stream until it ends. */
export async function* events(response) {
  let text = "";
  for await (const chunk of response.body.pipeThrough(
    new TextDecoderStream(),
  )) {
    text += chunk;
    const complete = text.split("\n\n");
    text = complete.pop();
    for (const one of complete) {
      const lines = one
        .split("\n")
        .filter((line) => !line.startsWith(":") && !line.startsWith("retry:"));
      const fields = Object.fromEntries(
        lines.map((line) => line.split(/: (.*)/s)),
      );
      if (fields.data)
        yield {
          id: Number(fields.id),
          event: fields.event,
          ...JSON.parse(fields.data),
        };
    }
  }
}

export async function readAll(response) {
  const list = [];
  for await (const event of events(response)) list.push(event);
  return list;
}
