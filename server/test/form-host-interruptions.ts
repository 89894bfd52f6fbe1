import fs from 'node:fs';
import path from 'node:path';
import { expect, vi } from 'vitest';
import { depth } from '../../e2e/fixtures/depth.ts';
import { effectOf, expectSound, type OperationCase, prepareFolder } from './form-host-operations.ts';
import { type FormHostProcess, type FormRequest, openFormHost } from './form-host-process.ts';
import { tempDir } from './harness.ts';

/** A point of an operation, and whether the operation is done when the process dies there. */
type Point = readonly [name: string, isDone: boolean];
const onDisk: readonly Point[] = [
  ['ledger.begin@1', false],
  ['ledger.commit@1', false],
  ['ledger.committed@1', false],
  ['ledger.heard@1', false],
  ['form.started@1', false],
  ['durable.written@1', false],
  ['durable.renamed@1', true],
  ['durable.synced@1', true],
  ['form.performed@1', true],
  ['ledger.begin@2', true],
  ['ledger.commit@2', true],
  ['ledger.committed@2', true],
  ['ledger.heard@2', true],
];
/** A refresh is one transaction. */
const inLedger: readonly Point[] = [
  ['ledger.begin@1', false],
  ['ledger.commit@1', false],
  ['ledger.committed@1', true],
  ['ledger.heard@1', true],
];

/** Returns the points that an operation passes, in their order. */
const pointsOf = ({ name }: OperationCase): readonly Point[] => {
  if (name === 'refresh') return inLedger;
  return name === 'delete' ? onDisk.filter(([point]) => !point.startsWith('durable.')) : onDisk;
};

/** Points around what cannot be undone: the name of the native object, and the second transaction. */
const irreversible = ['durable.written@1', 'durable.renamed@1', 'ledger.commit@2', 'ledger.committed@1'];
const fewPointsOf = (operation: OperationCase): readonly Point[] =>
  pointsOf(operation).filter(([point]) => irreversible.includes(point));

/** Returns the points at which an operation is interrupted: all of a create and, in a deep run, all of every other one. */
export const interruptedPointsOf = (operation: OperationCase): readonly Point[] => {
  const points = pointsOf(operation);
  return operation.name === 'create' ? points : depth({ quick: fewPointsOf(operation), deep: points });
};

/** Returns the points at which the process of an operation is killed; a quick run kills most operations only once. */
export const killedPointsOf = (operation: OperationCase): readonly Point[] => {
  const few = fewPointsOf(operation);
  return depth({ quick: operation.name === 'create' ? few : few.slice(-1), deep: pointsOf(operation) });
};

const soon = { timeout: 5_000, interval: 5 };
export const copyOf = (folder: string): string => {
  const copy = path.join(tempDir(), 'data');
  fs.cpSync(folder, copy, { recursive: true });
  return copy;
};

type Prepared = { folder: string; same: FormRequest; other: FormRequest; sameKey: FormRequest };
/**
 * Makes a folder in the state before an operation, and three requests: the operation, another one under the same
 * precondition, and another one with the same key.
 */
export async function prepareOperation({ before, request }: OperationCase): Promise<Prepared> {
  const folder = path.join(tempDir(), 'data');
  await prepareFolder(folder, before);
  const review = openFormHost(folder);
  const requests = {
    same: await request(review, {}),
    other: await request(review, { key: 'key-second', size: 3 }),
    sameKey: await request(review, { size: 3 }),
  };
  await review.close();
  return { folder, ...requests };
}

/** Starts on a copy of a folder, and requires that everything agrees after the work. */
export async function afterStart(dir: string, work: (host: FormHostProcess) => Promise<void>): Promise<void> {
  const copy = copyOf(dir);
  const host = openFormHost(copy);
  try {
    host.host.start();
    await work(host);
    await vi.waitFor(() => expectSound(copy, host), soon);
  } finally {
    await host.close();
    fs.rmSync(path.dirname(copy), { recursive: true, force: true });
  }
}

/** Returns version and events before an operation and after it. */
export function effectsOf({ before, action, after }: OperationCase) {
  const base = before === 'resource' ? { version: 1, events: ['apply'] } : { version: 0, events: [] };
  return { base, done: { version: after, events: [...base.events, action] } };
}

/** Requires that an operation that a process has left is done or not, with and without a repeated request after the next start. */
export async function expectWhole(
  dir: string,
  { operation, prepared, isDone }: { operation: OperationCase; prepared: Prepared; isDone: boolean },
): Promise<void> {
  const { same, other, sameKey } = prepared;
  const { base, done } = effectsOf(operation);
  const left = isDone ? done : base;
  // A refresh moves no version, so another one is always allowed.
  const isRefused = isDone && operation.name !== 'refresh';
  await afterStart(dir, async (host) => {
    await vi.waitFor(() => expect(effectOf(host)).toEqual(left), soon);
  });
  await afterStart(dir, async (host) => {
    const [first, second] = [await host.send(same), await host.send(same)];
    expect([first.status, second]).toEqual([operation.name === 'delete' ? 204 : 200, first]);
    expect(effectOf(host)).toEqual(done);
  });
  await afterStart(dir, async (host) => {
    expect((await host.send(other)).status).toBe(isRefused ? 412 : 200);
    expect(effectOf(host).events).toHaveLength(left.events.length + (isRefused ? 0 : 1));
  });
  if (operation.name === 'refresh') return;
  await afterStart(dir, async (host) => {
    expect((await host.send(sameKey)).status).toBe(isDone ? 412 : 200);
  });
}
