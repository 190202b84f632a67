/** This tab of the browser: its forms are its own. A new tab starts with a copy of the forms that were changed last. */
import { promisifyRequest } from "idb-keyval";
import { store } from "./kept";
import { newKey } from "./parts/newKey";

const KEY = "mediagate.playground.tab";
/** In the store: when each tab was last opened, and the tab whose forms were changed last. */
const TABS = "tabs";
export const LAST_TAB = "tabs.last";
/** The forms of a tab that was not opened for as long are deleted: a month. */
const MAX_AGE_MS = 30 * 86_400_000;

/** The keys of a tab's fields begin with it. */
export function formPrefix(tab: string): string {
  return `form.${tab}.`;
}

/** The id of this tab, once its forms can be read. */
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

/** Tests if no other page is this tab: a tab that is duplicated has the storage of the first one. */
function take(id: string): Promise<boolean> {
  const locks: LockManager | undefined = navigator.locks;
  if (!locks) return Promise.resolve(true);
  return new Promise((resolve) => {
    const hold = (lock: Lock | null) => {
      resolve(lock !== null);
      return lock ? new Promise<never>(() => undefined) : undefined;
    };
    void locks.request(`${KEY}.${id}`, { ifAvailable: true }, hold);
  });
}

/** Copies the forms of another tab to a new one, and deletes those of tabs that are gone for long. */
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
    const prefixes = live.map(([each]) => formPrefix(each));
    const all = (await promisifyRequest(objects.getAllKeys())).map(String);
    for (const key of all.filter((each) => each.startsWith("form."))) {
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
    // Storage is forbidden: the forms last as long as the page.
  }
}
