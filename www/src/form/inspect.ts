/** The facts of a chosen file or result, read by a part of the script that is loaded for it. */
import type { OutputKind } from "mediagate";
import type { FileFacts } from "mediagate/forms";
import { chunk } from "../parts/chunk";
import type { Chosen } from "../results/reference";
import { urlOf } from "../results/urls";

const known = new WeakMap<Chosen | Blob, Promise<FileFacts>>();

/** Reads facts once; empty if the browser cannot show the file. */
export async function inspect(
  source: Chosen | Blob,
  kind: OutputKind,
): Promise<FileFacts> {
  const preview = await chunk(() => import("mediagate/preview"));
  const read = () =>
    source instanceof Blob
      ? preview.inspectFile(source, { kind })
      : preview.inspectOutput({ url: urlOf(source), kind }).catch(() => ({}));
  const facts = known.get(source) ?? read();
  known.set(source, facts);
  return facts;
}
