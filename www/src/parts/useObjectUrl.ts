/** Returns an object URL of a blob, revoked with the component or when it shows another blob. */
import { useEffect, useMemo } from "preact/hooks";

export function useObjectUrl(blob: Blob): string;
export function useObjectUrl(blob: Blob | undefined): string | undefined;
export function useObjectUrl(blob: Blob | undefined): string | undefined {
  const url = useMemo(() => blob && URL.createObjectURL(blob), [blob]);
  useEffect(() => () => (url ? URL.revokeObjectURL(url) : undefined), [url]);
  return url;
}
