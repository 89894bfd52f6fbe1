import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { findDesktop } from '#shared/desktop';
import { findNoticePort } from '#shared/desktop-notices';
import { waitingLimits } from '#shared/limits';
import type { PersonalEvent } from '#shared/notifications/contract';
import type { Run, RunRow } from '#shared/runs/contract';
import type { ChangedRun } from '#shared/workspaces/changes';
import { chooseWorkspace } from '../../api/chosen-workspace.ts';
import { api } from '../../api/client.ts';
import { waitingLateStatesQuery } from '../../api/late-states.ts';
import { membersQuery } from '../../api/members.ts';
import { queryClient } from '../../api/queries.ts';
import { workspaceQuery } from '../../api/records.ts';
import { isAllowed, roleOf } from '../../api/role.ts';
import { useSession } from '../../api/session.tsx';
import { notificationPreferencesQuery, waitingQuery } from '../../api/waiting.ts';
import { useText } from '../../i18n/text.ts';
import { visibleText } from '../../ui/visible-text.ts';
import { showCount } from './badge.ts';
import { joinTabs, type Tabs } from './leader.ts';
import { personalEventOf } from './personal-event.ts';

/** The desktop notifies on its own, also while it shows no page. */
const mayNotify = (): boolean =>
  findNoticePort(window) !== undefined ||
  (!findDesktop(window) && 'Notification' in window && Notification.permission === 'granted');

const hasSettled = ({ status }: ChangedRun): boolean => status !== 'queued' && status !== 'running';

type Notice = {
  event: PersonalEvent;
  run: Run | RunRow;
  /** Differs from that of every other event. */
  key: string;
};

/** Returns the event of a change for this person, with its Run. Everything is read from the server again. */
async function findEvent(change: ChangedRun, subject: string): Promise<Notice | undefined> {
  if (change.kind === 'approval_request') {
    const waiting = await queryClient.fetchQuery({ ...waitingQuery(change.workspaceId), staleTime: 0 });
    const run = waiting.requests.find(({ id }) => id === change.id);
    return run && run.approvalRequest?.by !== subject ? eventOf('approval.requested', run) : undefined;
  }
  if (change.kind === 'late_state') return findLateState(change, subject);
  if (!hasSettled(change)) return undefined;
  const { run } = (await api.getRun({ params: { runId: change.id } })).body;
  const event = run.createdBy === subject ? personalEventOf(run) : undefined;
  return event && eventOf(event, run);
}

const eventOf = (event: PersonalEvent, run: Run | RunRow, recordId = run.id): Notice => ({
  event,
  run,
  key: `${recordId} ${event}`,
});

/** Returns the event of the newest late state that waits, when the person may decide about it or has ended the apply. */
async function findLateState({ id: runId, workspaceId }: ChangedRun, subject: string): Promise<Notice | undefined> {
  const { run } = (await api.getRun({ params: { runId } })).body;
  if (run.capsuleId === undefined) return undefined;
  const [late] = await queryClient.fetchQuery({ ...waitingLateStatesQuery(run.capsuleId, runId), staleTime: 0 });
  if (!late) return undefined;
  const role = roleOf(await queryClient.fetchQuery(membersQuery(workspaceId)), subject);
  const isConcerned = late.endedBy === subject || (role !== undefined && isAllowed(role, 'adoptLateState'));
  return isConcerned ? eventOf('late_state.arrived', run, late.id) : undefined;
}

/** Reports whether the person wants this event. Preferences that cannot be read report nothing. */
async function isWanted(event: PersonalEvent, workspaceId: string): Promise<boolean> {
  const { preferences } = await queryClient.fetchQuery({ ...notificationPreferencesQuery, staleTime: 0 });
  return preferences.browser.includes(event) && !preferences.mutedWorkspaceIds.includes(workspaceId);
}

/**
 * Shows what waits for the person in the tab and on its icon, and notifies the person of events in all Workspaces while
 * another page or program is in front. Returns the number of plans that wait in this Workspace.
 */
export function useNotifications(workspaceId: string): { count: number; isMore: boolean } {
  const t = useText();
  const navigate = useNavigate();
  const subject = useSession().data?.session.subject ?? '';
  const count = useQuery(waitingQuery(workspaceId)).data?.count ?? 0;
  const isMore = count >= waitingLimits.counted;
  useEffect(() => showCount(count, isMore), [count, isMore]);
  useEffect(() => () => showCount(0, false), []);

  const show = useRef(async (_notice: Notice): Promise<void> => {});
  show.current = async ({ event, run, key }) => {
    const port = findNoticePort(window);
    if (port) return void (await port.show(event, run.id));
    const isHere = run.workspaceId === workspaceId;
    // A notification of another Workspace names it.
    const elsewhere = isHere ? [] : [(await queryClient.fetchQuery(workspaceQuery(run.workspaceId))).displayName];
    const body = [run.capsuleName ?? '', ...elsewhere].map(visibleText).filter(Boolean).join(' · ');
    const notice = new Notification(t(`notify.${event}`), { body, tag: key });
    notice.onclick = () => {
      window.focus();
      if (isHere) void navigate({ to: '/runs/$id', params: { id: run.id } });
      else chooseWorkspace(run.workspaceId, `/runs/${run.id}`);
      notice.close();
    };
  };
  useEffect(() => {
    const reported = new Set<string>();
    const report = async (change: ChangedRun, tabs: Tabs) => {
      if (!mayNotify()) return;
      const found = await findEvent(change, subject);
      if (!found || reported.has(found.key)) return;
      reported.add(found.key);
      const { event, run } = found;
      if (!(await isWanted(event, run.workspaceId)) || (await tabs.isVisible(`/runs/${run.id}`))) return;
      await show.current(found);
    };
    const tabs = joinTabs({
      subject,
      onChange: (change) => {
        if (change.workspaceId === workspaceId)
          void queryClient.invalidateQueries({ queryKey: waitingQuery(workspaceId).queryKey });
      },
      // A record that cannot be read is not reported; the pages show the error.
      onChangeAsLeader: (change) => void report(change, tabs).catch(() => {}),
    });
    return tabs.close;
  }, [workspaceId, subject]);
  return { count, isMore };
}
