import { type FormEvent, type RefObject, useId, useRef, useState } from 'react';
import { passwordLimits } from '#shared/limits';
import { type TextId, useText } from '../../i18n/text.ts';
import { inputClass, Labelled, SecretInput } from '../../ui/controls.tsx';
import { focusInvalid } from '../refused-control.ts';

export type Field = {
  name: string;
  label: TextId;
  /** `secret` fields are write-only and masked. */
  kind: 'text' | 'email' | 'secret';
  autoComplete: string;
  help?: TextId;
};
export type Typed = Record<string, string>;
export type Problems = { [name: string]: TextId | undefined };

/** The fields for a new account. */
export const newcomer = {
  name: { name: 'displayName', label: 'enter.name', kind: 'text', autoComplete: 'name' },
  password: {
    name: 'password',
    label: 'enter.password',
    kind: 'secret',
    autoComplete: 'new-password',
    help: 'enter.password.help',
  },
} as const;

/** Returns the problem of a new password before it is sent. The server decides. */
export function newPasswordProblem(password: string, email = ''): TextId | undefined {
  const length = [...password.normalize('NFC')].length;
  if (length < passwordLimits.least) return 'enter.password.short';
  if (length > passwordLimits.most) return 'enter.password.long';
  return email !== '' && password.toLowerCase() === email.trim().toLowerCase() ? 'enter.password.email' : undefined;
}

/**
 * State of a form: the typed values and, after the first submit, their problems. The first invalid field gets the
 * focus.
 */
export function useFields(first: Typed, problemsOf: (typed: Typed) => Problems) {
  const [typed, setTyped] = useState(first);
  const [showErrors, setShowErrors] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const problems = problemsOf(typed);
  const submit = (work: (typed: Typed) => void) => (event: FormEvent) => {
    event.preventDefault();
    setShowErrors(true);
    if (Object.values(problems).every((problem) => problem === undefined)) return work(typed);
    focusInvalid(form.current);
  };
  const set = (name: string, text: string) => setTyped((before) => ({ ...before, [name]: text }));
  const clear = () => {
    setTyped(first);
    setShowErrors(false);
  };
  return { typed, problems: showErrors ? problems : {}, form: form as RefObject<HTMLFormElement>, submit, set, clear };
}

type Props = { fields: readonly Field[]; typed: Typed; problems: Problems; set: (name: string, text: string) => void };

export function Fields({ fields, typed, problems, set }: Props) {
  const t = useText();
  const id = useId();
  return fields.map(({ name, label, kind, autoComplete, help }) => {
    const own = `${id}-${name}`;
    const problem = problems[name];
    const shared = {
      id: own,
      name,
      autoComplete,
      'aria-invalid': problem !== undefined || undefined,
      'aria-describedby': `${own}-help`,
    };
    return (
      <Labelled key={name} id={own} label={t(label)} help={help && t(help)} problem={problem && t(problem)}>
        {kind === 'secret' ? (
          <SecretInput
            {...shared}
            isLong={false}
            what={t(label)}
            value={typed[name] ?? ''}
            onText={(text) => set(name, text)}
          />
        ) : (
          <input
            {...shared}
            type={kind}
            spellCheck={false}
            value={typed[name] ?? ''}
            onChange={(event) => set(name, event.target.value)}
            className={inputClass}
          />
        )}
      </Labelled>
    );
  });
}
