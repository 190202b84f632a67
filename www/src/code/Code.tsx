import { useSignal } from "@preact/signals";
import { CodeView } from "../parts/CodeView";
import { http } from "./http";
import { planOf, type Subject } from "./plan";
import { python } from "./python";
import { typescript } from "./typescript";

const LANGUAGES = {
  TypeScript: typescript,
  "HTTP (curl)": http,
  Python: python,
};
type Language = keyof typeof LANGUAGES;

export function Code({ subject }: { subject: Subject }) {
  const language = useSignal<Language>("TypeScript");
  return (
    <CodeView
      label="Language"
      names={Object.keys(LANGUAGES) as Language[]}
      chosen={language}
      text={LANGUAGES[language.value](planOf(subject, location.origin))}
    />
  );
}
