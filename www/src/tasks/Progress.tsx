/** The progress of a running task, from its record or as an estimate, which looks different. */

import { timeLeft } from "mediagate/observers";
import { formatTimeLeft } from "mediagate/words";
import type { Entry } from "./entry";
import { now } from "./now";

export function Progress({
  entry,
  heading,
}: {
  entry: Entry;
  heading: string;
}) {
  const { progress, startedAt } = entry;
  const label = `Progress of ${heading}`;
  const left = timeLeft(entry, { startedAt, now: now.value });
  if (!left) return <progress value={progress} aria-label={label} />;
  const { seconds, overdue, share = 0 } = left;
  const isFact = progress !== undefined;
  const words = (units: "short" | "spoken") =>
    overdue
      ? "taking longer than usual"
      : `${isFact ? "" : "estimated: "}${formatTimeLeft(seconds, units)} left`;
  return (
    <div class="progress">
      {isFact ? (
        <progress value={progress} aria-label={label} />
      ) : (
        <EstimateBar share={share} label={label} valueText={words("spoken")} />
      )}
      <p class="facts">{words("short")}</p>
    </div>
  );
}

/** The bar of an estimate. It has no value, so that a screen reader reads the words instead. */
function EstimateBar({
  share,
  label,
  valueText,
}: {
  share: number;
  label: string;
  valueText: string;
}) {
  const style = { "--share": `${(share * 100).toFixed(1)}%` };
  return (
    <progress
      class="estimate"
      style={style}
      aria-label={label}
      aria-valuetext={valueText}
    />
  );
}
