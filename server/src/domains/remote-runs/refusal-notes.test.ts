import { expect, test, vi } from 'vitest';
import type { Log } from '../../kernel/log.ts';
import { createRefusalNotes } from './refusal-notes.ts';

test('refusals of a machine are logged once a minute, with their number since then', () => {
  let time = 0;
  const warn = vi.fn();
  const { note } = createRefusalNotes({ log: { warn } as unknown as Log, clock: { now: () => time } });
  for (let count = 0; count < 1_000; count += 1, time += 10) note('rnr_1', 'refused', { jobId: 'run_1' });
  note('rnr_2', 'refused');
  note('rnr_1', 'not answered');
  expect(warn.mock.calls).toEqual([
    [{ machineId: 'rnr_1', jobId: 'run_1' }, 'refused'],
    [{ machineId: 'rnr_2' }, 'refused'],
    [{ machineId: 'rnr_1' }, 'not answered'],
  ]);
  time = 60_000;
  note('rnr_1', 'refused');
  expect(warn).toHaveBeenLastCalledWith({ machineId: 'rnr_1', refusedSinceLast: 999 }, 'refused');
});
