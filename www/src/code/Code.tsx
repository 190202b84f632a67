import { useSignal } from "@preact/signals";
import type { Capability } from "../catalogue";
import { CodeView } from "../parts/CodeView";
import type { Draft, Values } from "../storage";
import { http } from "./http";
import { pipelineHttp, pipelinePython, pipelineTypescript } from "./pipeline";
import { python } from "./python";
import { typescript } from "./typescript";

const LANGUAGES = {
  TypeScript: { request: typescript, pipeline: pipelineTypescript },
  "HTTP (curl)": { request: http, pipeline: pipelineHttp },
  Python: { request: python, pipeline: pipelinePython },
};
type Language = keyof typeof LANGUAGES;

export type Shown =
  | { capability: Capability; values: Values }
  | { pipeline: Draft };

export function Code({ subject }: { subject: Shown }) {
  const language = useSignal<Language>("TypeScript");
  const { request, pipeline } = LANGUAGES[language.value];
  const text =
    "pipeline" in subject
      ? pipeline(subject.pipeline, location.origin)
      : request(subject.capability, subject.values, location.origin);
  return (
    <CodeView
      label="Language"
      names={Object.keys(LANGUAGES) as Language[]}
      chosen={language}
      text={text}
    />
  );
}
