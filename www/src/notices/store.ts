/** Notices of what the page did, each with an action, such as to undo it. */
import { signal } from "@preact/signals";

export interface Notice {
  text: string;
  action?: { label: string; act(): void } | undefined;
}

export interface ShownNotice extends Notice {
  id: number;
}

/** The oldest first. */
export const notices = signal<readonly ShownNotice[]>([]);

const ids = { last: 0 };

/** More notices than these are not shown at once: the oldest go. */
const MAX_NOTICES = 3;

/** Shows a notice, in the place of an earlier one with the same text. */
export function notify(notice: Notice): void {
  ids.last += 1;
  const others = notices.value.filter(({ text }) => text !== notice.text);
  notices.value = [...others, { ...notice, id: ids.last }].slice(-MAX_NOTICES);
}

/** Takes the action of a notice, which then goes. */
export function act(notice: ShownNotice): void {
  lapse(notice);
  notice.action?.act();
}

/** Removes a notice; its action cannot be taken any more. */
export function lapse({ id }: ShownNotice): void {
  notices.value = notices.value.filter((it) => it.id !== id);
}
