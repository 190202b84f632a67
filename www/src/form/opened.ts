/** The parts that a person has opened in the forms. A form that is built anew has them open. */
import { type Signal, signal } from "@preact/signals";

const opened = new Map<string, Signal<boolean>>();

/** Returns a signal that is true while the part with this id is open. */
export function isOpened(id: string): Signal<boolean> {
  const known = opened.get(id) ?? signal(false);
  opened.set(id, known);
  return known;
}
