/** @internal Turns a name on the wire into a phrase: "Too large" for `too_large`. */
export function phrase(name: string): string {
  const words = name.replaceAll("_", " ").toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Gives a message, such as one of a task's `warnings`, a capital letter and a full stop. */
export function asSentence(message: string): string {
  const text = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** @internal Reads a table by a word of the wire, which may be one like `constructor`. */
export function ownMember<Value>(
  table: Readonly<Record<string, Value>>,
  name: string,
): Value | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
