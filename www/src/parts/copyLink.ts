import { notify } from "../notices/store";

/** Copies a link, with a notice of the result, since the menu of the action is closed by then. */
export async function copyLink(link: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(link);
    notify({ text: "Copied the link" });
  } catch {
    notify({ text: "The browser did not let the page copy the link." });
  }
}
