import { isBlob } from "../options.js";
import type { FileFacts } from "../types/facts.js";
import type { Issue } from "../types/issues.js";
import type { OutputKind } from "../types/task.js";
import {
  type FormField,
  fileField,
  inputValue,
  sourceField,
} from "./fields.js";
import { error, warning } from "./issue.js";
import { checkPages } from "./pages.js";
import { checkRegion } from "./region.js";
import { checkSegments } from "./segments.js";
import { checkNewSize, checkOwnSize, sizeOf } from "./size.js";

/** A chosen file, and the kind that its field takes. */
export interface FileToInspect {
  readonly file: Blob;
  readonly kind: OutputKind;
}

type Check = (path: string, value: unknown, facts: FileFacts) => Issue[];

/** The check of a value, for each kind of field. */
const CHECKS: Record<string, Check> = {
  page_range: (path, value, { pages }) =>
    typeof value === "string" && value.trim() !== ""
      ? checkPages(path, value, pages)
      : [],
  segments: (path, value, { duration }) =>
    Array.isArray(value) && duration !== undefined
      ? checkSegments(path, value, duration)
      : [],
  region: (path, value, facts) => checkRegion(path, value, sizeOf(facts)),
  video_size: (path, value, facts) => checkOwnSize(path, value, sizeOf(facts)),
};

/**
 * Compares an input with its files: pages of a PDF, a region of a picture, parts and sizes of a
 * video, and files that are damaged or have a password. An unknown fact causes no issue.
 *
 * @param fields - All fields of the capability, from `mediagate/catalogue.json`.
 * @param input - The input, with files as they were chosen. Other values of a field for files, such
 * as ids and outputs, are not compared.
 * @param facts - The facts of the files, such as those of `inspectFile` of `mediagate/preview`.
 * @returns The issues, in the form of those of `validate`, which does not read files.
 */
export function checkFiles(
  fields: readonly FormField[],
  input: object,
  facts: ReadonlyMap<Blob, FileFacts>,
): Issue[] {
  const factsIn = (field: FormField | undefined): FileFacts => {
    const file = field && inputValue(input, field);
    return (isBlob(file) && facts.get(file)) || {};
  };
  const files = filesIn(fields, input).flatMap(({ file, kind, path }) =>
    checkFile(path, file, kind, facts.get(file)),
  );
  const own = fields.flatMap(
    (field) =>
      CHECKS[field.kind]?.(
        field.name,
        inputValue(input, field),
        factsIn(sourceField(field, fields)),
      ) ?? [],
  );
  const resized = resizedField(fields);
  const ofSize = resized ? checkNewSize(input, sizeOf(factsIn(resized))) : [];
  return [...files, ...own, ...ofSize];
}

/** Returns the files of an input whose facts {@link checkFiles} uses, each once. */
export function filesToInspect(
  fields: readonly FormField[],
  input: object,
): FileToInspect[] {
  const sources = fields.map((field) => sourceField(field, fields));
  const compared = [...sources, resizedField(fields)].flatMap((field) => {
    const file = field && inputValue(input, field);
    return isBlob(file) ? [{ file, kind: field?.media as OutputKind }] : [];
  });
  const all = [...compared, ...filesIn(fields, input)];
  const kinds = new Map(all.map(({ file, kind }) => [file, kind]));
  return [...kinds].map(([file, kind]) => ({ file, kind }));
}

/** Returns the files of an input with their paths. */
function filesIn(
  fields: readonly FormField[],
  input: object,
): (FileToInspect & { path: string })[] {
  return fields.flatMap((field) => {
    const { name, media } = field;
    if (media === undefined) return [];
    const value = inputValue(input, field);
    return [value].flat().flatMap((file, index) => {
      const path = Array.isArray(value) ? `${name}[${index}]` : name;
      return isBlob(file) ? [{ file, kind: media as OutputKind, path }] : [];
    });
  });
}

/** The formats that other programs can convert a file to. */
const COMMON: { readonly [Kind in OutputKind]: string } = {
  image: "a JPEG or PNG",
  video: "an MP4",
  audio: "an MP3 or WAV",
  pdf: "a PDF",
};

/** The longest side of an image in pixels that needs no warning. Few programs read a larger one. */
const MAX_SIDE = 8_192;

/** Returns the issue of a file itself. Its words begin with the file's name. */
function checkFile(
  path: string,
  file: Blob,
  kind: OutputKind,
  facts: FileFacts = {},
): Issue[] {
  const { name } = file as { readonly name?: unknown };
  const named = (text: string) =>
    typeof name === "string" && name !== "" ? `“${name}” ${text}` : text;
  const refused = refusalOf(file, kind, facts);
  if (refused) return [error(path, "malformed", named(refused))];
  const doubtful = doubtOf(kind, facts);
  return doubtful ? [warning(path, "malformed", named(doubtful))] : [];
}

const CUT = "is cut off or damaged. Choose the complete file.";

/** Returns why no program reads a file; `undefined` if one may. */
function refusalOf(
  { size }: Blob,
  kind: OutputKind,
  { problem }: FileFacts,
): string | undefined {
  if (size === 0) return "is an empty file. Choose another one.";
  if (problem === "locked")
    return "has a password. Remove the password, or choose another file.";
  // A picture and a sound can be read up to their cut.
  if (problem === "cut" && kind === "video") return CUT;
  return problem === "damaged" && kind === "pdf"
    ? "cannot be read as a PDF. Choose another file."
    : undefined;
}

function doubtOf(
  kind: OutputKind,
  { problem, width = 0, height = 0 }: FileFacts,
): string | undefined {
  if (problem === "cut") return CUT;
  // The browser may refuse a picture because it has another format than its type says.
  if (problem === "damaged")
    return "cannot be shown by this browser, and may be damaged. Check it, or choose another file.";
  if (problem === "not_shown")
    return `cannot be shown by this browser. If the media service refuses it, too, convert it to ${COMMON[kind]}.`;
  if (kind !== "image" || Math.max(width, height) <= MAX_SIDE) return undefined;
  const [across, down] = [width, height].map((side) =>
    side.toLocaleString("en"),
  );
  return `has ${across} × ${down} pixels, which may be too many for the media service. Make it smaller.`;
}

/**
 * Returns the field of the video that a capability resizes. Its fields have numbers for the two
 * sides, since no kind of field means the size of a result.
 */
function resizedField(fields: readonly FormField[]): FormField | undefined {
  const hasSides = ["width", "height"].every((name) =>
    fields.some((field) => field.name === name && field.kind === "integer"),
  );
  return hasSides ? fileField(["video"], fields) : undefined;
}
