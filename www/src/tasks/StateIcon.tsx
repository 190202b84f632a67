/** The state of a task or a step, as an icon. */
import {
  CircleAlert,
  CircleCheck,
  CircleX,
  type IconNode,
  LoaderCircle,
} from "lucide";
import { Icon } from "../parts/Icon";

/** A map, since the media service's word for a state may be anything, such as `constructor`. */
const STATES = new Map<string, IconNode>([
  ["SUCCEEDED", CircleCheck],
  ["FAILED", CircleX],
  ["EXPIRED", CircleX],
  ["CANCELLED", CircleX],
  ["SKIPPED", CircleX],
  ["UNKNOWN", CircleAlert],
  ["unknown", CircleAlert],
  ["interrupted", CircleX],
]);

/** `unsettled` is the icon of any other state; by default it turns. */
export function StateIcon({
  state,
  unsettled = LoaderCircle,
}: {
  state: string;
  unsettled?: IconNode;
}) {
  const icon = STATES.get(state) ?? unsettled;
  return (
    <span class="state" data-state={state} data-running={icon === LoaderCircle}>
      <Icon of={icon} size={16} />
    </span>
  );
}
