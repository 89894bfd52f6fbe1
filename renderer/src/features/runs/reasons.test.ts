import { expect, it } from 'vitest';
import type { FeedDiagnostic } from '#shared/runs/feed';
import { reasonsOf } from './reasons.ts';

let seq = 0;
const error = (message: string, code?: FeedDiagnostic['code']): FeedDiagnostic => {
  seq += 1;
  return { seq, at: 0, severity: 'error', message, ...(code && { code }) };
};
const run = { errorCode: 'plan_failed' } as const;
const messagesOf = (items: FeedDiagnostic[]) => reasonsOf(items, run).map(({ message }) => message);

it('leaves out a reason that quotes an error of the tool', () => {
  expect(messagesOf([error('Invalid index'), error('The plan failed. Invalid index', 'plan_failed')])).toEqual([]);
});

it('keeps a reason that nothing else names, once', () => {
  const reason = 'The plan failed. It ended with exit code 1.';
  const items = [error('Other'), error(reason, 'plan_failed'), error(reason, 'plan_failed')];
  expect(messagesOf(items)).toEqual([reason]);
  expect(messagesOf([error('Invalid index')])).toEqual([]);
});
