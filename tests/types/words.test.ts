// The words for errors, issues, fields and states.

import type {
  HistoryEntry,
  Issue,
  StepSnapshot,
  TaskSnapshot,
} from "mediagate";
import {
  describeError,
  describeFailure,
  describeIssue,
  type ErrorWords,
  type FieldInfo,
  fieldLabel,
  type OwnWords,
  stateWord,
  stepWord,
} from "mediagate/words";

const words: OwnWords = {
  timeout: { remedy: "Wait." },
  of_this_app: { heading: "This is new" },
  // @ts-expect-error words are not a text
  aborted: "Stopped",
};

export function errors(error: unknown): string[] {
  const { heading, message, remedy, facts }: ErrorWords = describeError(
    error,
    words,
  );
  // @ts-expect-error a heading may have no message
  const text: string = message;
  return [heading, remedy ?? "", facts, text];
}

export function failures(
  snapshot: TaskSnapshot,
  entry: HistoryEntry,
  step: StepSnapshot,
): (string | undefined)[] {
  return [
    ...[snapshot, entry, step].map((failed) => describeFailure(failed)?.code),
    ...[stateWord(snapshot.state), stepWord(step.state)],
  ];
}

export function issues(issue: Issue, fields: readonly FieldInfo[]): string {
  const label = (field: FieldInfo) => field.media;
  // @ts-expect-error a label is a text
  describeIssue(issue, { label: () => 7 });
  const { subject, text } = describeIssue(issue, { fields, label });
  return `${subject} ${text} ${fields.map(fieldLabel)}`;
}
