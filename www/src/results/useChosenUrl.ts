/** Returns a URL that shows a file or a result; `undefined` for a result without a URL. */
import { useObjectUrl } from "../parts/useObjectUrl";
import type { Chosen } from "./reference";
import { urlOf } from "./urls";

export function useChosenUrl(chosen: Chosen | undefined): string | undefined {
  const own = useObjectUrl(chosen instanceof File ? chosen : undefined);
  return chosen && !(chosen instanceof File) ? urlOf(chosen) : own;
}
