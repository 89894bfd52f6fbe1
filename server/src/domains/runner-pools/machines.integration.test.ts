import fs from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sha256Hex } from '#server/kernel/digest';
import { openTestLedger } from '../../../test/empty-ledger.ts';
import { heldClock, tempDir } from '../../../test/harness.ts';
import { machineKeys, reportedFacts, runnerPoolsOn } from '../../../test/runner-machines.ts';
import type { Db } from '../../kernel/db.ts';
import { leastSeparate } from './records.ts';
import type { RunnerPoolsService } from './service.ts';

const minute = 60_000;
let dir: string;
let db: Db;
let clock: ReturnType<typeof heldClock>;
let service: RunnerPoolsService;
let poolId: string;
beforeEach(() => {
  dir = tempDir();
  db = openTestLedger(dir);
  clock = heldClock();
  service = runnerPoolsOn(db, clock);
  poolId = service.createPool({ name: 'Office' }, 'operator').id;
});
afterEach(() => {
  db.close();
  fs.rmSync(dir, { recursive: true });
});

const reported = reportedFacts();
const facts = { name: 'builder', productVersion: '0.1.0' };
const newEnrolment = () => service.createEnrolment(poolId, 'operator').runnerEnrolment.id;
const enrol = (enrolmentId = newEnrolment()) => service.enrol(enrolmentId, { keys: machineKeys(), facts });
/** A machine that has reported itself. */
const join = () => {
  const machine = enrol();
  service.noteBeat(machine.id, reported, clock.now());
  return machine;
};
const reasonOf = (work: () => unknown) => {
  try {
    work();
    return undefined;
  } catch (error) {
    const { code, details } = error as { code: string; details?: { reason?: string } };
    return details?.reason ?? code;
  }
};
const actions = () => db.sqlite.prepare('SELECT action FROM audit_events ORDER BY seq').pluck().all();

describe('an enrolment', () => {
  it('lets one machine join its pool, and only one', () => {
    const id = newEnrolment();
    const machine = enrol(id);
    expect(service.listMachines(poolId)).toMatchObject([{ id: machine.id, state: 'active', isLive: true, ...facts }]);
    expect(reasonOf(() => enrol(id))).toBe('runner_enrolment_used');
    expect(service.listEnrolments(poolId, {}).runnerEnrolments).toMatchObject([
      { id, status: 'used', machineId: machine.id },
    ]);
    expect(actions()).toEqual(['runner_pool.created', 'runner_enrolment.created', 'runner.enrolled']);
  });

  it('gives the same machine the same answer when the first one was lost, but not after its revocation', () => {
    const id = newEnrolment();
    const keys = machineKeys();
    const first = service.enrol(id, { keys, facts });
    expect(service.enrol(id, { keys, facts }).id).toBe(first.id);
    const otherSeal = { ...keys, sealKey: machineKeys().sealKey };
    expect(reasonOf(() => service.enrol(id, { keys: otherSeal, facts }))).toBe('runner_enrolment_used');
    service.moveMachine(first.id, 'revoke', 'operator');
    expect(reasonOf(() => service.enrol(id, { keys, facts }))).toBe('runner_enrolment_used');
    expect(reasonOf(() => service.enrol(newEnrolment(), { keys, facts }))).toBe('runner_key_enrolled');
  });

  it('is refused with the reason when it is unknown, expired or cancelled', () => {
    expect(reasonOf(() => enrol('enr_0'))).toBe('not_found');
    const cancelled = newEnrolment();
    service.cancelEnrolment(cancelled, 'operator');
    expect(service.cancelEnrolment(cancelled, 'operator').status).toBe('cancelled');
    expect(reasonOf(() => enrol(cancelled))).toBe('runner_enrolment_cancelled');
    const late = newEnrolment();
    clock.advance(15 * minute - 1);
    const inTime = newEnrolment();
    clock.advance(1);
    expect(reasonOf(() => enrol(late))).toBe('runner_enrolment_expired');
    expect(reasonOf(() => service.cancelEnrolment(late, 'operator'))).toBe('runner_enrolment_expired');
    expect(enrol(inTime).state).toBe('active');
    expect(service.listMachines(poolId)).toHaveLength(1);
  });

  it('stores its token only as a digest', () => {
    const { runnerEnrolment, text } = service.createEnrolment(poolId, 'operator');
    const rows = JSON.stringify(db.sqlite.prepare('SELECT * FROM runner_enrolments').all());
    expect(rows).toContain(sha256Hex(text));
    expect(rows).not.toContain(text);
    expect(service.findTokenHash(runnerEnrolment.id)).toBe(sha256Hex(text));
    expect(service.findTokenHash('enr_0')).toBeUndefined();
  });

  it('is cancelled with its pool', () => {
    const id = newEnrolment();
    service.removePool(poolId, 'operator');
    expect(reasonOf(() => enrol(id))).toBe('runner_enrolment_cancelled');
    expect(reasonOf(() => service.createEnrolment(poolId, 'operator'))).toBe('not_found');
  });
});

it.each([
  ['none', [], undefined],
  ['shared, when one shares that of its machine', ['isolated', 'shared'], 'shared'],
  ['isolated, when each is', ['isolated', 'none'], 'isolated'],
] as const)('the network of machines is %s', (_, networks, expected) => {
  expect(
    leastSeparate(networks.map((network) => reportedFacts({ network })).map((more) => ({ ...facts, ...more }))),
  ).toBe(expected);
});

describe('a machine', () => {
  it('is drained, resumed and revoked, once each, and stays revoked', () => {
    const { id } = join();
    const moved: string[] = [];
    service.onMoved(({ state }) => void moved.push(state));
    for (const event of ['drain', 'drain', 'resume', 'revoke', 'revoke'] as const)
      service.moveMachine(id, event, 'operator');
    expect(moved).toEqual(['draining', 'active', 'revoked']);
    expect(actions().slice(3)).toEqual(['runner.drained', 'runner.resumed', 'runner.revoked']);
    for (const event of ['drain', 'resume'] as const)
      expect(reasonOf(() => service.moveMachine(id, event, 'operator'))).toBe('conflict');
    expect(service.listMachines(poolId)).toMatchObject([{ state: 'revoked', revokedBy: 'operator', isLive: false }]);
    expect(reasonOf(() => service.moveMachine('rnr_0', 'drain', 'operator'))).toBe('not_found');
  });

  it('writes its last beat at most every 10 seconds, and new facts at once', () => {
    const { id } = join();
    const seenAt = () => Date.parse(service.listMachines(poolId)[0]?.lastSeenAt ?? '') - clock.now();
    const beat = (more = reported) => service.noteBeat(id, more, clock.now());
    clock.advance(9_999);
    expect([beat(), seenAt()]).toEqual(['active', -9_999]);
    clock.advance(1);
    expect([beat(), seenAt()]).toEqual(['active', 0]);
    clock.advance(1_000);
    beat(reportedFacts({ tool: { name: 'tofu', version: '1.12.7' } }));
    expect(seenAt()).toBe(0);
    expect(service.listPoolTools(poolId)).toEqual([{ name: 'tofu', version: '1.12.7' }]);
  });

  it('learns from its beat that it drains or was revoked, after which nothing is written', () => {
    const { id } = join();
    service.moveMachine(id, 'drain', 'operator');
    clock.advance(minute);
    expect(service.noteBeat(id, reported, clock.now())).toBe('draining');
    service.moveMachine(id, 'revoke', 'operator');
    const before = service.findMachine(id);
    clock.advance(minute);
    expect(service.noteBeat(id, reported, clock.now())).toBe('revoked');
    expect(service.findMachine(id)).toEqual(before);
    expect(service.noteBeat('rnr_0', reported, clock.now())).toBeUndefined();
  });

  it('is live for 45 seconds after a beat', () => {
    const { id } = join();
    const isLive = () => service.listMachines(poolId)[0]?.isLive;
    clock.advance(44_999);
    expect(isLive()).toBe(true);
    clock.advance(1);
    expect(isLive()).toBe(false);
    service.noteBeat(id, reported, clock.now());
    expect(isLive()).toBe(true);
  });
});

it('revokes every machine and cancels every enrolment of a restored installation', () => {
  const [first, second] = [join(), join()];
  service.moveMachine(second.id, 'revoke', 'operator');
  const open = newEnrolment();
  expect(service.revokeEvery()).toBe(1);
  expect(service.findMachine(first.id)).toMatchObject({ state: 'revoked', revokedBy: 'system' });
  expect(reasonOf(() => enrol(open))).toBe('runner_enrolment_cancelled');
  expect(service.revokeEvery()).toBe(0);
});

describe('the tools of a pool', () => {
  it('are those of its live machines that claim Runs, or of the last ones while none is live', () => {
    expect(service.listPoolTools(poolId)).toEqual([]);
    const [first, second] = [join(), join()];
    expect(service.listPoolTools(poolId)).toEqual([reported.tool]);
    const newer = { name: 'tofu' as const, version: '1.13.0' };
    service.noteBeat(second.id, reportedFacts({ tool: newer }), clock.now());
    expect(service.listPoolTools(poolId)).toEqual([reported.tool, newer]);
    service.moveMachine(first.id, 'drain', 'operator');
    expect(service.listPoolTools(poolId)).toEqual([newer]);
    clock.advance(minute);
    expect(service.listPoolTools(poolId)).toEqual([newer]);
  });
});
