import {
  CircleAlert,
  CircleCheck,
  CircleOff,
  CircleX,
  type IconNode,
  LoaderCircle,
} from "lucide";
import { Icon } from "../parts/Icon";

/** The icons. A map, since the media service's state may be any word, such as `constructor`. */
const STATES = new Map<string | undefined, IconNode>([
  ["SUCCEEDED", CircleCheck],
  ["FAILED", CircleX],
  ["EXPIRED", CircleX],
  ["CANCELLED", CircleX],
  ["SKIPPED", CircleX],
  ["UNKNOWN", CircleAlert],
  ["unknown", CircleAlert],
  ["interrupted", CircleX],
  ["refused", CircleX],
  ["gone", CircleOff],
]);

/** Shows the icon of a state, or else `unsettled`, which by default turns. */
export function StateIcon({
  state,
  unsettled = LoaderCircle,
}: {
  state: string | undefined;
  unsettled?: IconNode;
}) {
  const icon = STATES.get(state) ?? unsettled;
  return (
    <span class="state" data-state={state} data-running={icon === LoaderCircle}>
      <Icon icon={icon} size={16} />
    </span>
  );
}
