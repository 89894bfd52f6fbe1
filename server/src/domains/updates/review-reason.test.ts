import { describe, expect, it } from 'vitest';
import type { PlanAction } from '#shared/plans/change';
import { type PlannedUpdate, reviewReasonOf, type Side } from './review-reason.ts';

const programs = { provisioned: ['terraform_data.run'], blocksDigest: 'sha256:b', filesDigest: 'sha256:f' };
const sideOf = (change: Partial<Side['report']>, evidence: Side['programs'] = programs): Side => ({
  report: { provisioners: [], dataSources: [], providerPackages: [], ...change },
  programs: evidence,
  snapshot: { repositoryManifest: { status: 'absent' } },
});
const provisioning = (evidence?: Side['programs']) =>
  sideOf({ provisioners: [{ type: 'local-exec', allowed: true }] }, evidence);
const external = (evidence?: Side['programs']) =>
  sideOf({ dataSources: [{ type: 'external', allowed: true }] }, evidence);
const plannedOf = (...changes: [address: string, ...actions: PlanAction[]][]): PlannedUpdate => ({
  changes: changes.map(([address, ...actions]) => ({ address, type: 'terraform_data', actions })),
  isListedWhole: true,
  builds: false,
});
const nothing = plannedOf();

describe('an update of a module with a provisioner', () => {
  it.each([
    'terraform_data.run',
    'terraform_data.run[0]',
    'module.a["x.y"].terraform_data.run["terraform_data.other"]',
  ])('waits when %s is created, replaced or destroyed', (address) => {
    for (const actions of [['create'], ['delete', 'create'], ['delete']] as const)
      expect(reviewReasonOf(provisioning(), provisioning(), plannedOf([address, ...actions]))).toBe('provisioner');
    expect(reviewReasonOf(provisioning(), provisioning(), plannedOf([address, 'update']))).toBeUndefined();
  });

  it('goes on when another resource is created', () => {
    const planned = plannedOf(['terraform_data.other', 'create'], ['module.run.terraform_data.a["b.run"]', 'create']);
    expect(reviewReasonOf(provisioning(), provisioning(), planned)).toBeUndefined();
  });

  it('waits when a block of removed resources has one and something is destroyed', () => {
    const removed = provisioning({ ...programs, provisioned: ['removed'] });
    expect(reviewReasonOf(removed, removed, plannedOf(['terraform_data.other', 'delete']))).toBe('provisioner');
    expect(reviewReasonOf(removed, removed, plannedOf(['terraform_data.other', 'create']))).toBeUndefined();
  });

  it('waits where the scan says nothing of it, or the plan is longer than its list', () => {
    const unknown = { ...provisioning(), programs: undefined };
    expect(reviewReasonOf(provisioning(), unknown, nothing)).toBe('provisioner');
    expect(reviewReasonOf(provisioning(), provisioning(), { ...nothing, isListedWhole: false })).toBe('provisioner');
    expect(reviewReasonOf(unknown, provisioning(), nothing)).toBe('unknown_before');
  });
});

describe('an update of a module that starts programs', () => {
  it.each([
    ['provisioner', provisioning],
    ['external data source', external],
  ])('waits when a block or another file differs: %s', (_what, side) => {
    expect(reviewReasonOf(side(), side(), nothing)).toBeUndefined();
    expect(reviewReasonOf(side(), side({ ...programs, blocksDigest: 'sha256:other' }), nothing)).toBe(
      'program_changed',
    );
    expect(reviewReasonOf(side(), side({ ...programs, filesDigest: 'sha256:other' }), nothing)).toBe('files_changed');
  });

  it('waits when that is new', () => {
    expect(reviewReasonOf(sideOf({}), external(), nothing)).toBe('external_data');
    expect(reviewReasonOf(sideOf({}), provisioning(), nothing)).toBe('provisioner');
  });
});
