import {
  type Address,
  isAddress,
  isRunning,
  isStep,
  type Reference,
} from "../../results/reference";
import { Thumbnail } from "../../results/Thumbnail";
import { urlOf } from "../../results/urls";
import { isUnfinished } from "../../tasks/store";
import { ChosenItem, type ItemActions } from "./ChosenItem";
import { Sound } from "./Sound";

interface ResultItemProps extends ItemActions {
  result: Reference | Address;
  medium: string | undefined;
}

export function ResultItem({ result, medium, ...actions }: ResultItemProps) {
  const url = urlOf(result);
  const kind = result.kind ?? medium;
  return (
    <ChosenItem
      {...actions}
      name={result.name}
      // The key makes the preview load a renewed URL, even if the old one failed.
      preview={<Thumbnail key={url} class="preview" source={{ url, kind }} />}
      facts={originOf(result)}
      player={
        kind === "audio" &&
        url && <Sound key={url} url={url} name={result.name} />
      }
    />
  );
}

function originOf(result: Reference | Address): string {
  if (isAddress(result)) return `from ${new URL(result.url).host}`;
  if (isStep(result)) return "from a step of the pipeline";
  const isWaiting = isRunning(result) && isUnfinished(result.id);
  return isWaiting ? "from a task that still runs" : "from an earlier task";
}
