import { type InputHTMLAttributes, useId } from 'react';
import { inputClass, Labelled } from '../ui/controls.tsx';

type Props = Pick<InputHTMLAttributes<HTMLInputElement>, 'autoFocus' | 'disabled' | 'maxLength'> & {
  label: string;
  help: string;
  /** Problem of the reason, once it is shown. */
  problem: string | undefined;
  value: string;
  onChange: (text: string) => void;
};

/** Field of a reason that the members of the Workspace read. */
export function ReasonField({ label, help, problem, value, onChange, ...input }: Props) {
  const id = useId();
  return (
    <Labelled id={id} label={label} help={help} problem={problem}>
      <input
        {...input}
        id={id}
        value={value}
        autoComplete="off"
        aria-invalid={problem !== undefined || undefined}
        aria-describedby={`${id}-help`}
        onChange={({ target }) => onChange(target.value)}
        className={inputClass}
      />
    </Labelled>
  );
}
