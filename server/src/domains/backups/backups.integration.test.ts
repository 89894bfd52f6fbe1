import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { digestOf } from '#server/kernel/digest';
import { backUp, refusalIn, seedApplied, setCapsule } from '../../../test/backup-fixture.ts';
import { startTestServer, type TestServer } from '../../../test/harness.ts';
import { seedCapsule, seedRun } from '../../../test/ledger-rows.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const folder = () => path.join(server.dataDir, 'backups');
const files = () => fs.readdirSync(folder()).sort();
const post = (address: string, headers: Record<string, string> = {}) =>
  server.request('POST', `/api/v1${address}`, undefined, headers);
const ofWorkspace = () => `/workspaces/${server.workspaceId}/backups`;

describe('a backup', () => {
  it('of a Workspace is a file, a record and a Run that has succeeded', async () => {
    await seedApplied(server, { generations: [{ a: 1 }] });
    const backup = await backUp(server);
    expect(backup).toMatchObject({ workspaceId: server.workspaceId, ref: `backup://${backup.id}` });
    expect(backup.id).toMatch(/^bkp_[0-9A-HJKMNP-TV-Z]{26}$/);
    const file = path.join(folder(), `${backup.id}.age`);
    const bytes = fs.readFileSync(file);
    expect([digestOf(bytes), bytes.length, fs.statSync(file).mode & 0o777]).toEqual([
      backup.digest,
      backup.sizeBytes,
      0o600,
    ]);
    expect(files()).toEqual([`${backup.id}.age`]);
    const runId = backup.createdByRunId ?? '';
    const { run } = (await server.api.getRun({ params: { runId } })).body;
    expect(run).toMatchObject({ type: 'backup', status: 'succeeded', backupId: backup.id, createdBy: server.subject });
    expect(run.phaseTimings).toMatchObject([{ phase: 'backup' }]);
    const { auditEvents } = (await server.api.getRunEvents({ params: { runId } })).body;
    expect(auditEvents.map(({ type }) => type)).toEqual(['backup.requested', 'backup.started', 'backup.completed']);
    const { events } = (await server.api.listActivity({ params: { workspaceId: server.workspaceId } })).body;
    expect(events[0]).toMatchObject({ action: 'backup.created', targetId: backup.id, actorId: server.subject, runId });
  });

  it('of a Capsule names the Capsule and its environment', async () => {
    const capsule = await seedApplied(server, { generations: [{ a: 1 }] });
    expect(await backUp(server, capsule.id)).toMatchObject({ capsuleId: capsule.id, environment: capsule.environment });
  });

  it('of a Capsule without a state is refused', async () => {
    const pending = await seedCapsule(server);
    expect(refusalIn(await post(`/capsules/${pending.id}/backups`))).toEqual([
      409,
      'failed_precondition',
      'capsule_never_applied',
    ]);
    const destroyed = await seedApplied(server, { generations: [{}], status: 'destroyed' });
    expect(refusalIn(await post(`/capsules/${destroyed.id}/backups`))[2]).toBe('capsule_destroyed');
  });

  it('does not hide the newest plan of its Capsule', async () => {
    const capsule = await seedApplied(server, { generations: [{ a: 1 }] });
    const before = (await server.api.getCapsule({ params: { capsuleId: capsule.id } })).body.capsule.latestRun;
    await backUp(server, capsule.id);
    expect((await server.api.getCapsule({ params: { capsuleId: capsule.id } })).body.capsule.latestRun).toEqual(before);
  });

  it('repeated under one key is the same backup, also when both requests run at once and after a restart', async () => {
    const headers = { 'idempotency-key': 'same' };
    const [one, two] = await Promise.all([post(ofWorkspace(), headers), post(ofWorkspace(), headers)]);
    const ids = [one, two].map(({ json }) => (json as { backup: { id: string } }).backup.id);
    expect(ids[0]).toBe(ids[1]);
    await server.restart();
    const replay = await post(ofWorkspace(), headers);
    expect([replay.status, (replay.json as { backup: { id: string } }).backup.id]).toEqual([200, ids[0]]);
    expect((await post(ofWorkspace())).json).not.toMatchObject({ backup: { id: ids[0] } });
  });

  it('that was cancelled is made again under the same key', async () => {
    const headers = { 'idempotency-key': 'cancelled' };
    const first = (await post(ofWorkspace(), headers)).json as { backup: { id: string; createdByRunId: string } };
    server.ledger(({ sqlite }) => {
      sqlite.prepare("UPDATE runs SET status = 'cancelled' WHERE id = ?").run(first.backup.createdByRunId);
      sqlite.prepare('DELETE FROM receipts').run();
    });
    const again = await post(ofWorkspace(), headers);
    expect([again.status, (again.json as typeof first).backup.id === first.backup.id]).toEqual([201, false]);
  });

  it('is refused while five of its Workspace wait', async () => {
    const waiting = Array.from({ length: 5 }, () => seedRun(server, { type: 'backup', moves: ['claim'] }));
    expect(refusalIn(await post(ofWorkspace()))).toEqual([409, 'failed_precondition', 'run_queue_full']);
    server.ledger(({ sqlite }) => {
      for (const { id } of waiting) sqlite.prepare("UPDATE runs SET status = 'failed' WHERE id = ?").run(id);
    });
  });

  it('that was interrupted fails at the next start, and nothing of it is left', async () => {
    const run = seedRun(server, { type: 'backup', moves: ['claim'] });
    fs.writeFileSync(path.join(folder(), 'bkp_left.age.partial'), 'half');
    await server.restart();
    await server.ended(run.id);
    expect((await server.api.getRun({ params: { runId: run.id } })).body.run).toMatchObject({
      status: 'failed',
      errorCode: 'backup_failed',
    });
    expect(files().every((name) => name.endsWith('.age'))).toBe(true);
    expect((await server.api.getRunLogs({ params: { runId: run.id } })).body.diagnostics).toMatchObject([
      { severity: 'error', code: 'backup_failed' },
    ]);
  });

  it('is refused when the disk has no space for it, and nothing of it is left', async () => {
    await backUp(server);
    const before = files();
    const { statfsSync } = fs;
    fs.statfsSync = ((folder: string) => ({ ...statfsSync(folder), bavail: 1 })) as typeof statfsSync;
    syncBuiltinESMExports();
    try {
      const { status, json } = await post(ofWorkspace());
      const { error } = json as { error: { message: string; details: { runId: string } } };
      expect([status, error.message]).toEqual([503, expect.stringContaining('twice the size of the ledger')]);
      const { run } = (await server.api.getRun({ params: { runId: error.details.runId } })).body;
      expect([run.status, run.errorCode]).toEqual(['failed', 'disk_full']);
      const { status: ofAll } = await server.request(
        'POST',
        '/internal/v1/installation-backups',
        { encryptFor: { passphrase: 'correct horse battery staple' } },
        { authorization: `Bearer ${server.operatorToken}` },
      );
      expect(ofAll).toBe(503);
      const { events } = (await server.as(server.operatorToken).listAudit({ query: {} })).body;
      expect(events.slice(0, 2).map(({ action }) => action)).toEqual(['backup.failed', 'backup.started']);
    } finally {
      fs.statfsSync = statfsSync;
      syncBuiltinESMExports();
    }
    expect(files()).toEqual(before);
  });

  it('is made in an archived Workspace', async () => {
    const setArchived = (at: number | null) =>
      server.ledger(({ sqlite }) => sqlite.prepare('UPDATE workspaces SET archived_at = ?').run(at));
    setArchived(1);
    expect(await backUp(server)).toMatchObject({ workspaceId: server.workspaceId });
    setArchived(null);
  });
});

describe('the list of backups', () => {
  it('is paged, newest first', async () => {
    const newest = await backUp(server);
    const params = { workspaceId: server.workspaceId };
    const first = (await server.api.listBackups({ params, query: { limit: '1' } })).body;
    expect(first.backups.map(({ id }) => id)).toEqual([newest.id]);
    const rest = (await server.api.listBackups({ params, query: { cursor: first.nextCursor } })).body;
    const all = (await server.api.listBackups({ params })).body.backups;
    expect([...first.backups, ...rest.backups]).toEqual(all);
    expect(all.map(({ createdAt }) => createdAt)).toEqual(
      all
        .map(({ createdAt }) => createdAt)
        .toSorted()
        .reverse(),
    );
  });
});

describe('the deletion of a backup', () => {
  const remove = (id: string, token = server.token) =>
    server.request('DELETE', `/api/v1${ofWorkspace()}/${id}`, undefined, { authorization: `Bearer ${token}` });

  it('removes record and file, and says so in the history', async () => {
    const backup = await backUp(server);
    expect((await remove(backup.id)).status).toBe(204);
    expect(files()).not.toContain(`${backup.id}.age`);
    const params = { workspaceId: server.workspaceId };
    const { backups } = (await server.api.listBackups({ params })).body;
    expect(backups.map(({ id }) => id)).not.toContain(backup.id);
    const { events } = (await server.api.listActivity({ params })).body;
    expect(events[0]).toMatchObject({ action: 'backup.deleted', targetId: backup.id, actorId: server.subject });
    expect((await remove(backup.id)).status).toBe(404);
    expect(refusalIn(await server.request('GET', `/api/v1${ofWorkspace()}/${backup.id}/download`))[0]).toBe(404);
  });

  it('is refused to all but owners, and for a backup of another Workspace', async () => {
    const backup = await backUp(server);
    for (const role of ['admin', 'member', 'viewer'] as const)
      expect((await remove(backup.id, (await server.join(role)).token)).status).toBe(403);
    const other = (await server.api.createWorkspace({ body: { handle: 'other', displayName: 'Other' } })).body
      .workspace;
    const elsewhere = `/api/v1/workspaces/${other.id}/backups/${backup.id}`;
    expect((await server.request('DELETE', elsewhere)).status).toBe(404);
    expect(files()).toContain(`${backup.id}.age`);
  });

  it('lets a repeated request make the backup again', async () => {
    const headers = { 'idempotency-key': 'deleted' };
    const first = (await post(ofWorkspace(), headers)).json as { backup: { id: string } };
    await remove(first.backup.id);
    server.ledger(({ sqlite }) => sqlite.prepare('DELETE FROM receipts').run());
    const again = (await post(ofWorkspace(), headers)).json as typeof first;
    expect(again.backup.id).not.toBe(first.backup.id);
    expect(files()).toContain(`${again.backup.id}.age`);
  });
});

describe('the download of a backup', () => {
  const address = (id: string) => `/api/v1${ofWorkspace()}/${id}/download`;
  const get = (id: string, headers: Record<string, string> = {}, token = server.token) =>
    fetch(`${server.url}${address(id)}`, { headers: { authorization: `Bearer ${token}`, ...headers } });

  it('is the file, whole and in parts', async () => {
    const backup = await backUp(server);
    const bytes = fs.readFileSync(path.join(folder(), `${backup.id}.age`));
    const whole = await get(backup.id);
    expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true);
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': String(bytes.length),
      'content-disposition': `attachment; filename="${backup.id}.age"`,
      'accept-ranges': 'bytes',
      etag: `"${backup.digest}"`,
      'cache-control': 'no-store',
    });
    const part = await get(backup.id, { range: 'bytes=100-' });
    expect([part.status, part.headers.get('content-range')]).toEqual([
      206,
      `bytes 100-${bytes.length - 1}/${bytes.length}`,
    ]);
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(100))).toBe(true);
    await get(backup.id, { range: 'bytes=0-0' });
    const { events } = (await server.api.listActivity({ params: { workspaceId: server.workspaceId } })).body;
    expect(events.map(({ action, targetId }) => [action, targetId]).slice(0, 2)).toEqual([
      ['backup.downloaded', backup.id],
      ['backup.created', backup.id],
    ]);
    const late = await get(backup.id, { range: `bytes=${bytes.length}-` });
    expect([late.status, late.headers.get('content-range'), await late.text()]).toEqual([
      416,
      `bytes */${bytes.length}`,
      '',
    ]);
    const head = await fetch(`${server.url}${address(backup.id)}`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${server.token}` },
    });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(bytes.length)]);
  });

  it('is refused to all but owners, and for a backup of another Workspace', async () => {
    const backup = await backUp(server);
    for (const role of ['admin', 'member', 'viewer'] as const)
      expect((await get(backup.id, {}, (await server.join(role)).token)).status).toBe(403);
    expect((await get('bkp_none')).status).toBe(404);
  });

  it('says when the file is missing, as the list does', async () => {
    const backup = await backUp(server);
    expect(backup).not.toHaveProperty('fileMissing');
    const marks = async () =>
      (
        await server.api.listBackups({ params: { workspaceId: server.workspaceId }, query: { limit: '2' } })
      ).body.backups.map(({ fileMissing }) => fileMissing);
    expect(await marks()).toEqual([undefined, undefined]);
    fs.rmSync(path.join(folder(), `${backup.id}.age`));
    expect(await marks()).toEqual([true, undefined]);
    expect(
      refusalIn(await server.raw({ path: address(backup.id), headers: { authorization: `Bearer ${server.token}` } })),
    ).toEqual([409, 'failed_precondition', 'backup_not_readable']);
  });
});

it('holds no state in clear, and its key is sealed', async () => {
  const capsule = await seedApplied(server, { generations: [{ marker: 'canary-of-a-state' }] });
  setCapsule(server, capsule.id, { note: 'canary-of-a-record' });
  const backup = await backUp(server, capsule.id);
  const bytes = fs.readFileSync(path.join(folder(), `${backup.id}.age`));
  expect(bytes.toString('latin1')).not.toMatch(/canary|AGE-SECRET/);
  const key = server.ledger(({ sqlite }) => sqlite.prepare('SELECT identity FROM backup_keys').get()) as {
    identity: Buffer;
  };
  expect(key.identity.toString('latin1')).not.toContain('AGE-SECRET');
});
