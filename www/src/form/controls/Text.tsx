/** A line of text, or several lines for prose. */
import { useState } from "preact/hooks";
import type { ControlProps } from "./control";

/** Fields whose text is prose: prompts, scripts, descriptions. */
const PROSE = /(^|_)(prompt|prompt_text|text|persona)$/;

interface TextProps extends ControlProps {
  /** The name of an input that is one of several in its field. */
  label?: string;
  /** The focus has left the input. */
  onEnd?(): void;
}

export function Text({
  field,
  id,
  value,
  set,
  issues,
  describedBy,
  label,
  onEnd,
}: TextProps) {
  const common = {
    id,
    name: field.name,
    dir: "auto" as const,
    value: typeof value === "string" ? value : "",
    "aria-label": label,
    "aria-describedby": describedBy,
    "aria-invalid": issues.length > 0,
    "aria-required": field.required,
    onInput: (event: Event) =>
      set((event.currentTarget as HTMLInputElement).value),
    // Not `onChange`, which `preact/compat` makes `onInput` once a part of the page has loaded it.
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

/** Several strings, one per line. */
export function TextList({
  field,
  id,
  value,
  set,
  issues,
  describedBy,
}: ControlProps) {
  const list = Array.isArray(value) ? (value as string[]) : [];
  // What is typed has blank lines, which the value has not.
  const [typed, setTyped] = useState("");
  const isTyped = linesOf(typed).join("\n") === list.join("\n");
  const type = (text: string) => {
    setTyped(text);
    set(linesOf(text));
  };
  return (
    <textarea
      id={id}
      name={field.name}
      dir="auto"
      rows={2}
      placeholder="One per line"
      value={isTyped ? typed : list.join("\n")}
      aria-describedby={describedBy}
      aria-invalid={issues.length > 0}
      onInput={(event) => type(event.currentTarget.value)}
    />
  );
}

function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map((it) => it.trim())
    .filter(Boolean);
}
