import { signal } from "@preact/signals";

interface Notice {
  text: string;
  action?: { label: string; act(): void } | undefined;
}

export interface ShownNotice extends Notice {
  id: number;
}

export const notices = signal<readonly ShownNotice[]>([]);

const ids = { last: 0 };

/** The most notices at once. The oldest go first. */
const MAX_NOTICES = 3;

/** Shows a notice. It replaces an earlier notice with the same text. */
export function notify(notice: Notice): void {
  ids.last += 1;
  const others = notices.value.filter(({ text }) => text !== notice.text);
  notices.value = [...others, { ...notice, id: ids.last }].slice(-MAX_NOTICES);
}

export function notifyUndo(text: string, undo: () => void): void {
  notify({ text, action: { label: "Undo", act: undo } });
}

export function act(notice: ShownNotice): void {
  lapse(notice);
  notice.action?.act();
}

export function lapse({ id }: ShownNotice): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}
