/** Members of a task's record that the client does not read. They are unchecked. */
import type { ShownError } from "../parts/Failure";

const MAX_CHARACTERS = 300;
const CONTENT_REFUSED = "content_refused";

/** Returns the notes on the outputs, `null` for none; `undefined` without an emulator. */
export function notesOf(raw: unknown): readonly (string | null)[] | undefined {
  const emulated = member(raw, "emulated");
  if (typeof emulated !== "object" || emulated === null) return undefined;
  const notes = member(emulated, "notes");
  return Array.isArray(notes) ? notes.map(noteOf) : [];
}

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

export function warningsOf(raw: unknown): readonly string[] {
  const warnings = member(raw, "warnings");
  return Array.isArray(warnings)
    ? warnings.map(noteOf).filter((text) => text !== null)
    : [];
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

export function failureOf(
  state: string | undefined,
  raw: unknown,
): ShownError | undefined {
  if (state === "FAILED")
    return {
      code:
        member(member(raw, "error"), "reason") === CONTENT_REFUSED
          ? CONTENT_REFUSED
          : "task_failed",
      message: messageOf(raw) ?? "The media service gave no reason.",
    };
  if (state === "EXPIRED")
    return {
      code: "task_expired",
      message: messageOf(raw) ?? "It was not finished in time.",
    };
  return undefined;
}

function messageOf(raw: unknown): string | undefined {
  if (typeof raw === "string") return raw || undefined;
  if (typeof raw !== "object" || raw === null) return undefined;
  // The upstream does not document the member. These are the usual ones.
  const { error, message, error_message, reason } = raw as Record<
    string,
    unknown
  >;
  return (
    messageOf(error) ??
    [message, error_message, reason]
      .filter((text) => typeof text === "string")
      .find((text) => text !== "")
  );
}
