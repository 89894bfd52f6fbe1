import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { runGroupsQuery } from '../../api/groups.ts';
import { hasEnded } from '../../api/run-record.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { Allowed } from '../../components/allowed.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { runStatusTexts } from '../../components/status-text.ts';
import { usePlanUpdate } from '../../components/use-plan-update.ts';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { rowLinkClass } from '../../ui/data-table.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Since } from '../../ui/time.tsx';
import { Line, Section } from './section.tsx';

/** Capsules that are out of date, with one action for all of them, and the update that is in progress. */
export function Updates({ count, children }: { count: number; children: ReactNode }) {
  const t = useText();
  const update = usePlanUpdate();
  const filter = { type: 'workspace_update', limit: '1' } as const;
  const [newest] = useInfiniteQuery(runGroupsQuery(useWorkspaceId(), filter)).data?.pages[0]?.runGroups ?? [];
  const open = newest && !hasEnded(newest.status) ? newest : undefined;
  if (count === 0 && !open) return null;
  return (
    <Section title={t('home.updates')} count={count}>
      {open && (
        <Line
          aside={
            <>
              <StatusBadge statusText={runStatusTexts[open.status]} />
              <Since at={open.createdAt} />
            </>
          }
        >
          <Link to="/run-groups/$id" params={{ id: open.id }} data-row className={rowLinkClass}>
            {t('group.title.workspace_update')}
          </Link>
        </Line>
      )}
      {count > 0 && !open && (
        <Line
          aside={
            <Allowed to="planUpdate">
              <Button busy={update.isBusy} onClick={() => void update.run()}>
                {t('update.plan')}
              </Button>
            </Allowed>
          }
        >
          <p>{t('home.updates.text', { count })}</p>
          {update.error !== undefined && <ErrorNote error={update.error} />}
        </Line>
      )}
      {children}
    </Section>
  );
}
