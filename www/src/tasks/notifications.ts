/** Notifications of the browser, once a person has asked for them. */
import { signal } from "@preact/signals";

const KEY = "mediagate.playground.notifications";

const isSupported = "Notification" in globalThis;

/** True if ends are notified; `undefined` where the browser has no notifications, or refuses them. */
export const notifications = signal<boolean | undefined>(initial());

/** Turns them on or off; asks for the permission first. */
export async function toggleNotifications(): Promise<void> {
  const isWanted = !notifications.value;
  const permission = isWanted && (await Notification.requestPermission());
  if (permission === "denied") notifications.value = undefined;
  else notifications.value = permission === "granted";
  try {
    localStorage.setItem(KEY, String(notifications.value === true));
  } catch {
    // Without storage, the choice lasts as long as the page.
  }
}

/** `tag` keeps the tabs of a browser from notifying the same end twice. */
export function notifyEnd(text: string, tag: string): void {
  if (!notifications.value) return;
  try {
    const notification = new Notification(text, { tag, icon: "/favicon.svg" });
    notification.onclick = () => focus();
  } catch {
    // Browsers of phones notify from service workers only.
  }
}

function initial(): boolean | undefined {
  if (!isSupported || Notification.permission === "denied") return undefined;
  try {
    return (
      Notification.permission === "granted" &&
      localStorage.getItem(KEY) === "true"
    );
  } catch {
    return false;
  }
}
