import { useQuery } from '@tanstack/react-query';
import type { Run } from '#shared/runs/contract';
import { configOfCapsuleQuery } from '../../api/records.ts';
import { hasEnded } from '../../api/run-record.ts';
import { useSession } from '../../api/session.tsx';
import { whenKnown } from '../../api/when-known.ts';
import { AppSignInFacts, findAppSignIn } from '../../components/app-sign-in.tsx';
import { useText } from '../../i18n/text.ts';
import { Card } from '../../ui/surface.tsx';

/** The sign-in that the apply of a plan gives its app, while the plan can still be approved or applied. */
export function RunAppSignIn({ run }: { run: Run }) {
  const t = useText();
  const isOpen = run.type === 'plan' && (run.awaits !== undefined || !hasEnded(run.status));
  const { data: config } = useQuery(whenKnown(isOpen ? run.capsuleId : undefined, configOfCapsuleQuery));
  const { data } = useSession();
  const signIn = config && findAppSignIn(config, [data?.workspace.policy ?? {}, config.policy ?? {}]);
  if (!signIn) return null;
  return (
    <Card className="mb-4 min-w-0 text-sm">
      <h2 className="px-4 pt-3 font-medium">{t('appSignIn.title')}</h2>
      <p className="max-w-prose px-4 pb-1 text-muted">{t('appSignIn.plan')}</p>
      <AppSignInFacts signIn={signIn} />
    </Card>
  );
}
