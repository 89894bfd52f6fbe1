import { describe, expect, it } from 'vitest';
import { readState, type State } from '#server/drivers/tofu/index';
import type { PlannedChange } from '../../runner/contract/execution-spec.ts';
import { findUnplannedResources } from './unplanned-resources.ts';

const stateOf = (...names: string[]): State =>
  readState(
    JSON.stringify({
      version: 4,
      lineage: 'l',
      serial: 1,
      resources: names.map((name) => ({
        mode: name.startsWith('data-') ? 'data' : 'managed',
        type: 't',
        name,
        instances: [{ attributes: {} }],
      })),
    }),
  );
const change = (name: string, ...actions: PlannedChange['actions']): PlannedChange => ({
  address: `t.${name}`,
  mode: 'managed',
  actions,
});
const unplanned = (changes: PlannedChange[], before: State | undefined, after: State, redact = (one: string) => one) =>
  findUnplannedResources({ changes, before, after }, redact);

describe('findUnplannedResources', () => {
  it('returns nothing for resources that existed before or are planned', () => {
    expect(unplanned([change('b', 'create')], stateOf('a'), stateOf('a', 'b'))).toEqual([]);
    expect(unplanned([change('a', 'delete', 'create')], stateOf('a'), stateOf('a'))).toEqual([]);
    expect(unplanned([{ ...change('b', 'no-op'), previousAddress: 't.a' }], stateOf('a'), stateOf('b'))).toEqual([]);
  });

  it('ignores data sources', () => {
    expect(unplanned([], undefined, stateOf('data-x'))).toEqual([]);
  });

  it('names a resource that appears without a plan, once and sorted', () => {
    expect(unplanned([change('b', 'create')], undefined, stateOf('d', 'c', 'c', 'b'))).toEqual(['t.c', 't.d']);
  });

  it('compares addresses without their secrets', () => {
    const redact = (address: string) => address.replace('hidden', '[redacted]');
    expect(unplanned([change('[redacted]', 'create')], undefined, stateOf('hidden'), redact)).toEqual([]);
  });
});
