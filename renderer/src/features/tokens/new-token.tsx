import { type FormEvent, useId, useRef, useState } from 'react';
import { scopeCatalog } from '#shared/tokens/contract';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { useSession } from '../../api/session.tsx';
import { CreatedSecret } from '../../components/created-secret.tsx';
import { FormEnd } from '../../components/form-end.tsx';
import { focusInvalid } from '../../components/refused-control.ts';
import { useLocalized, useText } from '../../i18n/text.ts';
import { Help, inputClass, Labelled, Problem } from '../../ui/controls.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { serverNow } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';

const dayMs = 86_400_000;
const lifetimes = [7, 30, 90, 365] as const;

type Draft = { name: string; scopes: string[]; isBound: boolean; days: number | undefined };
const fresh: Draft = { name: '', scopes: ['read'], isBound: false, days: 90 };

const needsWorkspace = ({ scopes }: Draft): boolean =>
  scopeCatalog.scopes.some((one) => one.workspaceBinding === 'required' && scopes.includes(one.scope));
const isNameRight = ({ name }: Draft): boolean => name.trim().length >= 1 && name.trim().length <= 80;

type Props = { isOpen: boolean; onClose: () => void; onCreated: () => void };

/** Creates a token and shows it once. */
export function NewToken({ isOpen, onClose, onCreated }: Props) {
  const t = useText();
  const [token, setToken] = useState<string>();
  const close = () => {
    setToken(undefined);
    onClose();
  };
  return (
    <Dialog isOpen={isOpen} onClose={close} title={t(token === undefined ? 'tokens.new' : 'tokens.made.title')}>
      {token === undefined ? (
        <TokenForm
          onCreated={(newToken) => {
            setToken(newToken);
            onCreated();
          }}
        />
      ) : (
        <CreatedSecret
          secret={token}
          what={t('tokens.title')}
          text={t('tokens.made.text')}
          testId="new-token"
          onClose={close}
        />
      )}
    </Dialog>
  );
}

function TokenForm({ onCreated }: { onCreated: (token: string) => void }) {
  const t = useText();
  const id = useId();
  const [draft, setDraft] = useState(fresh);
  const [isChecked, setChecked] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const workspace = useSession().data?.workspace;
  const make = useIntent(async () => {
    const isBound = draft.isBound || needsWorkspace(draft);
    // Sent without an idempotency key, because a replayed response has no token.
    const { body } = await api.createToken({
      body: {
        name: draft.name,
        scopes: draft.scopes,
        ...(isBound && workspace && { workspace_id: workspace.id }),
        ...(draft.days !== undefined && { expires_at: new Date(serverNow() + draft.days * dayMs).toISOString() }),
      },
    });
    if ('token' in body) onCreated(body.token);
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    if (isNameRight(draft) && draft.scopes.length > 0) void make.run();
    else focusInvalid(form.current);
  };
  return (
    <form ref={form} noValidate onSubmit={submit} className="flex flex-col gap-4">
      <Labelled
        id={`${id}-name`}
        label={t('tokens.name')}
        help={t('tokens.name.help')}
        problem={isChecked && !isNameRight(draft) ? t('tokens.name.wrong') : undefined}
      >
        <input
          id={`${id}-name`}
          value={draft.name}
          autoComplete="off"
          aria-invalid={isChecked && !isNameRight(draft)}
          aria-describedby={`${id}-name-help`}
          onChange={({ target }) => setDraft({ ...draft, name: target.value })}
          className={inputClass}
        />
      </Labelled>
      <Scopes draft={draft} onChange={setDraft} isWrong={isChecked && draft.scopes.length === 0} />
      <WorkspaceChoice draft={draft} onChange={setDraft} name={visibleText(workspace?.displayName ?? '')} />
      <Labelled id={`${id}-ends`} label={t('tokens.ends')}>
        <select
          id={`${id}-ends`}
          className={inputClass}
          value={draft.days ?? 'never'}
          onChange={({ target }) =>
            setDraft({ ...draft, days: target.value === 'never' ? undefined : Number(target.value) })
          }
        >
          {lifetimes.map((count) => (
            <option key={count} value={count}>
              {t('tokens.ends.days', { count })}
            </option>
          ))}
          <option value="never">{t('tokens.ends.never')}</option>
        </select>
      </Labelled>
      <FormEnd save={make} label={t('tokens.make')} />
    </form>
  );
}

type PartProps = { draft: Draft; onChange: (draft: Draft) => void };

function Scopes({ draft, onChange, isWrong }: PartProps & { isWrong: boolean }) {
  const t = useText();
  const localized = useLocalized();
  const toggle = (scope: string, isOn: boolean) =>
    onChange({ ...draft, scopes: isOn ? [...draft.scopes, scope] : draft.scopes.filter((one) => one !== scope) });
  return (
    <fieldset>
      <legend className="mb-1 text-sm font-medium">{t('tokens.scopes')}</legend>
      {scopeCatalog.scopes.map(({ scope, label, description }, index) => (
        <label key={scope} className="flex items-start gap-2 py-1">
          <input
            type="checkbox"
            className="mt-1"
            aria-invalid={(isWrong && index === 0) || undefined}
            checked={draft.scopes.includes(scope)}
            onChange={({ target }) => toggle(scope, target.checked)}
          />
          <span>
            <span className="font-medium">{localized(label)}</span>
            <Help>{localized(description)}</Help>
          </span>
        </label>
      ))}
      {isWrong && <Problem>{t('tokens.scopes.wrong')}</Problem>}
    </fieldset>
  );
}

function WorkspaceChoice({ draft, onChange, name }: PartProps & { name: string }) {
  const t = useText();
  const group = useId();
  const isForced = needsWorkspace(draft);
  const isBound = draft.isBound || isForced;
  const choices = [
    { bound: false, text: t('tokens.workspace.all') },
    { bound: true, text: t('tokens.workspace.one', { name }) },
  ];
  return (
    <fieldset>
      <legend className="mb-1 text-sm font-medium">{t('tokens.workspace')}</legend>
      {choices.map(({ bound, text }) => (
        <label key={text} className="flex items-center gap-2 py-0.5">
          <input
            type="radio"
            name={group}
            checked={isBound === bound}
            disabled={isForced && !bound}
            onChange={() => onChange({ ...draft, isBound: bound })}
          />
          {text}
        </label>
      ))}
      {isForced && <Help>{t('tokens.workspace.needed')}</Help>}
    </fieldset>
  );
}
