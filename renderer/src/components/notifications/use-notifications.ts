import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { waitingLimits } from '#shared/limits';
import type { PersonalEvent } from '#shared/notifications/contract';
import type { Run, RunRow } from '#shared/runs/contract';
import { api } from '../../api/client.ts';
import { queryClient } from '../../api/queries.ts';
import { useSession } from '../../api/session.tsx';
import { notificationPreferencesQuery, waitingQuery } from '../../api/waiting.ts';
import { useText } from '../../i18n/text.ts';
import { visibleText } from '../../ui/visible-text.ts';
import { showCount } from './badge.ts';
import { type Change, joinTabs, type Tabs } from './leader.ts';
import { personalEventOf } from './personal-event.ts';

const hasSettled = ({ status }: Change): boolean => status !== 'queued' && status !== 'running';

/** Returns the event of a change for this person, with its Run. Everything is read from the server again. */
async function findEvent(change: Change, at: { workspaceId: string; subject: string }) {
  if (change.kind === 'approval_request') {
    const waiting = await queryClient.fetchQuery({ ...waitingQuery(at.workspaceId), staleTime: 0 });
    const run = waiting.requests.find(({ id }) => id === change.id);
    return run && run.approvalRequest?.by !== at.subject ? { event: 'approval.requested' as const, run } : undefined;
  }
  if (change.kind !== 'run' || !hasSettled(change)) return undefined;
  const { run } = (await api.getRun({ params: { runId: change.id } })).body;
  const event = run.createdBy === at.subject ? personalEventOf(run) : undefined;
  return event && { event, run };
}

/** Reports whether the person wants this event. Preferences that cannot be read report nothing. */
async function isWanted(event: PersonalEvent, workspaceId: string): Promise<boolean> {
  const { preferences } = await queryClient.fetchQuery({ ...notificationPreferencesQuery, staleTime: 0 });
  return preferences.browser.includes(event) && !preferences.mutedWorkspaceIds.includes(workspaceId);
}

/**
 * Shows what waits for the person in the tab and on its icon, and notifies the person of events while another page or
 * program is in front. Returns the number of plans that wait.
 */
export function useNotifications(workspaceId: string): { count: number; isMore: boolean } {
  const t = useText();
  const navigate = useNavigate();
  const subject = useSession().data?.session.subject ?? '';
  const count = useQuery(waitingQuery(workspaceId)).data?.count ?? 0;
  const isMore = count >= waitingLimits.counted;
  useEffect(() => showCount(count, isMore), [count, isMore]);
  useEffect(() => () => showCount(0, false), []);

  const show = useRef((_event: PersonalEvent, _run: Run | RunRow): void => {});
  show.current = (event, run) => {
    const name = visibleText(run.capsuleName ?? '');
    const notice = new Notification(t(`notify.${event}`), { body: name, tag: `${run.id} ${event}` });
    notice.onclick = () => {
      window.focus();
      void navigate({ to: '/runs/$id', params: { id: run.id } });
      notice.close();
    };
  };
  useEffect(() => {
    const reported = new Set<string>();
    const report = async (change: Change, tabs: Tabs) => {
      if (!('Notification' in window) || Notification.permission !== 'granted') return;
      const found = await findEvent(change, { workspaceId, subject });
      const key = found && `${found.run.id} ${found.event}`;
      if (!found || key === undefined || reported.has(key)) return;
      reported.add(key);
      if (!(await isWanted(found.event, workspaceId)) || (await tabs.isVisible(`/runs/${found.run.id}`))) return;
      show.current(found.event, found.run);
    };
    const tabs = joinTabs({
      workspaceId,
      onChange: ({ kind }) => {
        if (kind === 'run' || kind === 'approval_request')
          void queryClient.invalidateQueries({ queryKey: waitingQuery(workspaceId).queryKey });
      },
      // A record that cannot be read is not reported; the pages show the error.
      onChangeAsLeader: (change) => void report(change, tabs).catch(() => {}),
    });
    return tabs.close;
  }, [workspaceId, subject]);
  return { count, isMore };
}
