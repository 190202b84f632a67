/** Members of a task's record that the client does not read. They are unchecked. */

const MAX_CHARACTERS = 300;

/** Returns the notes on the outputs, `null` for none; `undefined` without an emulator. */
export function notesOf(raw: unknown): readonly (string | null)[] | undefined {
  const emulated = member(raw, "emulated");
  if (typeof emulated !== "object" || emulated === null) return undefined;
  const notes = member(emulated, "notes");
  return Array.isArray(notes) ? notes.map(noteOf) : [];
}

/** Returns the model that did the work. */
export function modelOf(raw: unknown): string | undefined {
  const model = member(raw, "model_id");
  return typeof model === "string" ? model.slice(0, MAX_CHARACTERS) : undefined;
}

export function creditsOf(raw: unknown): number | undefined {
  const credits = member(raw, "credits");
  return typeof credits === "number" && Number.isFinite(credits)
    ? credits
    : undefined;
}

function noteOf(value: unknown): string | null {
  return typeof value === "string" && value !== ""
    ? value.slice(0, MAX_CHARACTERS)
    : null;
}

function member(record: unknown, name: string): unknown {
  return typeof record === "object" && record !== null
    ? (record as Record<string, unknown>)[name]
    : undefined;
}
