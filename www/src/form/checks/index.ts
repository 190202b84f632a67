/** What is wrong or doubtful about a request with its files, as far as the page can know before the request is sent. */
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

/** For each kind of field the check of its value. Where a fact is unknown, nothing is claimed. */
const CHECKS: { readonly [It in Kind]?: Check } = {
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

/** `factsOf` returns what is known of a file so far. */
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

/** The files whose facts the checks need. */
export function sourcesOf(
  fields: readonly Field[],
  values: Values,
): FileSource[] {
  const own = fields
    .filter((it) => CHECKS[it.kind])
    .map((it) => sourceOf(it, fields, values));
  const resized = resizedVideo(fields, values);
  return [...own, resized, ...chosenFiles(fields, values)].filter(isFile);
}

/** Every chosen file whose facts say whether it can be read, with its path. */
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

/** The video of a form whose two sides are numbers: no kind of field stands for the size of a result. */
function resizedVideo(
  fields: readonly Field[],
  values: Values,
): Source | undefined {
  const hasSides = ["width", "height"].every((name) =>
    fields.some((it) => it.name === name && it.kind === "integer"),
  );
  return hasSides ? chosenFile(["video"], fields, values) : undefined;
}
