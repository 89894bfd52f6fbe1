import { afterAll, beforeAll, expect, it } from 'vitest';
import { changing, type FormHostFixture, resourceIn, startFormHost } from '../../../test/form-host.ts';

const canary = 'https://canary.example';
let f: FormHostFixture;
let id: string;
beforeAll(async () => {
  f = await startFormHost();
  id = resourceIn(await f.apply({ spec: { size: 1, endpoint: canary } })).status?.output.id ?? '';
  await f.look('one', 'observe', changing(1));
  await f.look('one', 'refresh', changing(1));
  expect((await f.remove('one', changing(1))).status).toBe(204);
});
afterAll(() => f.server.close());

const actions = ['delete', 'refresh', 'observe', 'apply'].map((operation) => `resource.${operation}.succeeded`);
const metadata = { kind: 'Bucket', name: 'one', resourceVersion: '1' };

it('lists the operations on Resources by their target type, also after the Resource was deleted', async () => {
  const { workspaceId, subject, api } = f.server;
  const query = { targetType: 'resource' as const };
  const { events } = (await api.listActivity({ params: { workspaceId }, query })).body;
  expect(events.map(({ action }) => action)).toEqual(actions);
  for (const event of events)
    expect(event).toMatchObject({ targetType: 'resource', targetId: id, actorId: subject, metadata });
  const others = (await api.listActivity({ params: { workspaceId }, query: { targetType: 'source' } })).body.events;
  expect(others).toEqual([]);
});

it('is in the audit trail and in the overview, and never has a value', async () => {
  const { operatorToken, workspaceId, api, as } = f.server;
  const query = { action: 'resource.apply.succeeded' as const };
  const trail = (await as(operatorToken).listAudit({ query })).body.events;
  expect(trail).toMatchObject([{ workspaceId, targetId: id, metadata }]);
  const { activity } = (await api.getOverview({ query: { workspaceId } })).body;
  const shown = activity.filter(({ targetType }) => targetType === 'resource');
  expect(shown.map(({ action, metadata: known }) => [action, known])).toEqual(
    actions.map((action) => [action, { name: 'one' }]),
  );
  const all = (await api.listActivity({ params: { workspaceId } })).body;
  expect(JSON.stringify([all, trail, activity])).not.toContain(canary);
});
