type Option = { value: string; text: string };

type ChoiceProps = {
  label: string;
  /** Label of the option that selects none. */
  any: string;
  value: string | undefined;
  options: readonly Option[];
  onChange: (value: string | undefined) => void;
};

/** Filter of a list with one value or none. It is highlighted while active. */
export const Choice = ({ label, any, value, options, onChange }: ChoiceProps) => (
  <label className="min-w-0">
    <span className="sr-only">{label}</span>
    <select
      className={`min-h-9 max-w-52 rounded-md border bg-card px-2 ${value === undefined ? 'border-line-strong/60 text-muted' : 'border-accent text-ink'}`}
      value={value ?? ''}
      onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
    >
      <option value="">{any}</option>
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.text}
        </option>
      ))}
    </select>
  </label>
);
