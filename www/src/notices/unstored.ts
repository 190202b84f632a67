/** The notice of files that the browser has not stored: the cause, and what helps. */
import { formatBytes } from "mediagate/words";
import { MAX_FILE_BYTES } from "../opened";
import type { Refusal } from "../storage";
import { notify } from "./store";

const CAUSES: Record<Refusal, string> = {
  limit: `This page stores ${formatBytes(MAX_FILE_BYTES)} of files at most. Delete tasks with files, or reset forms, then choose it again.`,
  full: "This browser has no room left. Free some on the device, or delete the data of other sites, then choose it again.",
  denied:
    "This browser stores nothing for this page, as in some private windows. Allow this site to store data, then reload.",
  failed: "This browser could not store it. Choose it again.",
};

export function notifyUnstored(files: readonly File[], refusal: Refusal): void {
  const names = files.map((file) => `“${file.name}”`).join(", ");
  notify({
    text: `${names} stays here until you leave the page. ${CAUSES[refusal]}`,
  });
}
