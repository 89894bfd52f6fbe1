import { type FormEvent, type HTMLInputTypeAttribute, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import type { Connection } from '#shared/connections/contract';
import { type TextId, useText } from '../i18n/text.ts';
import { inputClass, Labelled, SecretInput } from '../ui/controls.tsx';
import { serverNow } from '../ui/time.tsx';
import { FormEnd } from './form-end.tsx';
import {
  emptyDraft,
  findTokenProblems,
  refusedField,
  type TokenDraft,
  type TokenField,
  useNewToken,
} from './git-token.ts';
import { focusInvalid } from './refused-control.ts';

type Props = {
  /** The repository of the token when it is known; otherwise the form asks for it. */
  url?: string;
  /** A name to begin with. */
  name?: string;
  submit: string;
  /** Resolves when the Connection is in use. The caller shows its errors. */
  onCreated: (connection: Connection) => unknown;
  onCancel?: (() => void) | undefined;
  /** Label of the cancel button, when it is not "Cancel". */
  cancel?: string;
};

/**
 * Form for an access token for private Git repositories. The typed values are removed from the page once they are
 * saved.
 */
export function GitTokenForm({ url, name = '', submit, onCreated, onCancel, cancel }: Props) {
  const t = useText();
  const [draft, setDraft] = useState<TokenDraft>({ ...emptyDraft, name, url: url ?? '' });
  const [showErrors, setShowErrors] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const make = useNewToken();
  const named = refusedField(make.error);
  // The form has no address field when the caller passed the address.
  const refused = named?.field === 'url' && url !== undefined ? undefined : named;
  const problems = showErrors ? findTokenProblems(draft, serverNow()) : {};
  const problemOf = (field: TokenField): TextId | undefined =>
    problems[field] ?? (refused?.field === field ? refused.text : undefined);
  const change = (part: Partial<TokenDraft>) => {
    if (make.error !== undefined) make.reset();
    setDraft({ ...draft, ...part });
  };
  useEffect(() => form.current?.querySelector('input')?.focus(), []);
  useEffect(() => {
    if (refusedField(make.error)) focusInvalid(form.current);
  }, [make.error]);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    setShowErrors(true);
    if (Object.keys(findTokenProblems(draft, serverNow())).length > 0) return focusInvalid(form.current);
    const connection = await make.run(draft);
    if (!connection) return;
    setShowErrors(false);
    setDraft({ ...emptyDraft, url: url ?? '' });
    onCreated(connection);
  };
  const field = { draft, change, problemOf };
  return (
    <form
      ref={form}
      noValidate
      onSubmit={(event) => void send(event)}
      className="flex flex-col gap-4"
      autoComplete="off"
    >
      <TokenFields {...field} />
      <div className="grid gap-4 sm:grid-cols-2">
        <PlainField {...field} name="userName" label={t('token.user')} help={t('token.user.help')} />
        <PlainField {...field} name="endsOn" type="date" label={t('token.ends')} help={t('token.ends.help')} />
        <PlainField {...field} name="name" label={t('token.name')} help={t('token.name.help')} />
        {url === undefined && (
          <PlainField {...field} name="url" label={t('token.url')} help={t('token.url.help')} isCode />
        )}
      </div>
      <FormEnd save={refused ? { isBusy: make.isBusy } : make} label={submit} onCancel={onCancel} cancel={cancel} />
    </form>
  );
}

type FieldProps = {
  draft: TokenDraft;
  change: (part: Partial<TokenDraft>) => void;
  problemOf: (field: TokenField) => TextId | undefined;
};

function TokenFields({ draft, change, problemOf }: FieldProps) {
  const t = useText();
  const id = useId();
  const problem = problemOf('token');
  return (
    <Labelled id={id} label={t('token.token')} help={t('token.token.help')} problem={problem && t(problem)}>
      <SecretInput
        id={id}
        name="token"
        isLong={false}
        what={t('token.token')}
        value={draft.token}
        onText={(token) => change({ token })}
        aria-invalid={problem !== undefined || undefined}
        aria-describedby={`${id}-help`}
      />
    </Labelled>
  );
}

type PlainProps = FieldProps & {
  name: Exclude<TokenField, 'token'>;
  label: string;
  help: ReactNode;
  type?: HTMLInputTypeAttribute;
  isCode?: boolean;
};

function PlainField({ draft, change, problemOf, name, label, help, type = 'text', isCode = false }: PlainProps) {
  const t = useText();
  const id = useId();
  const problem = problemOf(name);
  return (
    <Labelled id={id} label={label} help={help} problem={problem && t(problem)}>
      <input
        id={id}
        name={name}
        type={type}
        value={draft[name]}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        aria-invalid={problem !== undefined || undefined}
        aria-describedby={`${id}-help`}
        onChange={(event) => change({ [name]: event.target.value })}
        className={`${inputClass} ${isCode ? 'font-mono' : ''}`}
      />
    </Labelled>
  );
}
