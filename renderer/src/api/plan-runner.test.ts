import { describe, expect, test } from 'vitest';
import type { RunnerCapability } from '#shared/execution/tool';
import type { WorkspacePool } from '#shared/runner-pools/contract';
import { planRunnerOf } from './plan-runner.ts';

const runner: RunnerCapability = {
  available: true,
  toolName: 'terraform',
  toolVersion: '1.9.0',
  sandbox: 'none',
  network: 'shared',
};
const pool = (id: string, more: Partial<WorkspacePool> = {}): WorkspacePool => ({
  id,
  name: id,
  isAllowed: true,
  isDefault: false,
  queue: { waiting: 0, running: 0 },
  ...more,
});
const tofu = (version: string) => ({ name: 'tofu', version }) as const;
const office = pool('pool_office', { name: 'Office', tools: [tofu('1.12.6')], network: 'isolated' });
const inOffice = {
  toolName: 'tofu',
  toolVersion: '1.12.6',
  sandbox: 'bwrap',
  network: 'isolated',
  poolName: 'Office',
};

describe('a plan runs', () => {
  const byServer = [pool('local', { isDefault: true }), office];
  const byOffice = [pool('local'), { ...office, isDefault: true }];
  test('with the tool of the server in the pool local', () => {
    expect(planRunnerOf(runner, byServer, null)).toEqual(runner);
    expect(planRunnerOf(runner, byOffice, 'local')).toEqual(runner);
    expect(planRunnerOf({ ...runner, available: false }, byServer, null)).toBeUndefined();
  });

  test('with the tool, sandbox and network of the machines of its pool', () => {
    expect(planRunnerOf({ ...runner, available: false }, byServer, office.id)).toEqual(inOffice);
    expect(planRunnerOf(runner, byOffice, undefined)).toEqual(inOffice);
  });

  test('with a tool whose version is unknown while no machine is live, or machines differ', () => {
    const silent = pool('pool_silent', { tools: [] });
    expect(planRunnerOf(runner, [silent], silent.id)).toMatchObject({ toolVersion: null, network: 'shared' });
    const mixed = { ...office, tools: [tofu('1.12.6'), tofu('1.12.7')] };
    expect(planRunnerOf(runner, [mixed], mixed.id)).toMatchObject({ toolVersion: null, network: 'isolated' });
    const both = { ...office, tools: [tofu('1.12.6'), { name: 'terraform', version: '1.9.0' } as const] };
    expect(planRunnerOf(runner, [both], both.id)).toMatchObject({ toolName: 'terraform', toolVersion: null });
  });
});
