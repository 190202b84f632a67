import { invalidArgument, isMediagateError } from "../error.js";
import { extensionOf } from "../extension.js";
import { checkOptions } from "../options.js";
import { blobOf } from "../output.js";
import type { LoadOptions } from "../types/load.js";
import type { Output } from "../types/task.js";

type Loaded = Pick<Output, "url" | "kind">;

/** The most characters of a name, which file systems limit. */
const MAX_NAME = 80;

/** The media types of outputs whose host states none. */
const TYPES = {
  image: "image/png",
  video: "video/mp4",
  audio: "audio/mpeg",
  pdf: "application/pdf",
} as const;

/**
 * Loads an output as a file, such as for `navigator.share` or for a form. The output may be plain
 * data, as it is stored.
 *
 * @param title - Any text, such as the title of the task. The file's name is made of its words.
 * @returns A file with the extension and the media type that its host states, or else those of the
 * output's kind.
 * @throws {MediagateError} Those of {@link Output.blob}.
 */
export async function fileOf(
  { url, kind }: Loaded,
  title = "",
  options?: LoadOptions,
): Promise<File> {
  const blob = await blobOf({ url }, checkOptions(options, "load"));
  const isMedium = extensionOf(blob.type) !== undefined;
  const type = isMedium ? blob.type : ((kind && TYPES[kind]) ?? blob.type);
  const name = `${nameOf(title)}.${extensionOf(type) ?? "bin"}`;
  return new File([blob], name, { type });
}

/**
 * Downloads an output in a page, with a name that is made of a title, as {@link fileOf} does. The
 * output may be plain data. If it can't be loaded, such as from a host that does not allow the
 * page's origin, the browser opens it in a new tab.
 *
 * @throws {MediagateError} `invalid_argument` outside a page, and for an output that is an asset;
 * `aborted`; `timeout`; `network` for an address that no browser should open.
 */
export async function downloadOutput(
  output: Loaded,
  title?: string,
  options?: LoadOptions,
): Promise<void> {
  if (typeof document === "undefined")
    throw invalidArgument(
      "downloadOutput() needs a page",
      "use fileOf() instead",
    );
  const link = document.createElement("a");
  link.href = output.url ?? "";
  const file = await fileOf(output, title, options).catch((error: unknown) => {
    // The page would run the script of a `javascript:` address.
    const isOpened = /^https?:$/.test(link.protocol) && isUnloaded(error);
    if (!isOpened) throw error;
  });
  link.download = file?.name ?? "";
  link.rel = "noopener noreferrer";
  if (file) link.href = URL.createObjectURL(file);
  else link.target = "_blank";
  link.click();
  // A browser may first ask for a folder, which can take a minute.
  if (file) setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

function isUnloaded(error: unknown): boolean {
  return isMediagateError(error) && /^(network|unreadable)$/.test(error.code);
}

/** Returns the words of a title with hyphens between them; `output` if there is none. */
function nameOf(title: string): string {
  // Marks are part of words, such as the vowel signs of Hindi.
  const letters = [
    ...title.toLowerCase().replace(/[^\p{L}\p{N}\p{M}]+/gu, "-"),
  ];
  let end = Math.min(letters.length, MAX_NAME);
  // A letter without its marks would be another letter.
  while (end > 0 && /\p{M}/u.test(letters[end] ?? "")) end -= 1;
  return letters.slice(0, end).join("").replace(/^-|-$/g, "") || "output";
}
