/** This tab of the browser, with forms of its own. A new tab copies the forms that changed last. */
import { promisifyRequest } from "idb-keyval";
import { store } from "./kept";
import { newKey } from "./parts/newKey";

const KEY = "mediagate.playground.tab";
/** The key of the times at which each tab was last opened. */
const TABS = "tabs";
/** The key of the tab whose forms changed last. */
export const LAST_TAB = "tabs.last";
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
function prepare(id: string, from: string | undefined): Promise<void> {
  return store("readwrite", async (objects) => {
    const get = (key: string) => promisifyRequest(objects.get(key));
    const tabs: Record<string, number> = (await get(TABS)) ?? {};
    const isNew = tabs[id] === undefined;
    const source = from ?? (await get(LAST_TAB));
    const now = Date.now();
    const live = Object.entries({ ...tabs, [id]: now }).filter(
      ([, openedAt]) => now - openedAt < MAX_AGE_MS,
    );
    objects.put(Object.fromEntries(live), TABS);
    const prefixes = live.map(([tabId]) => formPrefix(tabId));
    const all = (await promisifyRequest(objects.getAllKeys())).map(String);
    for (const key of all.filter((name) => name.startsWith("form."))) {
      if (!prefixes.some((prefix) => key.startsWith(prefix)))
        objects.delete(key);
      else if (isNew && source && key.startsWith(formPrefix(source)))
        objects.put(
          await get(key),
          formPrefix(id) + key.slice(formPrefix(source).length),
        );
    }
  });
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
