/** Members of a task's record that the client does not read. They are unchecked. */

const MAX_CHARACTERS = 300;

/** Returns the notes on the outputs, `null` for none; `undefined` without an emulator. */
export function notesOf(raw: unknown): readonly (string | null)[] | undefined {
  const { emulated } = (raw ?? {}) as { emulated?: { notes?: unknown } };
  if (typeof emulated !== "object" || emulated === null) return undefined;
  const { notes } = emulated;
  return Array.isArray(notes) ? notes.map((note) => textIn(note) ?? null) : [];
}

/** Returns the texts in a list. */
export function textsIn(list: unknown): string[] {
  return Array.isArray(list)
    ? list.map(textIn).filter((text) => text !== undefined)
    : [];
}

function textIn(value: unknown): string | undefined {
  return typeof value === "string" && value !== ""
    ? value.slice(0, MAX_CHARACTERS)
    : undefined;
}
