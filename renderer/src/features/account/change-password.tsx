import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { keys, queryClient } from '../../api/queries.ts';
import { RefusedFields } from '../../components/refused-fields.tsx';
import { SectionTitle } from '../../components/section-title.tsx';
import { Fields, newPasswordProblem, type Typed, useFields } from '../../components/sign-in/fields.tsx';
import { waysQuery } from '../../components/sign-in/ways.tsx';
import { WrongPassword } from '../../components/sign-in/wrong-password.tsx';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { Card, Note } from '../../ui/surface.tsx';

const fields = [
  {
    name: 'current',
    label: 'account.password.current',
    kind: 'secret',
    autoComplete: 'current-password',
    help: 'account.password.currentHelp',
  },
  {
    name: 'first',
    label: 'account.password.new',
    kind: 'secret',
    autoComplete: 'new-password',
    help: 'enter.password.help',
  },
  { name: 'second', label: 'account.password.again', kind: 'secret', autoComplete: 'new-password' },
] as const;

/** Changes the password, which ends every other session. */
export function ChangePassword({ email }: { email: string }) {
  const t = useText();
  const ways = useQuery(waysQuery);
  const [isDone, setDone] = useState(false);
  const { form, submit, typed, problems, set, clear } = useFields(
    { current: '', first: '', second: '' },
    ({ first = '', second = '' }: Typed) => ({
      first: newPasswordProblem(first, email),
      second: first === second ? undefined : 'account.password.differs',
    }),
  );
  const change = useIntent(async () => {
    setDone(false);
    const current = typed['current'] ? { currentPassword: typed['current'] } : {};
    await api.changePassword({ body: { ...current, newPassword: typed['first'] ?? '' } });
    clear();
    setDone(true);
    await queryClient.invalidateQueries({ queryKey: keys.sessions });
  });
  return (
    <Card>
      <SectionTitle id="password" className="border-b border-line px-4 py-2.5" />
      {ways.data?.password === false ? (
        <p className="p-4 text-muted">{t('account.password.off')}</p>
      ) : (
        <form ref={form} noValidate onSubmit={submit(() => void change.run())} className="flex flex-col gap-4 p-4">
          <p className="text-muted">{t('account.password.text')}</p>
          <Fields fields={fields} typed={typed} problems={problems} set={set} />
          <RefusedFields isShown />
          <WrongPassword error={change.error} text={t('account.password.wrong')} />
          {isDone && <Note title={t('account.password.done')} />}
          <div>
            <Button type="submit" busy={change.isBusy}>
              {t('account.password.do')}
            </Button>
          </div>
        </form>
      )}
    </Card>
  );
}
