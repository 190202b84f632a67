/** The state of a picture or a recording that could not be loaded. It resets with the network. */
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
