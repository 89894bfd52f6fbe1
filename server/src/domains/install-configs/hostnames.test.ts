import { describe, expect, it } from 'vitest';
import type { PublicHostname } from '#shared/install-configs/parts';
import type { OwnerRef } from '#shared/interfaces/contract';
import { createHostnames } from './hostnames.ts';

const capsule = { id: 'cap_a', workspaceId: 'ws_a', installConfigId: 'icfg_a' };
const name = 'wiki.example.com';
type Facts = { holder?: string; owner?: OwnerRef; own?: PublicHostname };
const hostnamesOf = ({ holder, owner, own }: Facts) =>
  createHostnames({
    findHolder: () => holder,
    findProvenOwner: () => owner,
    findHostname: () => own,
    reserved: ['ground.example.com'],
  });
const refusal = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return (error as { details?: { reason?: string } }).details?.reason;
  }
};
const workspaceOwner: OwnerRef = { kind: 'Workspace', id: 'ws_a' };
const capsuleOwner: OwnerRef = { kind: 'Capsule', id: 'cap_a' };
const otherOwner: OwnerRef = { kind: 'Capsule', id: 'cap_b' };

describe('a hostname', () => {
  it.each([
    ['no one has', {}, name, undefined],
    ['the Capsule itself has', { holder: 'cap_a' }, name, undefined],
    ['the Workspace has proven', { owner: workspaceOwner }, name, undefined],
    ['another Capsule has', { holder: 'cap_b' }, name, 'app_hostname_unavailable'],
    ['another owner has proven', { owner: otherOwner }, name, 'app_hostname_unavailable'],
    ['the server itself has', {}, 'ground.example.com', 'app_hostname_unavailable'],
  ] as const)('that %s', (_who, facts, hostname, expected) => {
    const rules = hostnamesOf(facts).rulesFor(capsule, undefined);
    expect(refusal(() => rules.requireFree(hostname))).toBe(expected);
  });

  it('is proven for a Capsule by a proof of the Capsule or of its Workspace', () => {
    const isProven = (owner?: OwnerRef) =>
      hostnamesOf(owner ? { owner } : {})
        .rulesFor(capsule, undefined)
        .isProven(name);
    expect([capsuleOwner, workspaceOwner, otherOwner, undefined].map(isProven)).toEqual([true, true, false, false]);
  });

  it('that a person chose needs its proof at each plan', () => {
    const parts = { publicHostname: { name, baseDomain: 'example.org', isCustom: true as const } };
    expect(refusal(() => hostnamesOf({}).requireProven(capsule, parts))).toBe('custom_domain_not_verified');
    expect(refusal(() => hostnamesOf({ owner: capsuleOwner }).requireProven(capsule, parts))).toBeUndefined();
    const assigned = { publicHostname: { name, baseDomain: 'example.com' } };
    expect(refusal(() => hostnamesOf({}).requireProven(capsule, assigned))).toBeUndefined();
    expect(refusal(() => hostnamesOf({}).requireProven(capsule, {}))).toBeUndefined();
  });

  it('counts for the Interfaces of its Capsule when it is assigned, or chosen and proven', () => {
    const own = { name, baseDomain: 'example.com' };
    const has = (facts: Facts, hostname: string = name) => hostnamesOf(facts).hasHostname(capsule, hostname);
    expect(has({ own })).toBe(true);
    expect(has({ own }, 'other.example.com')).toBe(false);
    expect(has({})).toBe(false);
    expect(has({ own: { ...own, isCustom: true } })).toBe(false);
    expect(has({ own: { ...own, isCustom: true }, owner: workspaceOwner })).toBe(true);
  });
});
