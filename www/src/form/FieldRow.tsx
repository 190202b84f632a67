import type { Issue, Model } from "mediagate";
import { modelsFor, offeredValues, planOf, priceOf } from "mediagate/forms";
import { describeIssue, fieldLabel, formatPrice } from "mediagate/words";
import type { Field } from "../catalogue";
import { models, offers } from "../offers";
import { help } from "../words";
import { controlFor } from "./controls";
import { type FormModel, isError } from "./model";
import { sourceOf } from "./source";

export function FieldRow({ field, model }: { field: Field; model: FormModel }) {
  const { fields } = model.capability;
  const id = `field-${model.capability.name}-${field.name}`;
  const issues = model.shown.value.filter(
    ({ path }) => rootOf(path) === field.name,
  );
  const offered = offeredValues(
    field,
    model.capability,
    models.value,
    model.values.value,
    offers.value,
  );
  const { component: Control, group } = controlFor(field, offered);
  const describedBy = `${id}-doc${issues.length > 0 ? ` ${id}-issues` : ""}`;
  const Row = group ? "fieldset" : "div";
  const heading = (
    <>
      <span>{fieldLabel(field)}</span>
      {!field.required && <span class="optional">optional</span>}
      <code aria-hidden="true">{field.name}</code>
    </>
  );
  return (
    <Row class="field" data-kind={field.kind} data-field={field.name}>
      {group ? <legend>{heading}</legend> : <label for={id}>{heading}</label>}
      <Control
        {...{ field, id, describedBy, offered }}
        issues={issues.filter(isError)}
        value={model.values.value[field.name]}
        noteOf={noteOf(field, model)}
        source={sourceOf(field, fields, model.values.value)}
        set={(value) => model.set(field.name, value)}
      />
      <p class="doc" id={`${id}-doc`}>
        <Prose text={docOf(field, model)} />
      </p>
      <Issues {...{ issues, fields }} id={`${id}-issues`} />
    </Row>
  );
}

interface IssuesProps {
  issues: readonly Issue[];
  fields: readonly Field[];
  id?: string;
}

export function Issues({ issues, fields, id }: IssuesProps) {
  if (issues.length === 0) return null;
  return (
    <ul class="issues" id={id}>
      {issues.map((issue) => {
        const { subject, text } = describeIssue(issue, { fields });
        return (
          <li
            key={issue.path + issue.reason}
            class={isError(issue) ? "" : "doubt"}
          >
            <b>{subject}</b> {text}
          </li>
        );
      })}
    </ul>
  );
}

function noteOf({ name }: Field, { capability }: FormModel) {
  if (name !== "model_id") return undefined;
  const notes = modelsFor(capability, models.value).map(
    (model) => [model.model_id, modelNote(model)] as const,
  );
  return (id: string) => new Map(notes).get(id) ?? "";
}

/** Returns the price of a model and the plan that it needs; empty if the catalogue has neither. */
function modelNote(model: Model): string {
  const price = priceOf(model);
  const plan = planOf(model);
  return [price && formatPrice(price), plan && `plan ${plan}`]
    .filter(Boolean)
    .join(", ");
}

/** Returns the name of the field in a path such as `segments[1].end_time`. */
export function rootOf(path: string): string {
  return path.split(/[.[]/, 1)[0] ?? path;
}

function docOf(field: Field, model: FormModel): string {
  const fallback = model.capability.documentedModel;
  const more =
    field.name === "model_id" && fallback
      ? `Documented: ${fallback}.`
      : help(field);
  return more ? `${field.doc} ${more}` : field.doc;
}

/** A text of the catalogue, with the parts between backticks as code. */
function Prose({ text }: { text: string }) {
  const parts = text.split("`");
  return (
    <>
      {parts.map((part, index) =>
        index % 2 === 1 ? <code key={index}>{part}</code> : part,
      )}
    </>
  );
}
