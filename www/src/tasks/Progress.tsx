/** The progress of a running task, from its record or as an estimate, which looks different. */
import { roughly } from "../words";
import type { Entry } from "./entry";
import { now } from "./now";
import { shareDone, timeLeft } from "./timeLeft";

export function Progress({
  entry,
  heading,
}: {
  entry: Entry;
  heading: string;
}) {
  const { eta, progress, startedAt } = entry;
  const label = `Progress of ${heading}`;
  if (!eta) return <progress value={progress} aria-label={label} />;
  const { seconds, overdue } = timeLeft(eta, now.value);
  const isFact = progress !== undefined;
  const words = (units: "short" | "spoken") =>
    overdue
      ? "taking longer than usual"
      : `${isFact ? "" : "estimated: "}${roughly(seconds, units)} left`;
  return (
    <div class="progress">
      {isFact ? (
        <progress value={progress} aria-label={label} />
      ) : (
        <EstimateBar
          share={shareDone((now.value - startedAt) / 1000, seconds)}
          label={label}
          valueText={words("spoken")}
        />
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
