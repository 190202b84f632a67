/** A line of text, or several lines for prose. */
import type { ControlProps } from "./control";

/** Fields whose text is prose: prompts, scripts, descriptions. */
const PROSE = /(^|_)(prompt|prompt_text|text|persona)$/;

export function Text({ field, id, value, set, issues, describedBy }: ControlProps) {
  const common = {
    id,
    name: field.name,
    value: typeof value === "string" ? value : "",
    "aria-describedby": describedBy,
    "aria-invalid": issues.length > 0,
    "aria-required": field.required,
    onInput: (event: Event) => set((event.currentTarget as HTMLInputElement).value),
  };
  const hint = typeof field.example === "string" && field.required ? field.example : "";
  if (PROSE.test(field.name)) return <textarea {...common} rows={3} placeholder={hint} />;
  return <input {...common} type="text" placeholder={hint} spellcheck={false} autocomplete="off" />;
}

/** Several strings, one per line. */
export function TextList({ field, id, value, set, issues, describedBy }: ControlProps) {
  return (
    <textarea
      id={id}
      name={field.name}
      rows={2}
      placeholder="One per line"
      value={Array.isArray(value) ? value.join("\n") : ""}
      aria-describedby={describedBy}
      aria-invalid={issues.length > 0}
      onChange={(event) =>
        set(
          event.currentTarget.value
            .split("\n")
            .map((it) => it.trim())
            .filter(Boolean),
        )
      }
    />
  );
}
