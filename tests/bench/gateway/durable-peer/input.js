import { Refusal } from "./responses.js";

const isText = (value) => typeof value === "string" && value.trim() !== "";
const isPositiveInteger = (value) => Number.isSafeInteger(value) && value >= 1;

const FIELDS = {
  file_id: { required: true, check: isText, rule: "the id of a picture" },
  prompt: { required: true, check: isText, rule: "a string that is not empty" },
  aspect_ratio: { check: isText, rule: "a string, such as 16:9" },
  clarity: { check: isText, rule: "a string, such as 720P" },
  duration_seconds: {
    check: isPositiveInteger,
    rule: "a whole number of seconds, at least 1",
  },
};

/**
 * Returns the fields of an input in a fixed order, so that equal inputs are equal as JSON. Refuses
 * an invalid input.
 */
export function imageToVideo(input) {
  if (input === null || typeof input !== "object" || Array.isArray(input))
    throw new Refusal(400, "send a JSON object");
  const unknown = Object.keys(input).find(
    (name) => !Object.hasOwn(FIELDS, name),
  );
  if (unknown !== undefined)
    throw new Refusal(400, `there is no field ${unknown}`);
  const checked = {};
  for (const [name, { required, check, rule }] of Object.entries(FIELDS)) {
    const value = input[name];
    if (value === undefined && !required) continue;
    if (!check(value)) throw new Refusal(400, `${name} must be ${rule}`);
    checked[name] = value;
  }
  return checked;
}
