import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '#server/kernel/ids';
import { groundctl } from '../../../test/command-line.ts';
import { writeFakeTool } from '../../../test/fake-tool.ts';
import { startTestServer, type TestServer, tempDir } from '../../../test/harness.ts';
import { seedCapsule, seedPlan } from '../../../test/ledger-rows.ts';

let server: TestServer;
const toolDir = tempDir();
beforeAll(async () => {
  server = await startTestServer({ env: { GROUNDCTL_TOOL_PATH: writeFakeTool(toolDir) } });
});
afterAll(async () => {
  await server.close();
  fs.rmSync(toolDir, { recursive: true });
});

const here = () => ['--data-dir', server.dataDir];

/** Creates a group with one plan that is ready, and one that waits for an approval. */
async function seedGroup(server: TestServer) {
  const [ready, waiting] = [await seedCapsule(server), await seedCapsule(server)];
  const id = newId('runGroup');
  server.ledger(({ sqlite }) =>
    sqlite
      .prepare(
        'INSERT INTO run_groups (id, workspace_id, type, created_by, layers, created_at) VALUES (?, ?, ?, ?, ?, ?)',
      )
      .run(id, server.workspaceId, 'workspace_update', server.subject, JSON.stringify([[ready.id, waiting.id]]), 1),
  );
  const group = { runGroupId: id, groupLayer: 0 };
  const plan = seedPlan(server, ready, { ...group, capsuleName: ready.name });
  const other = seedPlan(server, waiting, { ...group, moves: ['claim', 'requestApproval'] });
  return { id, capsuleId: ready.id, name: ready.name, plan: plan.id, other: other.id };
}

describe('groups', () => {
  test('are listed and shown with their members', async () => {
    expect((await groundctl('groups', ...here())).out).toBe('There are no such groups.\n');
    const { id, plan, other } = await seedGroup(server);
    expect((await groundctl('groups', ...here())).out).toContain(`${id}  workspace_update  waiting_approval`);
    expect((await groundctl('groups', '--status', 'failed', ...here())).out).toBe('There are no such groups.\n');
    expect((await groundctl('groups', '--status', 'x', ...here())).code).toBe(2);
    const { out } = await groundctl('groups', 'show', id, ...here());
    expect(out).toContain(plan);
    expect(out).toContain(other);
    expect(out).toContain(`${server.url}/run-groups/${id}`);
  });

  test('apply nothing without a terminal, and nothing when one plan is refused', async () => {
    const { id, plan, other, capsuleId, name } = await seedGroup(server);
    const answer = await groundctl('groups', 'apply', id, ...here());
    expect([answer.code, answer.out]).toEqual([3, expect.stringContaining(plan)]);
    expect(answer.out).not.toContain(other);
    expect((await groundctl('groups', 'apply', id, other, ...here())).code).toBe(2);
    await server.api.holdCapsule({ params: { capsuleId }, body: { reason: 'Freeze' } });
    const refused = await groundctl('groups', 'apply', id, '--auto-approve', ...here());
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringMatching(`Nothing was applied\\.\n${name}: This Capsule is held.*"Freeze"`),
    ]);
    const { run } = (await server.api.getRun({ params: { runId: plan } })).body;
    expect(run).not.toHaveProperty('applyRunId');
  });
});

/** A tool that runs only outside of a sandbox. */
const bareTool = `#!/bin/sh
case "$0" in /svc/*) exit 1 ;; esac
echo 'OpenTofu v1.12.6'
`;

test('an apply on a machine without a sandbox is announced as such', async () => {
  const file = path.join(toolDir, 'bare-tool');
  fs.writeFileSync(file, bareTool, { mode: 0o755 });
  const bare = await startTestServer({ env: { GROUNDCTL_TOOL_PATH: file } });
  try {
    const { id } = await seedGroup(bare);
    const { err } = await groundctl('groups', 'apply', id, '--data-dir', bare.dataDir);
    expect(err).toContain('No sandbox on this machine: an apply runs with the rights of the user of the server.');
  } finally {
    await bare.close();
  }
});
