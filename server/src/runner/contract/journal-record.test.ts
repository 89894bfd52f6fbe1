import { expect, test } from 'vitest';
import { parseJournalRecord } from './journal-record.ts';

const digest = `sha256:${'0a'.repeat(32)}`;
const plan = {
  kind: 'plan',
  planFileDigest: digest,
  summary: { add: 1, change: 0, destroy: 0 },
  destructive: false,
  lock: '',
  lockDigest: digest,
  stateLineage: '',
  stateSerial: 0,
  projectionFile: 'plan.json',
  addresses: ['a.b["c"]'],
};
const apply = {
  kind: 'apply',
  succeeded: true,
  providerDispatched: true,
  state: { file: 'state-000001-0a1b2c3d.tfstate', lineage: 'l', serial: 1, digest },
  unfinished: [],
};
const failed = { kind: 'failed', errorCode: 'plan_failed', message: 'It failed.', phase: 'plan' };
const log = { t: 'log', at: 1, phase: 'plan', stream: 'stdout', level: 'info', text: 'a line' };
const diagnostic = { t: 'diagnostic', at: 1, severity: 'error', message: 'no' };
const resource = { t: 'resource', at: 1, address: 'a.b', action: 'create', state: 'started' };
const identity = { pid: 1, startTime: '2', bootId: '3' };
const outcome = (value: object) => ({ t: 'outcome', at: 1, outcome: value });

test.each([
  { t: 'started', at: 1, formatVersion: 1, identity },
  { t: 'phase', at: 1, phase: 'plan', state: 'finished' },
  { t: 'spawned', at: 1, command: 'apply', identity },
  log,
  { ...diagnostic, detail: 'd', range: { filename: 'f', start: { line: 1, column: 1 }, end: { line: 1, column: 2 } } },
  { ...resource, elapsedMs: 5 },
  { t: 'state', at: 1, file: 'state-000001-0a1b2c3d.tfstate', lineage: 'l', serial: 1 },
  outcome(plan),
  outcome({ ...plan, isShownByProviders: true, builtDigest: digest }),
  outcome(apply),
  outcome({ kind: 'action', succeeded: false, message: 'It failed.', exitCode: 1 }),
  outcome(failed),
])('a record of a supervisor is returned as it is: %j', (record) => {
  expect(parseJournalRecord(record)).toEqual(record);
});

test('a member that this version does not know is dropped', () => {
  expect(parseJournalRecord({ ...log, seq: 1 })).toEqual(log);
  const more = outcome({ ...plan, note: 'x', summary: { ...plan.summary, moved: 1 } });
  expect(parseJournalRecord(more)).toEqual(outcome(plan));
});

test.each([
  ['no object', null],
  ['a list', []],
  ['another kind', { ...log, t: 'note' }],
  ['a time after the year 9999', { ...log, at: 8_640_000_000_000_001 }],
  ['a negative time', { ...log, at: -1 }],
  ['a text that is not one', { ...log, text: {} }],
  ['a line that no supervisor writes', { ...log, text: 'x'.repeat(65_537) }],
  ['an unknown phase', { ...log, phase: 'x' }],
  ['a long detail', { ...diagnostic, detail: 'x'.repeat(262_145) }],
  ['an action that no tool reports', { ...resource, action: 'replace' }],
  ['another format', { t: 'started', at: 1, formatVersion: 2, identity }],
  ['a state elsewhere', { t: 'state', at: 1, file: '../run_2/x.tfstate', lineage: 'l', serial: 1 }],
  ['an outcome of another kind', outcome({ kind: 'x' })],
  ['an outcome that is a list', outcome([])],
  ['a document elsewhere', outcome({ ...plan, projectionFile: '../../../../../dev/zero' })],
  ['the document of another Run', outcome({ ...plan, projectionFile: '../run_2/plan.json' })],
  ['a digest that is a path', outcome({ ...plan, builtDigest: 'sha256:../..' })],
  ['totals of another form', outcome({ ...plan, summary: { add: 'many', change: 0, destroy: 0 } })],
  ['an address that is no text', outcome({ ...plan, addresses: [{}] })],
  ['an address without a bound', outcome({ ...plan, addresses: ['x'.repeat(65_537)] })],
  ['addresses without a bound', outcome({ ...plan, addresses: Array(1_000_001).fill('a') })],
  ['the state of another Run', outcome({ ...apply, state: { ...apply.state, file: '../run_2/a.tfstate' } })],
  ['an unknown error code', outcome({ ...failed, errorCode: 'internal_error' })],
  ['a message without a bound', outcome({ ...failed, message: 'x'.repeat(1_048_577) })],
])('a record with %s is refused', (_what, record) => {
  expect(parseJournalRecord(record)).toBeUndefined();
});
