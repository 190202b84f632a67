import { LoaderCircle, Pause } from "lucide";
import { findCapability } from "../catalogue";
import { hasOnlyGone } from "../results/gone";
import { loadables } from "../results/output";
import { type Chosen, isChosen, mediumOf } from "../results/reference";
import { Thumbnail } from "../results/Thumbnail";
import { useChosenUrl } from "../results/urls";
import type { Entry } from "./entry";
import { StateIcon } from "./StateIcon";

export function TaskThumbnail({ entry }: { entry: Entry }) {
  return (
    <span class="picture">
      <Picture entry={entry} />
      <StateIcon
        state={hasOnlyGone(entry) ? "gone" : (entry.step ?? entry.state)}
        unsettled={entry.paused ? Pause : LoaderCircle}
      />
    </span>
  );
}

function Picture({ entry }: { entry: Entry }) {
  const input = Object.values(entry.values ?? {})
    .flat()
    .find(isVisual);
  const url = useChosenUrl(input);
  const [output] = loadables(entry);
  if (output) return <Thumbnail key={output.url} source={output} />;
  if (url && input)
    return <Thumbnail key={url} source={{ url, kind: mediumOf(input) }} />;
  return (
    <Thumbnail source={{ kind: findCapability(entry.capability)?.medium }} />
  );
}

const VISUAL = new Set<string | undefined>(["image", "video"]);

export function isVisual(value: unknown): value is Chosen {
  return isChosen(value) && VISUAL.has(mediumOf(value));
}
