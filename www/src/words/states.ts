import { sentence } from ".";

export function stateWord(state: string): string {
  if (state === "SUCCEEDED") return "Done";
  // The media service may send a state in another form, which is shown as it is.
  return /^[A-Z_]+$/.test(state) ? sentence(state) : state;
}
