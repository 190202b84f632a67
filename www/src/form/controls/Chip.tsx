/** One of several choices that exclude each other. */
export function Chip(props: {
  name: string;
  label: string;
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
      <span>{props.label}</span>
    </label>
  );
}
