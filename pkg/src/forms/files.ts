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
  const files = readableFiles(fields, input).flatMap(({ file, kind, path }) =>
    checkFile(path, kind, facts.get(file)),
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
  const all = [...compared, ...readableFiles(fields, input)];
  const kinds = new Map(all.map(({ file, kind }) => [file, kind]));
  return [...kinds].map(([file, kind]) => ({ file, kind }));
}

/** Returns the files that are checked themselves. A browser may not know the format of a video. */
function readableFiles(
  fields: readonly FormField[],
  input: object,
): (FileToInspect & { path: string })[] {
  return fields.flatMap((field) => {
    const { name, media } = field;
    if (media !== "pdf" && media !== "image") return [];
    const value = inputValue(input, field);
    return [value].flat().flatMap((file, index) => {
      const path = Array.isArray(value) ? `${name}[${index}]` : name;
      return isBlob(file) ? [{ file, kind: media, path }] : [];
    });
  });
}

function checkFile(
  path: string,
  kind: OutputKind,
  { problem }: FileFacts = {},
): Issue[] {
  if (problem === "locked")
    return [
      error(
        path,
        "malformed",
        "has a password. Remove the password, or choose another file.",
      ),
    ];
  if (problem !== "damaged") return [];
  if (kind === "pdf")
    return [
      error(path, "malformed", "cannot be read as a PDF. Choose another file."),
    ];
  // A browser may also refuse a picture for its size, so this is only a warning.
  return [
    warning(
      path,
      "malformed",
      "cannot be shown by this browser, and may be damaged.",
    ),
  ];
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
