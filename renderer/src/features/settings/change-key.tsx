import { type FormEvent, useRef, useState } from 'react';
import { type KeySourceName, keySources, type VaultStatus } from '#shared/keys/contract';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { keys, queryClient } from '../../api/queries.ts';
import { sealReasonOf } from '../../api/sealed.ts';
import { Confirm } from '../../components/confirm.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { focusInvalid } from '../../components/refused-control.ts';
import { RefusedFields } from '../../components/refused-fields.tsx';
import { SectionTitle } from '../../components/section-title.tsx';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { Card, Note } from '../../ui/surface.tsx';
import { keySourceTexts } from './key-location.tsx';
import { NewPassphrase, problemsOf } from './new-passphrase.tsx';

/** Creates a new key and stores it in another location, or in the same one. Sealed data stays as it is. */
export function ChangeKey({ vault }: { vault: VaultStatus }) {
  const t = useText();
  const [to, setTo] = useState<KeySourceName>(vault.keySource ?? 'file');
  const [typed, setTyped] = useState({ first: '', second: '' });
  const [showErrors, setShowErrors] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const problems = to === 'passphrase' ? problemsOf(typed) : {};
  const change = useIntent(async () => {
    const passphrase = to === 'passphrase' ? { passphrase: typed.first } : {};
    const { body } = await api.changeKey({ body: { source: to, ...passphrase } });
    queryClient.setQueryData(keys.vault, body.vault);
    setTyped({ first: '', second: '' });
    setShowErrors(false);
    return body.vault;
  });
  const [done, setDone] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setShowErrors(true);
    setDone(false);
    change.reset();
    if (problems.first === undefined && problems.second === undefined) return setAsking(true);
    focusInvalid(form.current);
  };
  const confirm = async () => {
    const changed = await change.run();
    setAsking(false);
    setDone(changed !== undefined);
  };
  return (
    <Card>
      <SectionTitle id="change-key" className="border-b border-line px-4 py-2.5" />
      <form ref={form} noValidate onSubmit={submit} className="flex flex-col gap-4 p-4">
        <p className="text-muted">{t('vault.change.text')}</p>
        <KeySourceChoice to={to} now={vault.keySource} onChoose={setTo} />
        {to === 'passphrase' && (
          <NewPassphrase of="vault" typed={typed} problems={showErrors ? problems : {}} onChange={setTyped} />
        )}
        <RefusedFields isShown={showErrors} />
        <Refusal error={change.error} />
        {done && <Note title={t('vault.changed')} />}
        <div>
          <Button type="submit" busy={change.isBusy}>
            {t(to === vault.keySource ? 'vault.change.same' : 'vault.change.move')}
          </Button>
        </div>
      </form>
      <Confirm
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={t('vault.change.ask', { place: t(keySourceTexts[to].name) })}
        action={t('vault.change.do')}
        busy={change.isBusy}
        onConfirm={() => void confirm()}
      >
        <p>{t('vault.change.what')}</p>
        <p className="mt-2">{t(keySourceTexts[to].backup)}</p>
      </Confirm>
    </Card>
  );
}

/** Reason why a key cannot be stored there. Nothing has changed then. */
function Refusal({ error }: { error: unknown }) {
  const t = useText();
  const reason = sealReasonOf(error);
  if (error === undefined) return null;
  if (reason === undefined) return <ErrorNote error={error} />;
  return (
    <Note tone="bad" title={t('vault.change.refused')}>
      {t(`seal.why.${reason}`)}
    </Note>
  );
}

type KeySourceChoiceProps = {
  to: KeySourceName;
  now: KeySourceName | undefined;
  onChoose: (to: KeySourceName) => void;
};

function KeySourceChoice({ to, now, onChoose }: KeySourceChoiceProps) {
  const t = useText();
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="sr-only">{t('vault.place')}</legend>
      {keySources.map((source) => (
        <label
          key={source}
          className="flex cursor-pointer items-start gap-3 rounded-md border border-line px-3 py-2.5 has-checked:border-accent has-checked:bg-accent-soft"
        >
          <input
            type="radio"
            name="place"
            value={source}
            checked={source === to}
            onChange={() => onChoose(source)}
            className="mt-1 accent-accent"
          />
          <span className="min-w-0">
            <span className="font-medium">
              {t(keySourceTexts[source].name)}
              {source === now && <span className="ml-2 text-xs font-normal text-muted">{t('vault.now')}</span>}
            </span>
            <span className="block text-sm text-muted">{t(keySourceTexts[source].text)}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
