/** Notices of what the page did, each with an action, such as to undo it. */
import { signal } from "@preact/signals";

export interface Notice {
  text: string;
  action?: { label: string; act(): void } | undefined;
  /** Called when the notice goes without its action. */
  lapsed?: (() => void) | undefined;
}

export interface ShownNotice extends Notice {
  id: number;
}

/** The oldest first. */
export const notices = signal<readonly ShownNotice[]>([]);

const ids = { last: 0 };

export function notify(notice: Notice): void {
  ids.last += 1;
  notices.value = [...notices.value, { ...notice, id: ids.last }];
}

/** Takes the action of a notice, which then goes. */
export function act({ id, action }: ShownNotice): void {
  remove(id);
  action?.act();
}

/** Removes a notice; its action cannot be taken any more. */
export function lapse({ id, lapsed }: ShownNotice): void {
  remove(id);
  lapsed?.();
}

function remove(id: number): void {
  notices.value = notices.value.filter((it) => it.id !== id);
}

// What can no longer be undone is done.
addEventListener("pagehide", () => notices.value.forEach(lapse));
