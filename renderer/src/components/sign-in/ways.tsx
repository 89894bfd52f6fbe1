import { queryOptions } from '@tanstack/react-query';
import type { SignInProvider } from '#shared/signin/api';
import { api } from '../../api/client.ts';
import { useText } from '../../i18n/text.ts';
import { buttonClass } from '../../ui/button.tsx';
import { EnterForm } from './enter-form.tsx';
import type { Problems, Typed } from './fields.tsx';

/** Sign-in methods of this server. */
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
export const PasswordForm = ({ onEnter }: { onEnter: () => void }) => (
  <EnterForm
    fields={fields}
    problemsOf={problemsOf}
    send={async ({ email = '', password = '' }) => {
      await api.signIn({ body: { email, password } });
      onEnter();
    }}
    texts={{ wrong: 'enter.wrong', action: 'enter.do' }}
  />
);

/** One button for each external provider. The browser returns signed in, to `back`. */
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
