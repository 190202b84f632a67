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
export function notify(notice: Notice): ShownNotice {
  ids.last += 1;
  const shown = { ...notice, id: ids.last };
  const others = notices.value.filter(({ text }) => text !== notice.text);
  notices.value = [...others, shown].slice(-MAX_NOTICES);
  return shown;
}

export function notifyUndo(text: string, undo: () => void): ShownNotice {
  return notify({ text, action: { label: "Undo", act: undo } });
}

/** Changes the text of a notice that is still shown. */
export function reword({ id }: ShownNotice, text: string): void {
  const isSame = (notice: ShownNotice) => notice.id === id;
  notices.value = notices
    .peek()
    // Of notices with the same text, the last stays.
    .filter((notice) => isSame(notice) || notice.text !== text)
    .map((notice) =>
      isSame(notice) && notice.text !== text ? { ...notice, text } : notice,
    );
}

export function act(notice: ShownNotice): void {
  lapse(notice);
  notice.action?.act();
}

export function lapse({ id }: ShownNotice): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}
