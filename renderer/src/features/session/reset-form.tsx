import { useState } from 'react';
import { api } from '../../api/client.ts';
import { EnterForm } from '../../components/sign-in/enter-form.tsx';
import type { Problems, Typed } from '../../components/sign-in/fields.tsx';
import { useText } from '../../i18n/text.ts';
import { quietClass } from '../../ui/controls.tsx';
import { Note } from '../../ui/surface.tsx';

const fields = [{ name: 'email', label: 'enter.email', kind: 'email', autoComplete: 'username' }] as const;

const problemsOf = ({ email }: Typed): Problems => ({ email: email?.includes('@') ? undefined : 'enter.emailMissing' });

/** Requests a sign-in link by mail. The answer is the same whether or not the e-mail has an account. */
export function ResetForm({ onBack }: { onBack: () => void }) {
  const t = useText();
  const [isSent, setSent] = useState(false);
  return (
    <>
      <h2 className="font-semibold">{t('enter.reset.title')}</h2>
      <div role="status">{isSent && <Note>{t('enter.reset.done')}</Note>}</div>
      {!isSent && (
        <EnterForm
          fields={fields}
          problemsOf={problemsOf}
          send={async ({ email = '' }) => {
            await api.requestPasswordReset({ body: { email } });
            setSent(true);
          }}
          texts={{ wrong: 'enter.wrong', action: 'enter.reset.do' }}
        >
          <p className="text-muted">{t('enter.reset.text')}</p>
        </EnterForm>
      )}
      <button type="button" className={`${quietClass} self-start`} onClick={onBack}>
        {t('enter.reset.back')}
      </button>
    </>
  );
}
