/** How far a running task is: as its record says, or else as an estimate, which is drawn and named as one. */
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

/** Without a value it is indeterminate to a screen reader, which reads the words: an estimate is no fact. */
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
