import { useId } from 'react';
import { type TextId, useText } from '../../i18n/text.ts';
import { inputClass, Labelled, SecretInput } from '../../ui/controls.tsx';

export type FieldProps = {
  name: string;
  label: TextId;
  help: TextId;
  value: string;
  problem: TextId | undefined;
  onText: (text: string) => void;
};

/** Field for a setting in plain text. */
export function PlainField({ name, label, help, value, problem, onText }: FieldProps) {
  const t = useText();
  const id = useId();
  return (
    <Labelled id={id} label={t(label)} help={t(help)} problem={problem && t(problem)}>
      <input
        id={id}
        name={name}
        type="text"
        value={value}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        aria-invalid={problem !== undefined || undefined}
        aria-describedby={`${id}-help`}
        onChange={(event) => onText(event.target.value)}
        className={`${inputClass} ${name === 'name' ? '' : 'font-mono'}`}
      />
    </Labelled>
  );
}

/** Field for a value that is sealed. */
export function SecretField({ name, label, help, value, problem, onText }: FieldProps) {
  const t = useText();
  const id = useId();
  return (
    <Labelled id={id} label={t(label)} help={t(help)} problem={problem && t(problem)}>
      <SecretInput
        id={id}
        name={name}
        isLong={false}
        what={t(label)}
        value={value}
        onText={onText}
        aria-invalid={problem !== undefined || undefined}
        aria-describedby={`${id}-help`}
      />
    </Labelled>
  );
}
