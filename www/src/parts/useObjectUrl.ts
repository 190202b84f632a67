/** Returns an object URL of a blob, and revokes it once the component no longer shows the blob. */
import { useEffect, useMemo } from "preact/hooks";

export function useObjectUrl(blob: Blob): string;
export function useObjectUrl(blob: Blob | undefined): string | undefined;
export function useObjectUrl(blob: Blob | undefined): string | undefined {
  const url = useMemo(() => blob && URL.createObjectURL(blob), [blob]);
  useEffect(() => () => (url ? URL.revokeObjectURL(url) : undefined), [url]);
  return url;
}
