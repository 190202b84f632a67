/** Notifications of the browser, which a person turns on. */
import { signal } from "@preact/signals";
import { readLocal, writeLocal } from "../parts/local";

const NAME = "notifications";

const isSupported = "Notification" in globalThis;

/** True if notifications are on; `undefined` if the browser has none, or refuses them. */
export const notifications = signal<boolean | undefined>(initial());

export async function toggleNotifications(): Promise<void> {
  const isWanted = !notifications.value;
  const permission = isWanted && (await Notification.requestPermission());
  if (permission === "denied") notifications.value = undefined;
  else notifications.value = permission === "granted";
  writeLocal(NAME, String(notifications.value === true));
}

/** Notifies the end of a task. `tag` keeps several tabs from showing it twice. */
export function notifyEnd(text: string, tag: string): void {
  if (!notifications.value) return;
  try {
    const notification = new Notification(text, { tag, icon: "/favicon.svg" });
    notification.onclick = () => focus();
  } catch {
    // Browsers of phones show notifications only from service workers.
  }
}

function initial(): boolean | undefined {
  if (!isSupported || Notification.permission === "denied") return undefined;
  return Notification.permission === "granted" && readLocal(NAME) === "true";
}
