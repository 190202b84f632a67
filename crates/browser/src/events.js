// Server-sent events, read from chunks of text (HTML standard, 9.2.6).

import { parseJson } from "./values.js";

/** The longest event that is accepted: several times the largest record that a gateway accepts by default. */
const MAX_LENGTH = 16 << 20;

/** @typedef {{ id: string, name: string, data: unknown }} ServerEvent with its data as JSON */

/**
 * A function that takes the chunks, which may end anywhere, and returns the events that each completes, oldest first;
 * `undefined` once an event is too long.
 *
 * @returns {(chunk: string) => ServerEvent[] | undefined}
 */
export function eventReader() {
  let [line, id, name, data] = ["", "", "", ""];
  let hasData = false;
  let returned = false;
  return (chunk) => {
    /** @type {ServerEvent[]} */
    const events = [];
    // A line feed right after a carriage return ends the same line.
    const [first = "", ...lines] = (
      returned ? chunk.replace(/^\n/, "") : chunk
    ).split(/\r\n|\n|\r/);
    returned = chunk ? chunk.endsWith("\r") : returned;
    lines.unshift(line + first);
    line = lines.pop() ?? "";
    for (const it of lines) {
      if (!it) {
        if (hasData) events.push({ id, name, data: parseJson(data) });
        [name, data, hasData] = ["", "", false];
        continue;
      }
      const [, field, value = ""] = /** @type {string[]} */ (
        /^([^:]*)(?:: ?(.*))?$/s.exec(it)
      );
      if (field === "event") name = value;
      if (field === "id" && !value.includes("\0")) id = value;
      if (field === "data")
        [data, hasData] = [hasData ? `${data}\n${value}` : value, true];
    }
    return line.length + data.length > MAX_LENGTH ? undefined : events;
  };
}
