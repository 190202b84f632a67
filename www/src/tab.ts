/** This tab of the browser, with forms of its own. A new tab copies the forms that changed last. */
import { opened } from "./opened";
import { newKey } from "./parts/newKey";

const KEY = "mediagate.playground.tab";
/** The prefix of the keys of the times at which each tab was last opened. */
const TABS = "tabs.";
/** The key of the tab whose forms changed last. */
export const LAST_TAB = "lastTab";
/** The age at which the forms of a tab are deleted: a month since it was last opened. */
const MAX_AGE_MS = 30 * 86_400_000;

export function formPrefix(tab: string): string {
  return `form.${tab}.`;
}

/** The id of this tab. Resolves once the forms of the tab can be read. */
export const tab: Promise<string> = open();

async function open(): Promise<string> {
  const before = readId();
  const isOwn = before !== undefined && (await take(before));
  const id = isOwn ? before : newKey();
  if (!isOwn) {
    writeId(id);
    await take(id);
  }
  await prepare(id, isOwn ? undefined : before).catch(() => undefined);
  return id;
}

/** Returns true if no other page is this tab: a duplicated tab gets a copy of `sessionStorage`. */
function take(id: string): Promise<boolean> {
  const locks: LockManager | undefined = navigator.locks;
  if (!locks) return Promise.resolve(true);
  return new Promise((resolve) => {
    const hold = (lock: Lock | null) => {
      resolve(lock !== null);
      // The lock lasts as long as the promise, which never settles.
      return lock ? new Promise<never>(() => undefined) : undefined;
    };
    void locks.request(`${KEY}.${id}`, { ifAvailable: true }, hold);
  });
}

/** Copies the forms of another tab to a new tab, and deletes the forms of old tabs. */
async function prepare(id: string, from: string | undefined): Promise<void> {
  const values = (await opened)?.values;
  if (!values) return;
  const all = await values.all();
  const now = Date.now();
  const forms: Record<string, unknown> = {};
  const source = formPrefix(from ?? String(all[LAST_TAB]));
  if (all[TABS + id] === undefined)
    for (const [key, value] of Object.entries(all))
      if (key.startsWith(source))
        forms[key.replace(source, formPrefix(id))] = value;
  // In one write, so that another tab never sees forms without the time of their tab.
  await values.set({ ...forms, [TABS + id]: now });
  const isOld = (tab: string) =>
    tab !== id && now - Number(all[TABS + tab] ?? 0) >= MAX_AGE_MS;
  const old = Object.keys(all).filter((key) => {
    const [kind, tab = ""] = key.split(".");
    return (kind === "form" || kind === "tabs") && isOld(tab);
  });
  await values.delete(old);
}

function readId(): string | undefined {
  try {
    return sessionStorage.getItem(KEY) ?? undefined;
  } catch {
    return undefined;
  }
}

function writeId(id: string): void {
  try {
    sessionStorage.setItem(KEY, id);
  } catch {
    // If storage is forbidden, the forms last as long as the page.
  }
}
