import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Chips } from "../parts/Chips";
import type { FormModel } from "./model";

/** Sizes whose sides every encoder takes. */
const PRESETS = {
  Square: { width: 1024, height: 1024 },
  Wide: { width: 1280, height: 720 },
  Tall: { width: 720, height: 1280 },
};
const NAMES = Object.keys(PRESETS) as (keyof typeof PRESETS)[];

export function SizeTools({ model }: { model: FormModel }) {
  const isLocked = useSignal(false);
  const values = model.values.value;
  const width = sideOf(values.width);
  const height = sideOf(values.height);
  const before = useRef({ width, height });
  useEffect(() => {
    const last = before.current;
    before.current = { width, height };
    if (!isLocked.value || !last.width || !last.height) return;
    const ratio = last.width / last.height;
    const isWider = width !== last.width && height === last.height;
    const isHigher = height !== last.height && width === last.width;
    // A side is blank while a person types it again, so the ratio of the last whole size counts.
    if (!width || !height) before.current = last;
    else if (isWider) change({ width, height: rounded(width / ratio) });
    else if (isHigher) change({ width: rounded(height * ratio), height });
  }, [width, height]);
  const change = (size: { width: number; height: number }) => {
    // Otherwise the effect would take the first side for a change by the person.
    before.current = size;
    model.set("width", size.width);
    model.set("height", size.height);
  };
  return (
    <div class="sizes">
      <Chips
        label="Size"
        names={NAMES}
        chosen={NAMES.find(
          (name) =>
            PRESETS[name].width === width && PRESETS[name].height === height,
        )}
        choose={(name) => change(PRESETS[name])}
        content={(name) => (
          <>
            {name}{" "}
            <small>
              {PRESETS[name].width} × {PRESETS[name].height}
            </small>
          </>
        )}
      />
      <label class="keep">
        <input
          type="checkbox"
          checked={isLocked.value}
          onChange={(event) => (isLocked.value = event.currentTarget.checked)}
        />{" "}
        Keep the ratio
      </label>
    </div>
  );
}

function rounded(side: number): number {
  // Encoders take even sides only.
  return Math.max(2, Math.round(side / 2) * 2);
}

function sideOf(value: unknown): number | undefined {
  return typeof value === "number" && value > 0 ? value : undefined;
}
