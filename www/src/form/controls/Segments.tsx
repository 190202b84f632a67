/** Parts of a video, each from one time to another. */
import { Plus, X } from "lucide";
import { Icon } from "../../parts/Icon";
import { invalidAt, type ControlProps } from "./control";

interface Segment {
  start_time: string;
  end_time: string;
}

const EDGES = [
  ["start_time", "Start"],
  ["end_time", "End"],
] as const;

export function Segments({ field, id, value, set, issues, described }: ControlProps) {
  const segments = Array.isArray(value) ? (value as Segment[]) : [];
  const replace = (index: number, changed: Segment) => set(segments.with(index, changed));
  const add = () => set([...segments, { start_time: segments.at(-1)?.end_time ?? "00:00:00", end_time: "" }]);
  return (
    <div class="segments">
      {segments.map((segment, index) => (
        <div class="segment" key={index}>
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
              aria-describedby={described}
              aria-invalid={invalidAt(issues, `${field.name}[${index}].${edge}`)}
              onInput={(event) => replace(index, { ...segment, [edge]: event.currentTarget.value })}
            />
          ))}
          <button type="button" class="quiet square" aria-label={`Remove part ${index + 1}`} onClick={() => set(segments.toSpliced(index, 1))}>
            <Icon of={X} />
          </button>
        </div>
      ))}
      <button type="button" class="quiet" onClick={add} aria-invalid={invalidAt(issues, field.name)}>
        <Icon of={Plus} /> Add a part
      </button>
    </div>
  );
}
