import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { InvitationSummary } from '#shared/signin/api';
import { ApiError, api } from '../../api/client.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { EnterForm } from '../../components/sign-in/enter-form.tsx';
import { newcomer, newPasswordProblem, type Problems, type Typed } from '../../components/sign-in/fields.tsx';
import { ProviderButtons, waysQuery } from '../../components/sign-in/ways.tsx';
import { useText } from '../../i18n/text.ts';
import { Note, Skeleton } from '../../ui/surface.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { useReloadOnNewLink } from './new-link.ts';
import { SessionLayout } from './session-layout.tsx';

const fields = [newcomer.name, newcomer.password] as const;

const problemsOf = ({ displayName = '', password = '' }: Typed): Problems => ({
  displayName: displayName.trim() === '' ? 'enter.nameMissing' : undefined,
  password: newPasswordProblem(password),
});

/** Accepts an invitation: with a password, or by signing in at a provider with the invited e-mail. */
export function InvitePage() {
  const t = useText();
  useReloadOnNewLink();
  const ways = useQuery(waysQuery);
  // The token stays in the URL until it is used, so that a reload loses nothing.
  const [token] = useState(() => location.hash.slice(1));
  const [isGone, setGone] = useState(false);
  const invitation = useQuery(invitationQuery(token));
  const hasProviders = ways.data?.providers.some(({ protocol }) => protocol === 'oidc') === true;
  if (token === '' || isGone || isDead(invitation.error))
    return (
      <SessionLayout title={t('invite.gone.title')}>
        <Note tone="warn">{t(token === '' ? 'invite.incomplete' : 'invite.gone.text')}</Note>
      </SessionLayout>
    );
  return (
    <SessionLayout title={titleOf(invitation.data, t)} lead={leadOf(invitation.data, t)}>
      {(ways.isPending || invitation.isPending) && <Skeleton />}
      {ways.isError && <ErrorNote error={ways.error} onAgain={() => void ways.refetch()} />}
      {invitation.isError && <ErrorNote error={invitation.error} onAgain={() => void invitation.refetch()} />}
      {invitation.data && ways.data?.password && <AcceptForm token={token} onGone={() => setGone(true)} />}
      {invitation.data && hasProviders && (
        <>
          <p className="text-muted">{t('invite.providers')}</p>
          <ProviderButtons providers={ways.data?.providers ?? []} back="/" />
        </>
      )}
    </SessionLayout>
  );
}

const isDead = (error: unknown): boolean => error instanceof ApiError && error.code === 'invitation_not_found';

const invitationQuery = (token: string) =>
  queryOptions({
    queryKey: ['invitation', token],
    queryFn: async () => (await api.inspectInvitation({ body: { token } })).body.invitation,
    enabled: token !== '',
    retry: false,
    refetchOnWindowFocus: false,
  });

const titleOf = (invitation: InvitationSummary | undefined, t: ReturnType<typeof useText>): string =>
  invitation ? t('invite.to', { workspace: visibleText(invitation.workspaceName) }) : t('invite.title');

function leadOf(invitation: InvitationSummary | undefined, t: ReturnType<typeof useText>): string {
  const { inviterName, email } = invitation ?? {};
  if (inviterName === undefined || email === undefined) return t('invite.lead');
  return t('invite.from', { inviter: visibleText(inviterName), email: visibleText(email) });
}

function AcceptForm({ token, onGone }: { token: string; onGone: () => void }) {
  const t = useText();
  const accept = async ({ displayName = '', password = '' }: Typed) => {
    try {
      await api.acceptInvitation({ body: { token, displayName: displayName.trim(), password } });
    } catch (error) {
      if (isDead(error)) onGone();
      throw error;
    }
    location.replace('/');
  };
  return (
    <EnterForm
      fields={fields}
      problemsOf={problemsOf}
      send={accept}
      texts={{ wrong: 'invite.wrong', action: 'invite.do' }}
    >
      <p className="text-muted">{t('invite.have')}</p>
    </EnterForm>
  );
}
