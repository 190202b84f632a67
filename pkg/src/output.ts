import { invalidArgument, MediagateError } from "./error.js";
import { extensionOf } from "./extension.js";
import { checkOptions } from "./options.js";
import { isRecord, type OutputMembers, outputOf } from "./records.js";
import type { LoadOptions } from "./types/load.js";
import type { Output } from "./types/task.js";
import { within } from "./waiting.js";

type DownloadOptions = LoadOptions & { fileName?: string };

/** Makes an output: its members, and methods that a copy or JSON does not include. */
export function outputWith(members: OutputMembers): Output {
  return Object.defineProperties(
    { ...members },
    {
      blob: {
        value: async (options?: LoadOptions) =>
          blobOf(members, checkOptions(options, "load")),
      },
      download: {
        value: (options?: DownloadOptions) => download(members, options),
      },
    },
  ) as Output;
}

/**
 * Returns the outputs of a record, each with its task's id and its position, so that it can be an
 * input.
 */
export function outputsOf(list: unknown, taskId = ""): Output[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((record, output) =>
    isRecord(record)
      ? [outputWith({ ...outputOf(record), taskId, output })]
      : [],
  );
}

/** Loads the file of an output. @internal */
export async function blobOf(
  { url }: Pick<OutputMembers, "url">,
  limits: LoadOptions,
): Promise<Blob> {
  if (!url) throw notAFile();
  const load = async () => {
    const response = await fetch(url).catch((cause: unknown) => {
      throw new MediagateError({
        code: "network",
        message: "the output could not be loaded",
        hint:
          "in a page, the host of the output has to allow the page's origin (CORS); " +
          "a gateway with a results bucket does",
        retryable: true,
        cause,
      });
    });
    if (response.ok) return response.blob();
    throw new MediagateError({
      code: "unreadable",
      message: `the output's host responded with ${response.status}`,
      hint: "the URL may have expired; refresh the task for a new one",
    });
  };
  return within(limits, load());
}

/** Makes the error for an output without a file. @internal */
export function notAFile(): MediagateError {
  return invalidArgument(
    "the output is an asset and not a file",
    "use its assetId as an input",
  );
}

async function download(
  members: OutputMembers,
  options: DownloadOptions | undefined,
): Promise<void> {
  const limits = checkOptions(options, "download");
  if (typeof document === "undefined")
    throw invalidArgument("download() needs a page", "use blob() instead");
  const { url, kept, fileName: ownName, kind } = members;
  const fileName = options?.fileName;
  const isOwnName = !fileName || fileName === ownName;
  // The gateway sends a kept file as an attachment with its own name, which a link cannot change.
  if (kept && url && isOwnName) return click(url, ownName ?? "");
  const blob = await blobOf(members, limits);
  const file = URL.createObjectURL(blob);
  const extension = extensionOf(blob.type) ?? (kind && EXTENSIONS[kind]);
  click(file, fileName || ownName || `output.${extension ?? "bin"}`);
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(file), 60_000);
}

/** The extensions of outputs whose host states no media type. */
const EXTENSIONS = {
  image: "png",
  video: "mp4",
  audio: "mp3",
  pdf: "pdf",
} as const;

function click(href: string, fileName: string): void {
  const link = document.createElement("a");
  Object.assign(link, { href, download: fileName });
  link.click();
}
