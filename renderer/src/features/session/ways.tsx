import { queryOptions } from '@tanstack/react-query';
import type { SignInProvider } from '#shared/signin/api';
import { ApiError, api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { useText } from '../../i18n/text.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { Note } from '../../ui/surface.tsx';
import { Fields, type Problems, type Typed, useFields, useFirstEmpty } from './fields.tsx';

/** How people sign in to this server. */
export const waysQuery = queryOptions({
  queryKey: ['ways'],
  queryFn: async () => (await api.listProviders({})).body,
  staleTime: 0,
});

const fields = [
  { name: 'email', label: 'enter.email', kind: 'email', autoComplete: 'username' },
  { name: 'password', label: 'enter.password', kind: 'secret', autoComplete: 'current-password' },
] as const;

const problemsOf = ({ email, password }: Typed): Problems => ({
  email: email?.includes('@') ? undefined : 'enter.emailMissing',
  password: password ? undefined : 'enter.passwordMissing',
});

/** E-mail and password. `onEnter` is called once the browser is signed in. */
export function PasswordForm({ onEnter }: { onEnter: () => void }) {
  const t = useText();
  const { form, submit, typed, problems, set } = useFields({ email: '', password: '' }, problemsOf);
  useFirstEmpty(form);
  const enter = useIntent(async () => {
    await api.signIn({ body: { email: typed['email'] ?? '', password: typed['password'] ?? '' } });
    onEnter();
    return true;
  });
  return (
    <form ref={form} noValidate onSubmit={submit(() => void enter.run())} className="flex flex-col gap-4">
      <Fields fields={fields} typed={typed} problems={problems} set={set} />
      <WrongPassword error={enter.error} text={t('enter.wrong')} />
      <Button type="submit" look="primary" busy={enter.isBusy}>
        {t('enter.do')}
      </Button>
    </form>
  );
}

/** A refusal; that of a wrong password in words that fit the page. */
export function WrongPassword({ error, text }: { error: unknown; text: string }) {
  if (error === undefined) return null;
  if (error instanceof ApiError && error.code === 'invalid_credentials') return <Note tone="bad">{text}</Note>;
  return <ErrorNote error={error} />;
}

/** One button for each external provider; the browser comes back signed in, at `back`. */
export function ProviderButtons({ providers, back }: { providers: readonly SignInProvider[]; back: string }) {
  const t = useText();
  return providers
    .filter(({ protocol, enabled }) => protocol === 'oidc' && enabled)
    .map(({ id, label }) => (
      <a
        key={id}
        href={`/api/v1/auth/oidc/${id}/start?return=${encodeURIComponent(back)}`}
        className={buttonClass('plain')}
      >
        {t('enter.with', { name: label })}
      </a>
    ));
}
