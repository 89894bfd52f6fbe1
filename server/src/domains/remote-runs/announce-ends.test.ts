import { expect, test, vi } from 'vitest';
import type { OutboxEvent } from '#server/kernel/outbox';
import { announceEnds } from './announce-ends.ts';

function open() {
  const listeners = new Set<(event: OutboxEvent) => void>();
  const announce = vi.fn();
  const stopping = new AbortController();
  announceEnds({
    outbox: {
      listen(listener) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
    jobs: { findKnown: (id) => (id === 'plan_1' ? ({ row: { machineId: 'rnr_1' } } as never) : undefined) },
    link: { announce },
    stopping: stopping.signal,
  });
  const send = (event: Partial<OutboxEvent>) => {
    for (const listener of listeners)
      listener({ seq: 1, workspaceId: 'ws_1', kind: 'run', recordId: 'plan_1', ...event });
  };
  return { announce, send, stopping, listeners };
}

test.each(['succeeded', 'waiting_approval', 'failed', 'queued'])(
  'a machine is requested to report when a Run that it holds is %s',
  (status) => {
    const { announce, send } = open();
    send({ status });
    expect(announce).toHaveBeenCalledExactlyOnceWith('rnr_1');
  },
);

test('a Run that goes on, one of no machine, and another record announce nothing', () => {
  const { announce, send } = open();
  send({ status: 'running' });
  send({ status: 'succeeded', recordId: 'plan_2' });
  send({ status: 'succeeded', kind: 'capsule' });
  expect(announce).not.toHaveBeenCalled();
});

test('a server that stops listens no longer', () => {
  const { stopping, listeners } = open();
  stopping.abort();
  expect(listeners.size).toBe(0);
});
