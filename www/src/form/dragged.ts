/** A result of a task that is dragged from the list: a picture, or the link that opens it. */
import { loadables } from "../results/output";
import type { Chosen } from "../results/reference";
import { entries } from "../tasks/store";

/** The result whose URL is dropped; `undefined` for anything else. */
export function resultIn(transfer: DataTransfer | null): Chosen | undefined {
  const [url] = transfer?.getData("text/uri-list").split(/\r?\n/) ?? [];
  if (!url) return undefined;
  const found = entries.value
    .flatMap(loadables)
    .find((output) => output.url === url);
  return found?.reference && { ...found.reference };
}
