import { invalidArgument, MediagateError } from "./error.js";
import { isRecord, outputOf } from "./records.js";
import type { LoadOptions } from "./types/calls.js";
import type { Output } from "./types/task.js";
import { within } from "./waiting.js";

type DownloadOptions = LoadOptions & { fileName?: string };

/** An output's members, without its methods. */
export type OutputMembers = Omit<Output, "blob" | "download">;

/** Makes an output: its members, and methods that a copy or JSON does not include. */
export function outputWith(members: OutputMembers): Output {
  return Object.defineProperties(
    { ...members },
    {
      blob: { value: (options?: LoadOptions) => blobOf(members, options) },
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

async function blobOf(
  { url }: OutputMembers,
  options: LoadOptions = {},
): Promise<Blob> {
  if (!url)
    throw invalidArgument(
      "the output has no file, but an asset's id: use that as an input",
    );
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
  return within(options, load());
}

async function download(
  members: OutputMembers,
  { fileName = members.fileName ?? "", ...options }: DownloadOptions = {},
): Promise<void> {
  if (typeof document === "undefined")
    throw invalidArgument("download() needs a page; use blob() instead");
  if (members.kept && members.url) return click(members.url, fileName);
  // A link to another origin only downloads files that the host sends as an attachment.
  const url = URL.createObjectURL(await blobOf(members, options));
  click(url, fileName || `output.${members.kind ?? "bin"}`);
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

function click(href: string, fileName: string): void {
  const link = document.createElement("a");
  Object.assign(link, { href, download: fileName });
  link.click();
}
