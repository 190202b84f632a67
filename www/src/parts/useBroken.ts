/** The state of media that could not be loaded. They are loaded again when the network is back. */
import { useEffect, useState } from "preact/hooks";
import { onBack } from "./online";

export function useBroken(): [
  broken: boolean,
  setBroken: (broken: boolean) => void,
] {
  const [broken, setBroken] = useState(false);
  useEffect(
    () => (broken ? onBack(() => setBroken(false)) : undefined),
    [broken],
  );
  return [broken, setBroken];
}
