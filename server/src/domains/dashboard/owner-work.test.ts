import { beforeEach, expect, test } from 'vitest';
import type { OwnerNotice } from '#shared/dashboard/owner-work';
import { defaultPreferences } from '#shared/notifications/contract';
import { createOwnerWatch } from './owner-work.ts';

type Moved = (run: object, from: string | undefined) => void;
type Recorded = (entry: { action: string; runId?: string }) => void;

const owner = 'sub_owner';
const run = { id: 'plan_1', type: 'plan', status: 'failed', createdBy: owner, workspaceId: 'ws_1', facts: {} };
const notices: OwnerNotice[] = [];
let moved: Moved;
let recorded: Recorded;
let concerned: readonly string[];
beforeEach(() => {
  notices.length = 0;
  concerned = [owner];
  const watch = createOwnerWatch({
    db: { afterCommit: (work: () => void) => work() },
    clock: { now: () => 0 },
    outbox: { listen: () => () => undefined },
    store: { listMemberships: () => [{ workspaceId: 'ws_1', name: 'Main', role: 'viewer' }] },
    runs: {
      onMoved: (work: Moved) => {
        moved = work;
      },
      getRecord: () => run,
    },
    activity: {
      onRecord: (work: Recorded) => {
        recorded = work;
      },
    },
    plans: { onApprovalRequested: () => undefined, needsOther: () => false },
    notifications: {
      getPreferences: () => ({ preferences: defaultPreferences, sendsMail: false }),
      listConcerned: () => concerned,
    },
    findOwnerId: () => owner,
  } as never);
  watch.onNotice((notice) => notices.push(notice));
});

test.each([
  ['a plan that failed', {}, 'run.failed'],
  ['a plan that waits for an approval', { status: 'waiting_approval' }, 'run.waiting'],
  ['a plan that found no changes', { status: 'succeeded', facts: { hasChanges: false } }, 'run.succeeded'],
  ['an apply that ended well', { type: 'apply', status: 'succeeded' }, 'run.succeeded'],
])('the owner is notified of %s, also as a viewer', (_name, change, event) => {
  moved({ ...run, ...change }, 'running');
  expect(notices).toEqual([{ event, runId: 'plan_1', workspaceName: 'Main' }]);
});

test.each([
  ['a Run of another person', { createdBy: 'sub_other' }, 'running'],
  ['a Run of a Workspace that the owner has left', { workspaceId: 'ws_2' }, 'running'],
  ['a sync', { type: 'source_sync' }, 'running'],
  ['a Run that starts', { status: 'running' }, 'queued'],
  ['a plan that is approved', { status: 'succeeded', facts: { hasChanges: true } }, 'waiting_approval'],
])('the owner is not notified of %s', (_name, change, from) => {
  moved({ ...run, ...change }, from);
  expect(notices).toEqual([]);
});

test('the owner is notified of a state that arrived late, when it concerns the owner', () => {
  recorded({ action: 'late_state.arrived', runId: run.id });
  expect(notices).toEqual([{ event: 'late_state.arrived', runId: 'plan_1', workspaceName: 'Main' }]);
  concerned = ['sub_other'];
  recorded({ action: 'late_state.arrived', runId: run.id });
  recorded({ action: 'late_state.dismissed', runId: run.id });
  expect(notices).toHaveLength(1);
});
