import { Plus, X } from "lucide";
import { formatTime, parseTime } from "mediagate/forms";
import { useEffect, useRef, useState } from "preact/hooks";
import { chunk } from "../../parts/chunk";
import { Icon } from "../../parts/Icon";
import { IconButton } from "../../parts/IconButton";
import { useLoaded } from "../../parts/useLoaded";
import type { Chosen } from "../../results/reference";
import { inspect } from "../inspect";
import { type Part, withNewPart } from "../parts";
import { type ControlProps, invalidAt } from "./control";

const EDGES = [
  ["start_time", "Start"],
  ["end_time", "End"],
] as const;

export function Segments({
  field,
  id,
  value,
  set,
  issues,
  describedBy,
  source,
}: ControlProps) {
  const segments = Array.isArray(value) ? (value as Part[]) : [];
  const [at, setAt] = useState<number>();
  const timeline = useTimeline(source);
  const length = timeline?.length ?? 0;
  // The handles may move faster than the field renders.
  const latest = useRef(segments);
  latest.current = segments;
  const update = (changed: Part[]) => {
    latest.current = changed;
    set(changed);
  };
  const replace = (index: number, changed: Partial<Part>) =>
    update(
      latest.current.map((segment, position) =>
        position === index ? { ...segment, ...changed } : segment,
      ),
    );
  const add = () => update(withNewPart(latest.current, length));
  useEffect(() => {
    // The documented default may end after a short video.
    const [only] = latest.current;
    const isDefault =
      JSON.stringify(latest.current) === JSON.stringify(field.default);
    if (
      only &&
      isDefault &&
      length > 0 &&
      (parseTime(only.end_time) ?? 0) > length
    )
      replace(0, { end_time: formatTime(length) });
  }, [length]);
  const move = (index: number) => (from: number, to: number) => {
    const before = latest.current[index];
    const start_time = formatTime(from);
    const end_time = formatTime(to);
    // The player shows the edge that moves.
    if (start_time !== before?.start_time) setAt(from);
    else if (end_time !== before.end_time) setAt(to);
    replace(index, { start_time, end_time });
  };
  return (
    <div class="segments">
      {timeline && source && <timeline.Film source={source} at={at} />}
      {segments.map((segment, index) => (
        <div class="segment" key={index}>
          {timeline && length > 0 && (
            <timeline.Range
              name={`part ${index + 1}`}
              {...rangeOf(segment, length)}
              length={length}
              following={isOnTimeline(segment, length)}
              change={move(index)}
            />
          )}
          {EDGES.map(([edge, name]) => (
            <input
              key={edge}
              type="text"
              id={`${id}-${index}-${edge}`}
              class="time"
              aria-label={`${name} of part ${index + 1}`}
              placeholder="HH:MM:SS"
              inputMode="numeric"
              autocomplete="off"
              value={segment[edge]}
              aria-describedby={describedBy}
              aria-invalid={invalidAt(
                issues,
                `${field.name}[${index}].${edge}`,
              )}
              onInput={(event) =>
                replace(index, { [edge]: event.currentTarget.value })
              }
            />
          ))}
          <IconButton
            icon={X}
            label={`Remove part ${index + 1}`}
            onClick={() => update(latest.current.toSpliced(index, 1))}
          />
        </div>
      ))}
      {length > 0 && !segments.every((part) => isOnTimeline(part, length)) && (
        <p class="facts">
          The handles follow once both times of a part are in the video, the end
          after the start.
        </p>
      )}
      <button
        type="button"
        class="quiet"
        onClick={add}
        aria-invalid={invalidAt(issues, field.name)}
      >
        <Icon icon={Plus} /> Add a part
      </button>
    </div>
  );
}

/**
 * Loads the timeline's components, and the video's length in whole seconds; `undefined` without a
 * video that the browser plays.
 */
function useTimeline(source: Chosen | undefined) {
  return useLoaded(async () => {
    if (!source) return undefined;
    const { duration } = await inspect(source, "video");
    if (duration === undefined) return undefined;
    return {
      ...(await chunk(() => import("./Timeline"))),
      // A video of 3 seconds may report 2.98.
      length: Math.max(1, Math.floor(duration + 0.05)),
    };
  }, [source]);
}

function rangeOf({ start_time, end_time }: Part, length: number) {
  const from = Math.min(parseTime(start_time) ?? 0, length - 1);
  return {
    from,
    to: Math.min(Math.max(parseTime(end_time) ?? length, from + 1), length),
  };
}

function isOnTimeline(segment: Part, length: number): boolean {
  const { from, to } = rangeOf(segment, length);
  return (
    formatTime(from) === segment.start_time &&
    formatTime(to) === segment.end_time
  );
}
