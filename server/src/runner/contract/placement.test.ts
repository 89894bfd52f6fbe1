import { describe, expect, test } from 'vitest';
import type { Job } from './job.ts';
import { createSpec, type Placement } from './placement.ts';

const tool = { name: 'tofu', version: '1.12.6' } as const;
const folders = { runs: '/d/runs', capsules: '/d/capsules', archives: '/d/archives', providers: '/d/p', mirror: '/m' };
const placement: Placement = {
  folders,
  tool: { ...tool, path: '/bin/tofu' },
  sandbox: 'bwrap',
  isolation: 'pasta' as never,
};
const digest = `sha256:${'ab'.repeat(32)}`;
const job = {
  id: 'run_2',
  runId: 'run_2',
  capsuleId: 'cap_1',
  archiveDigest: digest,
  tool,
  plan: null,
} as unknown as Job;

describe('a job on a machine', () => {
  test('gets the folders, the tool and the isolation of the machine', () => {
    const spec = createSpec(job, placement);
    expect(spec).toMatchObject({
      runId: 'run_2',
      runDir: '/d/runs/run_2',
      capsuleDir: '/d/capsules/cap_1',
      archive: { digest, path: expect.stringMatching(/^\/d\/archives\//) },
      tool: placement.tool,
      sandbox: 'bwrap',
      isolation: placement.isolation,
      providers: { storeDir: '/d/p', mirrorDir: '/m' },
      plan: null,
    });
    expect(spec).not.toHaveProperty('id');
    expect(spec).not.toHaveProperty('archiveDigest');
  });

  test('finds its reviewed plan in the folder of that Run', () => {
    const plan = { runId: 'run_1', digest, addresses: ['a.b'], changes: [] };
    const { plan: located } = createSpec({ ...job, plan }, placement);
    expect(located).toEqual({ runDir: '/d/runs/run_1', digest, addresses: ['a.b'], changes: [] });
  });

  test('of an action finds the files that were built for its plan', () => {
    const action = { id: 'a', command: ['x'], built: { planRunId: 'run_1', digest } } as unknown as NonNullable<
      Job['action']
    >;
    const { runDir, action: located } = createSpec({ ...job, id: 'run_2.0', action }, placement);
    expect(runDir).toBe('/d/runs/run_2.0');
    expect(located).toMatchObject({
      id: 'a',
      built: { digest, path: expect.stringMatching(/^\/d\/runs\/run_1\/built\//) },
    });
  });

  test('does not start with another version of the tool', () => {
    const other = { ...placement, tool: { ...placement.tool, version: '1.12.7' } };
    expect(() => createSpec(job, other)).toThrow(expect.objectContaining({ code: 'not_started' }));
  });
});
