import fs from 'node:fs';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { FeedItem } from '#shared/runs/feed';
import { writeFakeTool } from '../../test/fake-tool.ts';
import { heldClock, type RawAnswer, startTestServer, type TestServer, tempDir } from '../../test/harness.ts';
import { appendFeed, holdCapsule, logLine, seedCapsule, seedPlan, seedRun } from '../../test/ledger-rows.ts';
import { openScheduleFixture, scheduleTool } from '../../test/schedule-fixture.ts';
import { applyOutcome, planOutcome } from '../../test/scripted-runner.ts';
import { newId } from './ids.ts';

const hour = 3_600_000;
const day = 24 * hour;

const toolDir = tempDir();
let clock: ReturnType<typeof heldClock>;
let server: TestServer;
beforeEach(async () => {
  clock = heldClock(Date.now());
  server = await startTestServer({ clock, env: { GROUNDCTL_TOOL_PATH: writeFakeTool(toolDir) } });
});
afterEach(async () => {
  vi.useRealTimers();
  await server.close();
});
afterAll(() => fs.rmSync(toolDir, { recursive: true }));

const statusAndReason = ({ status, json }: RawAnswer) => {
  const { code, details } = (json as { error?: { code: string; details?: { reason?: string } } }).error ?? {};
  return [status, details?.reason ?? code];
};
const renew = async () => {
  const { session } = (await server.as(server.operatorToken).issueSession({ body: {} })).body;
  return server.as(session.token);
};
const makeSource = (name: string, key?: string) =>
  server.request(
    'POST',
    '/api/v1/sources',
    { workspaceId: server.workspaceId, name, url: `https://example.com/${name}` },
    key === undefined ? {} : { 'idempotency-key': key },
  );
const sourceIdOf = ({ json }: RawAnswer) => (json as { source: { id: string } }).source.id;

async function heldPlan(planExpiresAt: number) {
  const capsule = await seedCapsule(server);
  // The queue considers the Capsule busy, so a started apply stays in the queue.
  holdCapsule(server, capsule.id);
  return seedPlan(server, capsule, { set: { planExpiresAt } });
}

describe('when the clock of the machine jumps back an hour', () => {
  test('everything continues: sessions, writes, reads, and a plan that was not too old', async () => {
    const plan = await heldPlan(clock.now() + hour);
    clock.advance(-hour);
    expect((await makeSource('after')).status).toBe(201);
    const { body } = await server.api.listRuns({ params: { workspaceId: server.workspaceId }, query: {} });
    expect(body.runs.map(({ id }) => id)).toContain(plan.id);
    expect((await server.request('POST', `/api/v1/runs/${plan.id}/apply`, {})).status).toBe(201);
  });

  test('a repeated request still finds what the first one made', async () => {
    const first = await makeSource('once', 'key');
    clock.advance(-hour);
    const again = await makeSource('once', 'key');
    expect([again.status, sourceIdOf(again)]).toEqual([200, sourceIdOf(first)]);
  });

  test('the feed of a Run keeps the order in which things happened, live and page by page', async () => {
    const run = seedRun(server, { moves: ['claim'] });
    const lines = Array.from({ length: 6 }, (_, at) => logLine(`line ${at}`, clock.now() + (at < 3 ? at : at - hour)));
    appendFeed(server, run.id, lines.slice(0, 3));
    clock.advance(-hour);
    appendFeed(server, run.id, lines.slice(3));
    const params = { runId: run.id };
    const expected = lines.map((item: FeedItem) => item.payload['text']);
    const texts: string[] = [];
    for (let after = 0; texts.length < expected.length; ) {
      const { body } = await server.api.getRunLogs({ params, query: { after: `${after}`, limit: '2' } });
      texts.push(...body.entries.map(({ text }) => text));
      after = body.nextAfter ?? after;
    }
    expect(texts).toEqual(expected);
    const reader = await server.events(`/api/v1/runs/${run.id}/events?kinds=log`);
    const live = async () =>
      (await reader.more()).filter(({ event }) => event === 'log').map(({ data }) => data['text']);
    await expect.poll(live, { timeout: 10_000 }).toEqual(expected);
    reader.close();
  });

  test('lists page by page show each record once, in spite of times that are not in order', async () => {
    const createdIds: string[] = [];
    for (let at = 0; at < 8; at += 1) {
      createdIds.push(sourceIdOf(await makeSource(`list ${at}`.replace(' ', '-'))));
      clock.advance(at % 2 === 0 ? -hour : 10 * 60_000);
    }
    const seen: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const query: { workspaceId: string; limit: string; cursor?: string } = {
        workspaceId: server.workspaceId,
        limit: '3',
        ...(cursor !== undefined && { cursor }),
      };
      const { body } = await server.api.listSources({ query });
      seen.push(...body.sources.map(({ id }) => id));
      cursor = body.nextCursor;
      if (cursor === undefined) break;
    }
    expect([...seen].sort()).toEqual([...createdIds].sort());
  });

  test('the audit trail stays intact, also across a restart', async () => {
    await makeSource('first');
    clock.advance(-hour);
    await makeSource('second');
    await server.restart();
    await makeSource('third');
    const rows = server.ledger((db) => db.sqlite.prepare('SELECT seq FROM audit_events ORDER BY seq').pluck().all());
    expect(rows).toEqual(rows.map((_, at) => at + 1));
  });
});

describe('when the clock of the machine jumps a month ahead', () => {
  test('a session has ended, and a new one works', async () => {
    clock.advance(30 * day);
    expect((await makeSource('late')).status).toBe(401);
    const { body } = await (await renew()).listWorkspaces({});
    expect(body.workspaces.map(({ id }) => id)).toEqual([server.workspaceId]);
  });

  test('a plan is too old to be approved or applied, and stays so when the clock comes back after it was ended', async () => {
    const plan = await heldPlan(clock.now() + day);
    const capsule = await seedCapsule(server);
    const waiting = seedPlan(server, capsule, {
      moves: ['claim', 'requestApproval'],
      set: { planExpiresAt: clock.now() + day },
    });
    clock.advance(29 * day);
    expect(statusAndReason(await server.request('POST', `/api/v1/runs/${plan.id}/apply`, {}))).toEqual([
      409,
      'plan_expired',
    ]);
    expect(statusAndReason(await server.request('POST', `/api/v1/runs/${waiting.id}/approve`, {}))).toEqual([
      409,
      'plan_expired',
    ]);
    await server.restart();
    const statusOf = async () => (await server.api.getRun({ params: { runId: waiting.id } })).body.run.status;
    expect(await statusOf()).toBe('expired');
    clock.advance(-29 * day);
    expect(await statusOf()).toBe('expired');
    expect(statusAndReason(await server.request('POST', `/api/v1/runs/${waiting.id}/approve`, {}))).toEqual([
      409,
      'nothing_to_approve',
    ]);
  });

  test('an expired key counts as fresh, and never replays the answer of another request', async () => {
    const first = await makeSource('key', 'key');
    clock.advance(29 * day);
    const second = await makeSource('key', 'key');
    expect([second.status, sourceIdOf(second) === sourceIdOf(first)]).toEqual([201, false]);
    clock.advance(-29 * day);
    const third = await makeSource('key', 'key');
    expect([third.status, sourceIdOf(third)]).toEqual([200, sourceIdOf(second)]);
  });
});

test('an apply that runs while the clock jumps either way is committed as any other', async () => {
  const fixture = await openScheduleFixture(clock);
  const createInput = { actorId: fixture.owner, tool: scheduleTool };
  try {
    for (const jump of [-hour, 30 * day]) {
      const capsule = fixture.makeCapsule();
      const plan = fixture.domains.plans.createPlan(capsule.id, createInput);
      await fixture.settle();
      clock.advance(jump);
      fixture.runner.end(plan.id, planOutcome(fixture.runner.startedRuns.get(plan.id)?.spec as never));
      await fixture.settle();
      const { run } = fixture.domains.applies.apply(plan.id, createInput);
      await fixture.settle();
      clock.advance(jump);
      fixture.runner.end(run.id, applyOutcome(fixture.runner.startedRuns.get(run.id)?.spec as never, true));
      await fixture.settle();
      expect(fixture.domains.runs.getRecord(run.id).status).toBe('succeeded');
      expect(fixture.domains.capsules.getRow(capsule.id)).toMatchObject({
        status: 'active',
        currentStateGeneration: 1,
      });
    }
    expect(fixture.domains.activity.findBreak()).toBeUndefined();
  } finally {
    await fixture.close();
  }
});

test('ids keep increasing while the clock stands still or jumps in either direction', () => {
  vi.useFakeTimers({ now: Date.now(), toFake: ['Date'] });
  const ids: string[] = [];
  for (const jump of [0, -hour, 0, 30 * day, -60 * day, 0]) {
    vi.setSystemTime(Date.now() + jump);
    for (let at = 0; at < 200; at += 1) ids.push(newId('plan'));
  }
  expect(ids).toEqual([...ids].sort());
  expect(new Set(ids).size).toBe(ids.length);
});
