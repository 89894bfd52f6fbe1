import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import type { RecoveryKitStatus } from '#shared/keys/contract';
import { api } from '../../api/client.ts';
import { recoveryKitQuery } from '../../api/installation.ts';
import { useIntent } from '../../api/intent.ts';
import { keys, queryClient } from '../../api/queries.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { focusInvalid } from '../../components/refused-control.ts';
import { RefusedFields } from '../../components/refused-fields.tsx';
import { SectionTitle } from '../../components/section-title.tsx';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { Card, Note } from '../../ui/surface.tsx';
import { dateTimeText } from '../../ui/time.tsx';
import { NewPassphrase, problemsOf } from './new-passphrase.tsx';

/** Makes a recovery kit and saves it as a file. The passphrase is typed twice and leaves the page with the request only. */
export function RecoveryKit() {
  const t = useText();
  const { data: status } = useQuery(recoveryKitQuery);
  const [typed, setTyped] = useState({ first: '', second: '' });
  const [showErrors, setShowErrors] = useState(false);
  const [saved, setSaved] = useState<string>();
  const form = useRef<HTMLFormElement>(null);
  const problems = problemsOf(typed);
  const creating = useIntent(async () => {
    const { body } = await api.createRecoveryKit({ body: { passphrase: typed.first } });
    saveText(body.fileName, body.text);
    queryClient.setQueryData(keys.recoveryKit, body.recoveryKit);
    setTyped({ first: '', second: '' });
    setShowErrors(false);
    setSaved(body.fileName);
    return body;
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setShowErrors(true);
    setSaved(undefined);
    if (problems.first === undefined && problems.second === undefined) void creating.run();
    else focusInvalid(form.current);
  };
  return (
    <Card>
      <SectionTitle id="recovery-kit" className="border-b border-line px-4 py-2.5" />
      <form ref={form} noValidate onSubmit={submit} className="flex flex-col gap-4 p-4">
        <div className="flex flex-col gap-2 text-muted">
          <p>{t('kit.what')}</p>
          <p>{t('kit.keep')}</p>
        </div>
        {status && <Newest status={status} />}
        <NewPassphrase of="kit" typed={typed} problems={showErrors ? problems : {}} onChange={setTyped} />
        <RefusedFields isShown={showErrors} />
        {creating.error !== undefined && <ErrorNote error={creating.error} />}
        {saved !== undefined && <Note title={t('kit.saved', { name: saved })}>{t('kit.saved.text')}</Note>}
        <div>
          <Button type="submit" busy={creating.isBusy}>
            {t('kit.create')}
          </Button>
        </div>
      </form>
    </Card>
  );
}

function Newest({ status: { state, createdAt } }: { status: RecoveryKitStatus }) {
  const t = useText();
  if (createdAt === undefined) return <p>{t('kit.none')}</p>;
  const at = dateTimeText(createdAt);
  if (state === 'made') return <p>{t('kit.made', { at })}</p>;
  return <Note tone="warn" title={t('kit.outdated', { at })} />;
}

function saveText(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
