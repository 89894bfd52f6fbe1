import { expect } from 'vitest';
import type { TestServer } from '../harness.ts';

/** Installs the module at an address step by step, up to its plan. Returns the id of the Capsule. */
export async function requestInstallation(server: TestServer, url: string, name = 'Web'): Promise<string> {
  const { api } = server;
  const params = { workspaceId: server.workspaceId };
  const body = {
    source: { name: 'Modules', url, ref: 'main', path: '.' },
    capsule: { name, environment: 'test' },
  };
  const key = { 'idempotency-key': `install ${name}` };
  const { id } = (await api.createInstallPlan({ params, body }, key)).body.installPlan;
  await api.createInstallPlan({ params, body }, key);
  await api.listInstallPlans({ params });
  const left = { ...body, capsule: { ...body.capsule, name: `${name} left` } };
  const { installPlan } = (await api.createInstallPlan({ params, body: left }, { 'idempotency-key': `left ${name}` }))
    .body;
  await api.cancelInstallPlan({ params: { installPlanId: installPlan.id } });
  for (;;) {
    const { status, body: answer } = await api.getInstallPlan({ params: { installPlanId: id } });
    expect(status).toBe(200);
    if (answer.nextAction !== 'reconcile') return answer.installPlan.capsuleId ?? '';
    await api.reconcileInstallPlan({ params: { installPlanId: id } });
  }
}
