import { isMediagateError, type Output } from "mediagate";
import { chunk } from "../parts/chunk";
import { online } from "../parts/online";
import { type Entry, headingOf } from "../tasks/entry";
import { type ResultReference, UnusableResult, webUrl } from "./reference";

export type Medium = NonNullable<Output["kind"]>;

export interface Loadable {
  url: string;
  kind: Medium | undefined;
  /** The URL of a video's first picture, if there is one. */
  poster?: string;
  /** The name that is shown, such as "Split PDF 2". */
  name: string;
  /** The emulator's note, or `null` if it gave none; `undefined` for the media service's result. */
  note: string | null | undefined;
  /** Stands for the result in a form; `undefined` if there is no task that the gateway can read. */
  reference: ResultReference | undefined;
}

export function loadables(entry: Entry): Loadable[] {
  const title = headingOf(entry);
  const taskId = entry.task?.id;
  const all = entry.outputs.flatMap(({ url: link, kind, assetId }, output) => {
    const url = webUrl(link);
    return url
      ? [
          {
            url,
            kind: kind ?? undefined,
            assetId: assetId ?? undefined,
            output,
          },
        ]
      : [];
  });
  return all.map(({ output, assetId, ...source }, index) => {
    const name = all.length > 1 ? `${title} ${index + 1}` : title;
    const reference = taskId
      ? { ...source, taskId, output, assetId, name }
      : undefined;
    return { ...source, name, note: noteOf(entry, output), reference };
  });
}

export function noteOf(
  { emulated }: Entry,
  index: number,
): string | null | undefined {
  return emulated && (emulated[index] ?? null);
}

const loadFiles = () => import("mediagate/preview");

/** Downloads an output under its name. If the page may not read it, the browser opens it. */
export async function download({ name, ...output }: Loadable): Promise<void> {
  const files = await chunk(loadFiles).catch(() => undefined);
  if (files) await files.downloadOutput(output, name);
  else open(output.url, "_blank", "noopener");
}

/** Fetches an output as a file, named after its task. */
export async function fetchFile({
  name,
  ...output
}: Pick<Loadable, "url" | "kind" | "name">): Promise<File> {
  try {
    const { fileOf } = await chunk(loadFiles);
    return await fileOf(output, name);
  } catch (failure) {
    throw new UnusableResult(reasonOf(failure));
  }
}

function reasonOf(failure: unknown): string {
  if (isMediagateError(failure) && failure.code === "unreadable")
    return "The result could not be loaded. Its link may have expired.";
  return online.value
    ? "The host of the result does not let this page read it. Download it, then choose the file in the form."
    : "You are offline. Try again when the network is back.";
}
