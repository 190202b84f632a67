/** Numbers of pixels that belong together: a region of a picture, the size of a video. */
import { invalidAt, numberIn, type ControlProps } from "./control";

const REGION = ["x", "y", "width", "height"];
const SIZE = ["width", "height"];

type Numbers = Record<string, number | undefined>;

/** `{x, y, width, height}`; all blank is no region. */
export function Region({ value, set, ...props }: ControlProps) {
  const region = (value ?? {}) as Numbers;
  const change = (name: string, number: number | undefined) => {
    const changed = Object.entries({ ...region, [name]: number }).filter(([, it]) => it !== undefined);
    set(changed.length > 0 ? Object.fromEntries(changed) : undefined);
  };
  return <Pixels {...props} names={REGION} path={(name) => `.${name}`} read={(name) => region[name]} change={change} />;
}

/** `[width, height]`; both blank is no size. */
export function VideoSize({ value, set, ...props }: ControlProps) {
  const size = (Array.isArray(value) ? value : [undefined, undefined]) as (number | undefined)[];
  const change = (name: string, number: number | undefined) => {
    const changed = size.with(SIZE.indexOf(name), number);
    set(changed.some((it) => it !== undefined) ? changed : undefined);
  };
  const at = (name: string) => SIZE.indexOf(name);
  return <Pixels {...props} names={SIZE} path={(name) => `[${at(name)}]`} read={(name) => size[at(name)]} change={change} />;
}

interface PixelsProps extends Omit<ControlProps, "value" | "set"> {
  names: string[];
  path(name: string): string;
  read(name: string): number | undefined;
  change(name: string, number: number | undefined): void;
}

function Pixels({ field, id, issues, described, names, path, read, change }: PixelsProps) {
  const whole = invalidAt(issues, field.name);
  return (
    <div class="pixels">
      {names.map((name) => {
        const number = read(name);
        return (
          <label key={name} class="pixel">
            <span>{name}</span>
            <input
              type="number"
              id={`${id}-${name}`}
              min={0}
              step={1}
              inputMode="numeric"
              value={number === undefined || Number.isNaN(number) ? "" : number}
              aria-describedby={described}
              aria-invalid={whole || invalidAt(issues, field.name + path(name))}
              onInput={(event) => change(name, numberIn(event.currentTarget))}
            />
          </label>
        );
      })}
    </div>
  );
}
