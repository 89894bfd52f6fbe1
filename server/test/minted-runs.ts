import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import type { Run } from '#shared/runs/contract';
import { type ScheduleFixture, scheduleTool } from './schedule-fixture.ts';
import { planOutcome } from './scripted-runner.ts';

export const acme = { source: 'registry.opentofu.org/acme/cloud', moduleLocalName: 'cloud' };

/** Matches the result of a function again and again until it fits. */
export const waitFor = (what: () => unknown): ReturnType<typeof expect.poll> =>
  expect.poll(what, { timeout: 20_000, interval: 5 });

/** Runs of Capsules that are bound to a Connection for `acme`, whose credentials are minted when they start. */
export function mintedRuns(fixture: () => ScheduleFixture) {
  const runOf = ({ id }: { id: string }): Run => fixture().domains.runs.getRun(id);
  const isHandedOver = ({ id }: { id: string }) => fixture().runner.startedRuns.has(id);
  const plan = (capsuleId: string): Run =>
    fixture().domains.plans.createPlan(capsuleId, { actorId: fixture().owner, tool: scheduleTool });

  async function specOf(run: { id: string }) {
    await waitFor(() => isHandedOver(run)).toBe(true);
    const taken = fixture().runner.startedRuns.get(run.id);
    if (!taken) throw new Error('the Run was not started');
    return taken.spec;
  }

  return {
    runOf,
    isHandedOver,
    plan,
    specOf,
    bound(connectionId: string): string {
      const { domains, makeCapsule } = fixture();
      const { id } = makeCapsule();
      const binding = { provider: 'acme/cloud', moduleLocalName: 'cloud', connectionId };
      domains.bindings.replace(domains.capsules.getRow(id), [binding]);
      return id;
    },
    async planned(capsuleId: string): Promise<Run> {
      const run = plan(capsuleId);
      fixture().runner.end(run.id, planOutcome(await specOf(run)));
      await waitFor(() => runOf(run).status).toBe('succeeded');
      return runOf(run);
    },
    /** Code and first diagnostic of a Run that fails. */
    async failed(run: { id: string }) {
      await waitFor(() => runOf(run).status).toBe('failed');
      const diagnostics = fixture().domains.runs.feed.listKind(run.id, 'diagnostic', { after: 0, limit: 100 });
      return { code: runOf(run).errorCode, message: String(diagnostics[0]?.payload['message']) };
    },
    countRows: (table: string) => fixture().db.sqlite.prepare(`SELECT count(*) FROM ${table}`).pluck().get(),
    /** All bytes of the data folder, without the files of the operator. */
    stored: () =>
      fs
        .readdirSync(fixture().dataDir, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && !entry.parentPath.endsWith('credential-services'))
        .map((entry) => fs.readFileSync(path.join(entry.parentPath, entry.name), 'latin1'))
        .join('\n'),
  };
}
