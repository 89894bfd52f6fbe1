import { expect, it } from 'vitest';
import type { Run } from '#shared/runs/contract';
import type { Work } from './command.ts';
import { readShownPlan } from './shown-plan.ts';

const summary = { add: 1, change: 0, destroy: 1 };
const run = {
  id: 'plan_1',
  summary,
  planResources: [{ address: 'terraform_data.event', type: 'terraform_data', actions: ['delete', 'create'] }],
} as unknown as Run;
const workAs = (kind: 'login' | 'token', getRunPlan: () => Promise<unknown>) =>
  ({
    server: { location: { credential: { kind } }, api: { getRunPlan } },
    terminal: { paint: (_tone: string, text: string) => text },
  }) as unknown as Work;

it('shows a login the changes and totals of the Run, without asking for values', async () => {
  const plan = await readShownPlan(
    workAs('login', () => Promise.reject(new Error('asked for values'))),
    run,
  );
  expect(plan).toEqual({
    lines: ['-/+ terraform_data.event', '', 'Plan: 1 to add, 0 to change, 1 to destroy'],
    isCut: false,
    isDestructive: true,
    isWhole: false,
  });
});

it('shows a token every page of the plan', async () => {
  const change = { mode: 'managed', actions: ['delete'], before: {}, after: null, name: 'x', type: 'x' };
  const pages = [
    { resources: [{ ...change, address: 'x.one' }], nextAfter: 1 },
    { resources: [{ ...change, address: 'x.two' }] },
  ];
  const getRunPlan = async () => ({
    body: { plan: { outputs: [], drift: [], diagnostics: [], summary, ...pages.shift() } },
  });
  const plan = await readShownPlan(workAs('token', getRunPlan), run);
  expect(plan.lines.slice(0, 2)).toEqual(['  - x.one', '  - x.two']);
  expect([plan.isDestructive, plan.isWhole, pages]).toEqual([true, true, []]);
});
