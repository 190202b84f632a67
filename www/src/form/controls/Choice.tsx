/** A choice of the offered values, or of any other value: the list is open. */
import { isOpened } from "../opened";
import { Chip } from "./Chip";
import { type ControlProps, inputAttributes } from "./control";

export function Choice(props: ControlProps) {
  const { field, id, value, set, offered, noteOf } = props;
  const values = offered.map(String);
  const text = typeof value === "string" ? value : "";
  const isOther = isOpened(`${id}-other`);
  // A reset leaves the field without a value, and the offered values may arrive after the page.
  const isBlank = value === "" && field.default !== null;
  const free =
    (isOther.value && value !== undefined) ||
    (text !== "" && !values.includes(text)) ||
    isBlank;
  const options = [
    ...(field.default === null ? [{ label: "Default", value: "" }] : []),
    ...values.map((value) => ({ label: value, value })),
  ];
  const choose = (chosen: string) => {
    isOther.value = false;
    set(chosen);
  };
  const chooseOther = () => {
    isOther.value = true;
    set(text);
  };
  return (
    <div class="options">
      <div class="chips">
        {options.map((option) => (
          <Chip
            key={option.value}
            name={id}
            label={option.label}
            note={noteOf?.(option.value)}
            checked={!free && text === option.value}
            choose={() => choose(option.value)}
          />
        ))}
        <Chip name={id} label="Other" checked={free} choose={chooseOther} />
      </div>
      {free && (
        <input
          {...inputAttributes(props)}
          type="text"
          dir="auto"
          aria-label={`Other ${field.name.replaceAll("_", " ")}`}
          value={text}
          onInput={(event) => set(event.currentTarget.value)}
        />
      )}
      {free && text === "" && (
        <p class="facts" role="status">
          {field.required
            ? "Nothing is entered, and this field needs a value."
            : `Nothing is entered, so the default is used${field.default === null ? "" : `: ${field.default}`}.`}
        </p>
      )}
    </div>
  );
}
