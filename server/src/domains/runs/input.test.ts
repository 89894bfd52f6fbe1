import { describe, expect, it } from 'vitest';
import { capsuleRunInput, syncInput } from '../../../test/run-input.ts';
import { parseInput } from './input.ts';

describe('the stored input of a Run', () => {
  const bound = { digest: 'sha256:b', connectionIds: ['conn_a'], inputs: { region: 'eu' } };

  it.each([
    ['of the first version', {}],
    ['with a recorded key', { keyVersion: 2, dispatched: true, cancelledBy: 'sub_a' }],
    ['with Dependencies and Connections', { dependencySnapshotId: 'dep_a', dependencyDigest: 'sha256:a', bound }],
    ['of a group, with folders', { waitsFor: ['plan_a'], writablePaths: ['/srv/data'] }],
  ])('is read: %s', (_, members) => {
    const input = capsuleRunInput(members);
    for (const type of ['plan', 'destroy_plan', 'drift_check', 'apply', 'destroy_apply'] as const)
      expect(parseInput(type, input)).toEqual(input);
  });

  it('is read: of a sync that failed', () => {
    const input = { ...syncInput, error: 'The repository did not answer.', cancelledBy: 'sub_a' };
    expect(parseInput('source_sync', input)).toEqual(input);
  });

  it('is null for a refused plan, for a type without input, and for any other shape', () => {
    expect(parseInput('plan', {})).toBeNull();
    expect(parseInput('compatibility_check', {})).toBeNull();
    expect(parseInput('apply', { ...capsuleRunInput(), reportId: 1 })).toBeNull();
    expect(parseInput('source_sync', { ...syncInput, intent: 'other' })).toBeNull();
    expect(parseInput('plan', null)).toBeNull();
  });
});
