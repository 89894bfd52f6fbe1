import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { groundctl } from '../../../test/command-line.ts';
import { heldClock, startTestServer, type TestServer, tempDir, testKeyFile } from '../../../test/harness.ts';
import { seedLateState } from '../../../test/late-states.ts';
import { holdCapsule, logLine, seedCapsule, seedPlan } from '../../../test/ledger-rows.ts';
import { type MailServer, startMailServer, startSilentServer } from '../../../test/mail-server.ts';
import { goodPassword, otherPassword, setUpOwner } from '../../../test/people.ts';
import { seedRealState, stateText } from '../../../test/state-fixture.ts';
import { removeTree } from '../../kernel/remove-tree.ts';
import { createCapsulesStore } from '../capsules/store.ts';

let mail: MailServer;
let server: TestServer;
let clock: ReturnType<typeof heldClock>;
const cleanups: (() => unknown)[] = [];

const settingsOf = (port: number) => ({
  GROUNDCTL_SMTP_URL: `smtp://127.0.0.1:${port}`,
  GROUNDCTL_SMTP_FROM: 'ground@example.com',
});
async function open(port = mail.port, env: Record<string, string> = {}) {
  server = await startTestServer({ clock, env: { ...settingsOf(port), ...env } });
  await setUpOwner(server);
}
beforeEach(async () => {
  clock = heldClock(Date.now());
  mail = await startMailServer();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  await server.close();
  await mail.close().catch(() => {});
  for (const end of cleanups.splice(0)) await end();
});

const countWaiting = () =>
  server.ledger(({ sqlite }) => sqlite.prepare('SELECT count(*) FROM waiting_mails').pluck().get() as number);
const waitingRows = () =>
  server.ledger(
    ({ sqlite }) =>
      sqlite.prepare('SELECT id, kind, due_at AS dueAt, attempts FROM waiting_mails ORDER BY id').all() as {
        id: string;
        kind: string;
        dueAt: number;
        attempts: number;
      }[],
  );
/** Resolves once the queue has dealt with its rows as expected. */
const settled = (isSettled: () => boolean) =>
  vi.waitFor(() => expect(isSettled()).toBe(true), { timeout: 10_000, interval: 20 });

/** A plan of a member that waits for approval. */
async function waitingPlan(more: Parameters<typeof seedPlan>[2] = {}) {
  const asking = await server.join('member');
  const capsule = await seedCapsule(server);
  holdCapsule(server, capsule.id);
  const plan = seedPlan(server, capsule, {
    moves: ['claim', 'requestApproval'],
    createdBy: asking.subject,
    capsuleName: 'Shop',
    facts: { policyStatus: 'pass', summary: { add: 2, change: 1, destroy: 0 }, environment: 'prod' },
    detail: { planResources: [{ address: 'test_thing.web["a"]', type: 'test_thing', actions: ['create'] }] },
    ...more,
  });
  return { asking, plan };
}
const prefer = (change: object) =>
  server.api.setNotificationPreferences({
    body: { browser: [], mail: ['approval.requested'], mutedWorkspaceIds: [], language: 'en', ...change },
  });

describe('mail about scheduled backups', () => {
  it('goes to owners and admins who did not choose otherwise, once for several failures, and after a recovery', async () => {
    const folder = tempDir();
    cleanups.push(() => removeTree(folder));
    await open(mail.port, { GROUNDCTL_BACKUP_FOLDERS: folder });
    await server.join('member');
    const params = { workspaceId: server.workspaceId };
    const target = { kind: 'folder' as const, path: path.join(folder, 'disk') };
    fs.mkdirSync(target.path);
    await server.api.saveBackupSchedule({ params, body: { hour: 3, keep: 1, target } });
    fs.rmdirSync(target.path);
    const attempts = async () => (await server.api.getBackupSchedule({ params })).body.schedule?.current?.attempts;
    for (const attempt of [1, 2]) {
      await server.api.startScheduledBackup({ params });
      await vi.waitFor(async () => expect(await attempts()).toBe(attempt), { timeout: 60_000, interval: 20 });
    }
    await mail.arrived(1);
    fs.mkdirSync(target.path);
    await server.api.startScheduledBackup({ params });
    await mail.arrived(2);
    await settled(() => countWaiting() === 0);
    expect(mail.received.map(({ to }) => to)).toEqual([['owner@example.com'], ['owner@example.com']]);
    const [failed = '', recovered = ''] = mail.received.map(({ text }) => text);
    expect(failed).toContain(': A scheduled backup failed. The server tries it again.');
    expect(failed).toContain(`${server.url}/workspace/backups`);
    expect(recovered).toContain(': Scheduled backups work again.');
    await prefer({ mail: [] });
    fs.rmSync(target.path, { recursive: true });
    await server.api.startScheduledBackup({ params });
    await vi.waitFor(async () => expect(await attempts()).toBe(1), { timeout: 60_000, interval: 20 });
    expect([countWaiting(), mail.received.length]).toEqual([0, 2]);
  });
});

describe('mail about a late state', () => {
  it('names the Capsule and links to the apply', async () => {
    await open();
    const { runId } = await seedLateState(server);
    server.ledger(({ sqlite }) =>
      sqlite
        .prepare(
          `INSERT INTO waiting_mails (id, kind, account_id, run_id, workspace_id, created_at, due_at)
           VALUES ('mail_late', 'late_state.arrived', ?, ?, ?, ?, ?)`,
        )
        .run(server.subject, runId, server.workspaceId, clock.now(), clock.now()),
    );
    await server.restart();
    await mail.arrived(1);
    const [{ to = [], text = '' } = {}] = mail.received;
    expect(to).toEqual(['owner@example.com']);
    expect(text).toContain('Subject: State arrived late: ');
    expect(text).toContain(`${server.url}/runs/${runId}`);
  });
});

describe('mail of a requested approval', () => {
  it('goes to those who may approve, in their language, without the note', async () => {
    await open();
    await prefer({ language: 'ja' });
    const { asking, plan } = await waitingPlan();
    await asking.api.requestApproval({ params: { runId: plan.id }, body: { note: 'canary-of-the-note' } });
    await mail.arrived(1);
    await settled(() => countWaiting() === 0);
    expect(mail.received.map(({ to }) => to)).toEqual([['owner@example.com']]);
    const [{ text = '', messageId = '' } = {}] = mail.received;
    expect(text).toContain('Subject: 承認の依頼: Shop (prod)');
    expect(text).toContain(`${server.url}/runs/${plan.id}`);
    expect(text).toContain('作成 2 件、更新 1 件、破棄 0 件。');
    expect(text).toContain('test_thing.web["a"]');
    expect(text).not.toContain('canary');
    expect(messageId).toMatch(/^<mail_[0-9A-Z]{26}@127\.0\.0\.1>$/);
  });

  it('names only the resources that change', async () => {
    await open();
    const resources = ['no-op', 'update'].map((action) => ({
      ...{ address: `test_thing.${action}`, type: 'test_thing' },
      actions: [action as 'no-op' | 'update'],
    }));
    const { asking, plan } = await waitingPlan({ detail: { planResources: resources } });
    await asking.api.requestApproval({ params: { runId: plan.id }, body: {} });
    await mail.arrived(1);
    expect(mail.received[0]?.text.match(/test_thing\.[\w-]+/g)).toEqual(['test_thing.update']);
  });

  it('is not sent any more to a person who has become a member', async () => {
    await mail.close();
    await open();
    const { asking, plan } = await waitingPlan();
    await asking.api.requestApproval({ params: { runId: plan.id }, body: {} });
    await settled(() => waitingRows()[0]?.attempts === 1);
    server.ledger(({ sqlite }) =>
      sqlite.prepare("UPDATE members SET role = 'member' WHERE account_id = ?").run(server.subject),
    );
    clock.advance(60_000);
    await server.restart();
    await settled(() => countWaiting() === 0);
  });

  it('does not go to a person who chose otherwise, muted the Workspace or is the author under four eyes', async () => {
    await open();
    const { asking, plan } = await waitingPlan();
    await prefer({ mail: [] });
    await asking.api.requestApproval({ params: { runId: plan.id }, body: {} });
    await prefer({ mutedWorkspaceIds: [server.workspaceId] });
    const second = await waitingPlan();
    await second.asking.api.requestApproval({ params: { runId: second.plan.id }, body: {} });
    await prefer({});
    const policy = { approval: { requireSecondPerson: true } };
    await server.api.updateWorkspace({ params: { workspaceId: server.workspaceId }, body: { policy } });
    const own = await waitingPlan({ createdBy: server.subject });
    await own.asking.api.requestApproval({ params: { runId: own.plan.id }, body: {} });
    expect([countWaiting(), mail.connections()]).toEqual([0, 0]);
  });

  it('is not sent any more when the plan was decided on', async () => {
    await mail.close();
    await open();
    const { asking, plan } = await waitingPlan();
    await asking.api.requestApproval({ params: { runId: plan.id }, body: {} });
    await settled(() => waitingRows()[0]?.attempts === 1);
    await server.api.cancelRun({ params: { runId: plan.id }, body: {} });
    clock.advance(3_600_000);
    await server.restart();
    await settled(() => countWaiting() === 0);
    expect(mail.received).toEqual([]);
  });
});

it('names no value, diagnostic, log line or reason in the mail of any event', async () => {
  await open();
  const canary = 'canary-7c3e-value';
  const facts = {
    ...{ policyStatus: 'pass' as const, summary: { add: 1, change: 0, destroy: 0 } },
    approval: { by: server.subject, at: new Date().toISOString(), reason: canary },
  };
  const diagnostics = [{ severity: 'error' as const, message: canary, detail: canary }];
  const { asking, plan } = await waitingPlan({ facts, feed: [logLine(canary)], document: { diagnostics } });
  const capsule = server.ledger((db) => createCapsulesStore(db).findCapsule(plan.capsuleId ?? ''));
  if (!capsule) throw new Error('the Capsule of the plan is missing');
  const text = stateText([{ name: 'web', attributes: { id: canary } }]);
  await seedRealState(server, capsule, { generation: 1, text, secrets: [canary] });
  server.ledger(({ sqlite }) => {
    sqlite.prepare('UPDATE capsules SET hold_reason = ?, note = ? WHERE id = ?').run(canary, canary, capsule.id);
    sqlite.prepare('UPDATE runs SET base_state_generation = 1 WHERE id = ?').run(plan.id);
    // The plan of that state would be newer than this one.
    sqlite.prepare('UPDATE runs SET capsule_id = NULL WHERE capsule_id = ? AND id <> ?').run(capsule.id, plan.id);
    const insert = sqlite.prepare(
      'INSERT INTO waiting_mails (id, kind, account_id, run_id, created_at, due_at) VALUES (?, ?, ?, ?, ?, ?)',
    );
    for (const kind of ['run.waiting', 'run.failed', 'run.succeeded'])
      insert.run(`mail_${kind}`, kind, server.subject, plan.id, clock.now(), clock.now());
  });
  await asking.api.requestApproval({ params: { runId: plan.id }, body: { note: canary } });
  await mail.arrived(4);
  expect(mail.received.filter(({ text }) => text.includes(plan.id))).toHaveLength(4);
  expect(JSON.stringify(mail.received)).not.toContain(canary);
});

it('writes names without line breaks, control and direction characters, in subject and text', async () => {
  await open();
  const name = 'Shop\r\nBcc: eve@example.com\u2028\u202egnp.exe\u0000';
  const { asking, plan } = await waitingPlan({
    capsuleName: name,
    detail: { planResources: [{ address: `test_thing.x["${name}"]`, type: 'test_thing', actions: ['create'] }] },
  });
  server.ledger(({ sqlite }) => {
    sqlite.prepare('UPDATE workspaces SET display_name = ?').run(name);
    sqlite.prepare('UPDATE accounts SET display_name = ? WHERE id = ?').run(name, asking.subject);
  });
  await asking.api.requestApproval({ params: { runId: plan.id }, body: {} });
  await mail.arrived(1);
  const [{ to = [], text = '' } = {}] = mail.received;
  expect(to).toEqual(['owner@example.com']);
  expect(text).toContain('Subject: Approval requested: Shop Bcc: eve@example.com gnp.exe (prod)');
  expect(text).not.toMatch(/^bcc:|[\u2028\u202e\0]/im);
});

describe('a mail server that fails', () => {
  it('is tried again with growing pauses, over a restart, under the same id, and given up after a day', async () => {
    const codes: (number | undefined)[] = [451, 451, 451];
    const failing = await startMailServer({ refuseWith: () => codes.shift() });
    cleanups.push(failing.close);
    await open(failing.port);
    const { asking, plan } = await waitingPlan();
    await asking.api.requestApproval({ params: { runId: plan.id }, body: {} });
    const pauses: number[] = [];
    let id = '';
    for (const attempts of [1, 2, 3]) {
      await settled(() => waitingRows()[0]?.attempts === attempts);
      const [row] = waitingRows();
      id = row?.id ?? '';
      pauses.push(((row?.dueAt ?? 0) - clock.now()) / 60_000);
      clock.advance((row?.dueAt ?? 0) - clock.now());
      await server.restart();
    }
    expect(pauses).toEqual([1, 5, 15]);
    await failing.arrived(1);
    await settled(() => countWaiting() === 0);
    expect(failing.received.map(({ messageId }) => messageId)).toEqual([`<${id}@127.0.0.1>`]);
  });

  it('loses a mail after a day, and at once when it refuses it for good', async () => {
    let code = 451;
    const failing = await startMailServer({ refuseWith: () => code });
    cleanups.push(failing.close);
    await open(failing.port);
    const first = await waitingPlan();
    await first.asking.api.requestApproval({ params: { runId: first.plan.id }, body: {} });
    await settled(() => waitingRows()[0]?.attempts === 1);
    clock.advance(24 * 3_600_000);
    server.ledger(({ sqlite }) => sqlite.prepare('UPDATE runs SET plan_expires_at = ?').run(clock.now() + 3_600_000));
    await server.restart();
    await settled(() => countWaiting() === 0);
    code = 550;
    const second = await waitingPlan();
    server.ledger(({ sqlite }) => sqlite.prepare('UPDATE runs SET plan_expires_at = ?').run(clock.now() + 3_600_000));
    await second.asking.api.requestApproval({ params: { runId: second.plan.id }, body: {} });
    await settled(() => countWaiting() === 0);
    expect([failing.received, failing.connections()]).toEqual([[], 3]);
  });

  it('and hangs delays no request and no stop', async () => {
    const silent = await startSilentServer();
    cleanups.push(silent.close);
    await open(silent.port);
    const { asking, plan } = await waitingPlan();
    await asking.api.requestApproval({ params: { runId: plan.id }, body: {} });
    await silent.connected;
    const began = performance.now();
    for (let call = 0; call < 20; call += 1) await server.api.getRun({ params: { runId: plan.id } });
    expect(performance.now() - began).toBeLessThan(5_000);
    await server.restart();
    expect([performance.now() - began < 15_000, countWaiting()]).toEqual([true, 1]);
  });

  it('never has more than a hundred mails of one account', async () => {
    await mail.close();
    await open();
    const { asking, plan } = await waitingPlan();
    server.ledger(({ sqlite }) => {
      const insert = sqlite.prepare(
        "INSERT INTO waiting_mails (id, kind, account_id, run_id, created_at, due_at) VALUES (?, 'run.failed', ?, ?, ?, ?)",
      );
      for (let row = 0; row < 100; row += 1)
        insert.run(`mail_${row}`, server.subject, plan.id, clock.now(), clock.now() + 3_600_000);
    });
    await asking.api.requestApproval({ params: { runId: plan.id }, body: {} });
    expect(countWaiting()).toBe(100);
  });
});

describe('a forgotten password', () => {
  const isVerified = () =>
    server.ledger(({ sqlite }) => sqlite.prepare('SELECT email_verified_at FROM accounts').pluck().get()) !== null;
  const request = (email: string) =>
    server.raw({
      method: 'POST',
      path: '/api/v1/auth/password-resets',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email }),
    });

  it('is answered alike for every e-mail, and only an account with a password gets a link', async () => {
    await open();
    const params = { workspaceId: server.workspaceId };
    await server.api.addMember({ params, body: { email: 'invited@example.com' } });
    // A link of the operator does not replace that in the mail.
    await server.as(server.operatorToken).issueSignInLink({ body: {} });
    const emails = ['nobody@example.com', 'invited@example.com', 'owner@example.com'];
    const answers = [];
    for (const email of emails) answers.push(await request(email));
    expect(answers.map(({ status, text }) => [status, text])).toEqual(emails.map(() => [202, '{"requested":true}']));
    await mail.arrived(1);
    await settled(() => countWaiting() === 0);
    expect(mail.received.map(({ to }) => to)).toEqual([['owner@example.com']]);
    const token = /sign-in\?return=%2F[a]ccount#(\S+)/.exec(mail.received[0]?.text ?? '')?.[1] ?? '';
    const signedIn = await server.raw({
      method: 'POST',
      path: '/api/v1/auth/link',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token }),
    });
    expect([signedIn.status, isVerified()]).toEqual([200, true]);
    const session = /=(sess_[^;]+)/.exec(String(signedIn.headers['set-cookie']))?.[1] ?? '';
    await server.as(session).changePassword({ body: { newPassword: otherPassword } });
    const signIn = (password: string) => server.api.signIn({ body: { email: 'owner@example.com', password } });
    expect((await signIn(otherPassword)).status).toBe(200);
    await expect(signIn(goodPassword)).rejects.toMatchObject({ status: 401 });
    await expect(server.api.linkSession({ body: { token } })).rejects.toMatchObject({ status: 401 });
    // The link is used, so the next request mails another one at once.
    expect((await request('owner@example.com')).status).toBe(202);
    await mail.arrived(2);
  });

  it('mails one link while it can be used, and is limited per e-mail', async () => {
    await open();
    for (let time = 0; time < 5; time += 1) expect((await request('owner@example.com')).status).toBe(202);
    expect((await request('owner@example.com')).status).toBe(429);
    await settled(() => countWaiting() === 0);
    expect(mail.received).toHaveLength(1);
    expect(JSON.stringify(server.ledger(({ sqlite }) => sqlite.prepare('SELECT * FROM waiting_mails').all()))).toBe(
      '[]',
    );
  });

  it('is not offered without a mail server', async () => {
    server = await startTestServer();
    expect((await server.api.listProviders({})).body.passwordReset).toBe(false);
    expect((await request('owner@example.com')).status).toBe(501);
  });

  it('is reset by the operator, and by no owner of a Workspace', async () => {
    await open();
    vi.stubEnv('GROUNDCTL_KEY_FILE', testKeyFile(server.dataDir));
    const here = ['--data-dir', server.dataDir];
    const { code, out } = await groundctl('accounts', 'reset', 'Owner@example.com', ...here);
    expect([code, out]).toEqual([0, expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/sign-in#\S{43}\n$/)]);
    expect((await groundctl('accounts', 'reset', 'nobody@example.com', ...here)).code).toBe(1);
    await server.api.linkSession({ body: { token: new URL(out.trim()).hash.slice(1) } });
    expect(isVerified()).toBe(false);
    const body = { email: 'owner@example.com' };
    await expect(server.api.issueSignInLink({ body })).rejects.toMatchObject({ status: 401 });
  });
});

describe('groundctl mail test', () => {
  const here = () => ['--data-dir', server.dataDir];

  it('sends a mail, or says why it could not', async () => {
    await open();
    expect((await groundctl('mail', 'test', 'ada@example.com', ...here())).code).toBe(0);
    expect(mail.received.map(({ to }) => to)).toEqual([['ada@example.com']]);
    await mail.close();
    const failed = await groundctl('mail', 'test', 'ada@example.com', ...here());
    expect([failed.code, failed.err]).toEqual([1, expect.stringContaining('The mail server cannot be reached.')]);
    expect((await groundctl('mail', 'test', ...here())).code).toBe(2);
  });

  it('names the missing setting', async () => {
    server = await startTestServer();
    const off = await groundctl('mail', 'test', 'ada@example.com', ...here());
    expect([off.code, off.err]).toEqual([1, expect.stringContaining('GROUNDCTL_SMTP_URL')]);
  });
});

describe('preferences', () => {
  it('are the defaults until they are replaced, recorded, and those of the account alone', async () => {
    await open();
    const { body } = await server.api.getNotificationPreferences({});
    expect(body).toEqual({
      preferences: {
        browser: ['approval.requested', 'late_state.arrived', 'run.waiting', 'run.failed', 'run.succeeded'],
        mail: ['approval.requested', 'late_state.arrived', 'backup_schedule.failed'],
        mutedWorkspaceIds: [],
        language: 'en',
      },
      sendsMail: true,
    });
    const chosen = { browser: ['run.failed' as const], mail: [], mutedWorkspaceIds: [server.workspaceId] };
    await server.api.setNotificationPreferences({ body: { ...chosen, language: 'ja' } });
    expect((await server.api.getNotificationPreferences({})).body.preferences).toMatchObject(chosen);
    const other = await server.join('member');
    expect((await other.api.getNotificationPreferences({})).body).toEqual({ ...body, sendsMail: false });
    const operator = server.as(server.operatorToken);
    const query = { action: 'account.notifications_changed' };
    expect((await operator.listAudit({ query })).body.events).toMatchObject([{ actorId: server.subject }]);
    const twice = { ...chosen, browser: ['run.failed', 'run.failed'], language: 'en' };
    expect((await server.request('PUT', '/api/v1/account/notification-preferences', twice)).status).toBe(400);
  });
});

it('reads the password of the mail server from its file', async () => {
  const credentials = { user: 'ada@example.com', password: 'canary-smtp-password' };
  const guarded = await startMailServer({ credentials });
  cleanups.push(guarded.close);
  const file = path.join(fs.mkdtempSync('/tmp/groundctl-test-'), 'password');
  cleanups.push(() => fs.rmSync(path.dirname(file), { recursive: true }));
  fs.writeFileSync(file, `${credentials.password}\n`);
  const url = `smtp://ada%40example.com@127.0.0.1:${guarded.port}`;
  const env = { ...settingsOf(0), GROUNDCTL_SMTP_URL: url, GROUNDCTL_SMTP_PASSWORD_FILE: file };
  server = await startTestServer({ env });
  const operator = server.as(server.operatorToken);
  expect((await operator.testMail({ body: { email: 'ada@example.com' } })).status).toBe(204);
  await expect(startTestServer({ env: { ...env, GROUNDCTL_SMTP_PASSWORD_FILE: `${file}.gone` } })).rejects.toThrow(
    'GROUNDCTL_SMTP_PASSWORD_FILE',
  );
});
