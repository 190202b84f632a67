import { useState } from "preact/hooks";
import { type ControlProps, inputAttributes } from "./control";

/** The names of the fields for prose: prompts, scripts and descriptions. */
const PROSE = /(^|_)(prompt|prompt_text|text|persona)$/;

interface TextProps extends ControlProps {
  label?: string;
  onEnd?(): void;
}

export function Text({ label, onEnd, ...props }: TextProps) {
  const { field, value, set } = props;
  const common = {
    ...inputAttributes(props),
    dir: "auto" as const,
    value: typeof value === "string" ? value : "",
    "aria-label": label,
    "aria-required": field.required,
    onInput: (event: Event) =>
      set((event.currentTarget as HTMLInputElement).value),
    // `preact/compat`, which some parts of the page load, turns `onChange` into `onInput`.
    onBlur: onEnd,
  };
  // An example by itself would look like a value.
  const hint =
    typeof field.example === "string" && field.required
      ? `such as: ${field.example}`
      : "";
  if (PROSE.test(field.name))
    return <textarea {...common} rows={3} placeholder={hint} />;
  return (
    <input
      {...common}
      type="text"
      placeholder={hint}
      spellcheck={false}
      autocomplete="off"
    />
  );
}

/** A list of strings, one per line. */
export function TextList(props: ControlProps) {
  const { value, set } = props;
  const list = Array.isArray(value) ? (value as string[]) : [];
  // The typed text has blank lines, which the value leaves out.
  const [typed, setTyped] = useState("");
  const isTyped = linesOf(typed).join("\n") === list.join("\n");
  const type = (text: string) => {
    setTyped(text);
    set(linesOf(text));
  };
  return (
    <textarea
      {...inputAttributes(props)}
      dir="auto"
      rows={2}
      placeholder="One per line"
      value={isTyped ? typed : list.join("\n")}
      onInput={(event) => type(event.currentTarget.value)}
    />
  );
}

function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
}
