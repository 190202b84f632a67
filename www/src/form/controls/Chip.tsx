export function Chip(props: {
  name: string;
  label: string;
  note?: string | undefined;
  checked: boolean;
  choose(): void;
}) {
  return (
    <label class="chip">
      <input
        type="radio"
        name={props.name}
        checked={props.checked}
        onChange={props.choose}
      />
      <span>
        {props.label}
        {props.note && <small> {props.note}</small>}
      </span>
    </label>
  );
}
