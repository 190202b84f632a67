// The files of a request, as the gateway describes them.
import type { InputFile } from "./model.js";
import { CODE, Refusal } from "./refusal.js";

/** A file as the gateway describes it. `private` is true if no provider can load the URL. */
interface GivenFile {
  readonly url: string;
  readonly type: string;
  readonly name: string;
  readonly size: number;
  readonly private?: boolean;
}

/** The most bytes of files that are sent within a request. They are in memory several times. */
const MAX_INLINE = 10_000_000;
/** The most bytes that a model loads itself for a request. A Worker has 128 MB of memory. */
const MAX_LOADED = 20_000_000;

/** Returns true if a field contains a file or a list of files. */
export const isOfFiles = (name: string) => /(?:^|_)file_ids?$/.test(name);
/** A logo is one picture or several. */
const isList = (name: string) =>
  name.endsWith("file_ids") || name === "logo_file_id";

/**
 * Returns the fields of a request with its files, and without those that are null.
 *
 * @throws {Refusal} if a file has no URL, or can't be loaded; if private files are too large
 */
export async function withFiles(
  fields: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const present = Object.entries(fields).filter(([, value]) => value !== null);
  const given = present
    .filter(([name]) => isOfFiles(name))
    .flatMap(([, value]) => (value ?? []) as GivenFile | GivenFile[]);
  checkSizes(given);
  const loaded = { bytes: 0 };
  const entries = present.map(async ([name, value]) => {
    if (!isOfFiles(name) || value === undefined) return [name, value];
    const files = await Promise.all(
      [value].flat().map((file) => fileOf(file, loaded)),
    );
    return [name, isList(name) ? files : files[0]];
  });
  return Object.fromEntries(await Promise.all(entries));
}

function checkSizes(files: readonly GivenFile[]) {
  const inline = files.filter((file) => file?.private === true);
  const size = inline.reduce((sum, file) => sum + file.size, 0);
  if (size <= MAX_INLINE) return;
  const names = inline.map((file) => file.name).join(", ");
  throw new Refusal(
    CODE.input,
    `${names}: more than 10 MB, and no provider can load files from this bucket; name a public one in RESULTS_BUCKET_URL`,
  );
}

/** Returns a file. `loaded` counts what was loaded for the request. */
async function fileOf(
  value: unknown,
  loaded: { bytes: number },
): Promise<InputFile> {
  const file = value as GivenFile | undefined;
  if (typeof file?.url !== "string")
    throw new Refusal(
      CODE.input,
      "a file has no URL; set UPLOAD_MODE of the gateway to bucket",
    );
  const { url, type, name, size } = file;
  const bytes = () => {
    loaded.bytes += size;
    if (loaded.bytes <= MAX_LOADED) return load(url, name);
    throw new Refusal(
      CODE.input,
      `${name}: the files of this model may have 20 MB in all; give smaller ones`,
    );
  };
  const address =
    file.private === true
      ? `data:${type};base64,${base64(await bytes())}`
      : url;
  return { url: address, type, name, size, bytes, toJSON: () => address };
}

async function load(url: string, name: string) {
  const response = await fetch(url).catch(() => undefined);
  // Nothing was sent to the provider yet, so this must not have a code of an unknown outcome.
  if (!response?.ok)
    throw new Refusal(CODE.input, `${name} can't be loaded from the bucket`);
  return new Uint8Array(await response.arrayBuffer());
}

export function base64(bytes: Uint8Array): string {
  const chunks: string[] = [];
  // `fromCharCode` takes a limited number of arguments.
  for (let at = 0; at < bytes.length; at += 0x8000)
    chunks.push(String.fromCharCode(...bytes.subarray(at, at + 0x8000)));
  return btoa(chunks.join(""));
}
