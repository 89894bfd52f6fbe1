import { Eye, EyeOff } from 'lucide-react';
import { type InputHTMLAttributes, type ReactNode, type TextareaHTMLAttributes, useState } from 'react';
import { useText } from '../i18n/text.ts';

/** Classes shared by all text controls. */
export const inputClass =
  'w-full min-h-9 rounded-md border border-line-strong bg-card px-2.5 py-1.5 text-ink placeholder:text-muted disabled:opacity-60 aria-invalid:border-bad aria-invalid:outline-bad';

/** Small button that belongs to the adjacent control. */
export const quietClass =
  'inline-flex cursor-pointer items-center gap-1 rounded px-1.5 py-1 text-sm font-medium text-accent hover:bg-accent-soft disabled:cursor-not-allowed disabled:opacity-55';

export const iconClass =
  'inline-flex size-9 shrink-0 cursor-pointer items-center justify-center rounded-md text-muted hover:bg-raised hover:text-ink';

/** Problem of the control above it. */
export const Problem = ({ id, children }: { id?: string; children: ReactNode }) => (
  <p id={id} role="alert" className="mt-1 text-sm break-words text-bad">
    {children}
  </p>
);

export const Help = ({ id, children }: { id?: string; children: ReactNode }) => (
  <p id={id} className="mt-1 text-sm break-words text-muted">
    {children}
  </p>
);

type LabelledProps = { id: string; label: string; help?: ReactNode; problem?: string | undefined; children: ReactNode };

/** A label with its control, help and problem. The control points to them by `helpId`. */
export const Labelled = ({ id, label, help, problem, children }: LabelledProps) => (
  <div className="min-w-0">
    <label htmlFor={id} className="mb-1 block text-sm font-medium">
      {label}
    </label>
    {children}
    <div id={`${id}-help`}>
      {problem !== undefined && <Problem>{problem}</Problem>}
      {help && <Help>{help}</Help>}
    </div>
  </div>
);

type Area = TextareaHTMLAttributes<HTMLTextAreaElement> & { isHidden?: boolean; lines?: number };

/** Text area that grows with its content. `isHidden` masks it like a password field, without losing line ends. */
export const TextArea = ({ isHidden = false, lines = 3, className = '', ...rest }: Area) => (
  <textarea
    {...rest}
    rows={lines}
    spellCheck={false}
    className={`${inputClass} field-sizing-content max-h-96 font-mono text-sm ${isHidden ? '[-webkit-text-security:disc]' : ''} ${className}`}
  />
);

type SecretProps = Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'value'> & {
  value: string;
  onText: (text: string) => void;
  isLong: boolean;
  what: string;
};

/** A write-only value that is never shown again. The user can reveal it while typing. */
export function SecretInput({ value, onText, isLong, what, ...rest }: SecretProps) {
  const t = useText();
  const [isShown, setShown] = useState(false);
  const Icon = isShown ? EyeOff : Eye;
  return (
    <div className="flex items-start gap-1">
      {isLong ? (
        <TextArea
          id={rest.id}
          isHidden={!isShown}
          value={value}
          autoComplete="off"
          onChange={(event) => onText(event.target.value)}
          onBlur={rest.onBlur as never}
          onPaste={rest.onPaste as never}
          aria-invalid={rest['aria-invalid']}
          aria-describedby={rest['aria-describedby']}
          aria-label={rest['aria-label']}
          placeholder={rest.placeholder}
        />
      ) : (
        <input
          {...rest}
          type={isShown ? 'text' : 'password'}
          autoComplete={rest.autoComplete ?? 'new-password'}
          spellCheck={false}
          value={value}
          onChange={(event) => onText(event.target.value)}
          className={`${inputClass} font-mono`}
        />
      )}
      <button
        type="button"
        className={iconClass}
        aria-pressed={isShown}
        aria-label={t(isShown ? 'input.hide' : 'input.show', { what })}
        onClick={() => setShown(!isShown)}
      >
        <Icon size={16} aria-hidden="true" />
      </button>
    </div>
  );
}

type Choice<V extends string> = { value: V; text: string };
type SwitchProps<V extends string> = {
  label: string;
  value: V;
  choices: readonly Choice<V>[];
  onChoose: (value: V) => void;
};

/** Toggle for two or three views, one of them pressed. */
export const ViewSwitch = <V extends string>({ label, value, choices, onChoose }: SwitchProps<V>) => (
  <fieldset className="inline-flex rounded-md border border-line p-0.5">
    <legend className="sr-only">{label}</legend>
    {choices.map((choice) => (
      <button
        key={choice.value}
        type="button"
        aria-pressed={choice.value === value}
        onClick={() => onChoose(choice.value)}
        className="cursor-pointer rounded px-2 py-0.5 text-xs font-medium text-muted hover:text-ink aria-pressed:bg-raised aria-pressed:text-ink"
      >
        {choice.text}
      </button>
    ))}
  </fieldset>
);
