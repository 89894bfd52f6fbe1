import { describe, expect, it } from 'vitest';
import { requireOptionalCondition, requireSameVersion, requireWriteCondition } from './preconditions.ts';
import type { ResourceRow } from './store.ts';

const current = { generation: 3 } as ResourceRow;
const outcome = (work: () => void) => {
  try {
    work();
    return 'ok';
  } catch (error) {
    const { code, status } = error as { code: string; status: number };
    return `${status} ${code}`;
  }
};
const conflict = '412 resource_version_conflict';

describe('the precondition of a write', () => {
  it.each<[string, { ifMatch?: string; ifNoneMatch?: string }, ResourceRow | undefined, string]>([
    ['* creates', { ifNoneMatch: '*' }, undefined, 'ok'],
    ['* on an existing Resource', { ifNoneMatch: '*' }, current, conflict],
    ['another If-None-Match', { ifNoneMatch: '"3"' }, undefined, conflict],
    ['the quoted version updates', { ifMatch: '"3"' }, current, 'ok'],
    ['a stale version', { ifMatch: '"2"' }, current, conflict],
    ['a version without quotes', { ifMatch: '3' }, current, conflict],
    ['a weak tag', { ifMatch: 'W/"3"' }, current, conflict],
    ['a version with a leading zero', { ifMatch: '"03"' }, current, conflict],
    ['any version', { ifMatch: '*' }, current, conflict],
    ['a version without a Resource', { ifMatch: '"1"' }, undefined, conflict],
    ['none', {}, current, conflict],
    ['both', { ifMatch: '"3"', ifNoneMatch: '*' }, current, conflict],
  ])('%s', (_, { ifMatch, ifNoneMatch }, row, expected) => {
    expect(outcome(() => requireWriteCondition({ ifMatch, ifNoneMatch }, row))).toBe(expected);
  });

  it('may be absent on the compatibility routes, and counts when it is sent', () => {
    const none = { ifMatch: undefined, ifNoneMatch: undefined };
    expect(outcome(() => requireOptionalCondition(none, current))).toBe('ok');
    expect(outcome(() => requireOptionalCondition({ ...none, ifMatch: '"2"' }, current))).toBe(conflict);
  });

  it('must be that of the metadata', () => {
    const named = { ifMatch: '"3"', ifNoneMatch: undefined };
    expect(outcome(() => requireSameVersion('3', named))).toBe('ok');
    expect(outcome(() => requireSameVersion('2', named))).toBe('400 invalid_argument');
  });
});
