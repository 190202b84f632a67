/** Finds errors and doubts in a request with its files, before the request is sent. */
import type { Issue } from "mediagate";
import type { Field, Kind } from "../../catalogue";
import type { Values } from "../../storage";
import { isWithoutArea, type Rectangle } from "../rectangle";
import { chosenFile, type Source, sourceOf } from "../source";
import type { Facts, FileSource } from "./facts";
import { checkFile } from "./files";
import { checkPages } from "./pages";
import { checkRegion } from "./region";
import { checkSegments } from "./segments";
import { checkNewSize, checkOwnSize } from "./size";

type Check = (path: string, value: unknown, facts: Facts) => Issue[];

/** The check of a value, for each kind of field. A check claims nothing if a fact is unknown. */
const CHECKS: { readonly [Of in Kind]?: Check } = {
  page_range: (path, value, { pages }) =>
    typeof value === "string" && value.trim() !== ""
      ? checkPages(path, value, pages)
      : [],
  segments: (path, value, { duration }) =>
    Array.isArray(value) && duration !== undefined
      ? checkSegments(path, value, duration)
      : [],
  region: (path, value, { size }) =>
    typeof value === "object" && value !== null && size && !isWithoutArea(value)
      ? checkRegion(path, value as Rectangle, size)
      : [],
  video_size: (path, value, { size }) =>
    Array.isArray(value) && size ? checkOwnSize(path, value, size) : [],
};

export function knownIssues(
  fields: readonly Field[],
  values: Values,
  factsOf: (source: FileSource) => Facts,
): Issue[] {
  const known = (source: Source | undefined) =>
    isFile(source) ? factsOf(source) : {};
  const own = fields.flatMap((field) => {
    const check = CHECKS[field.kind];
    return check
      ? check(
          field.name,
          values[field.name],
          known(sourceOf(field, fields, values)),
        )
      : [];
  });
  const files = chosenFiles(fields, values).flatMap(({ path, ...source }) =>
    checkFile(path, factsOf(source), source.media),
  );
  const all = [...files, ...own];
  const resized = resizedVideo(fields, values);
  return resized ? [...all, ...checkNewSize(values, known(resized).size)] : all;
}

export function sourcesOf(
  fields: readonly Field[],
  values: Values,
): FileSource[] {
  const own = fields
    .filter(({ kind }) => CHECKS[kind])
    .map((field) => sourceOf(field, fields, values));
  const resized = resizedVideo(fields, values);
  return [...own, resized, ...chosenFiles(fields, values)].filter(isFile);
}

function chosenFiles(
  fields: readonly Field[],
  values: Values,
): (FileSource & { path: string })[] {
  return fields.flatMap(({ name, media }) => {
    if (media !== "pdf" && media !== "image") return [];
    const value = values[name];
    return [value].flat().flatMap((file, index) => {
      const path = Array.isArray(value) ? `${name}[${index}]` : name;
      return file instanceof File ? [{ file, media, path }] : [];
    });
  });
}

function isFile(source: Source | undefined): source is FileSource {
  return source?.file instanceof File;
}

/**
 * Returns the video that a form resizes. Such a form has numbers for the two sides, since no kind
 * of field means the size of a result.
 */
function resizedVideo(
  fields: readonly Field[],
  values: Values,
): Source | undefined {
  const hasSides = ["width", "height"].every((name) =>
    fields.some((field) => field.name === name && field.kind === "integer"),
  );
  return hasSides ? chosenFile(["video"], fields, values) : undefined;
}
