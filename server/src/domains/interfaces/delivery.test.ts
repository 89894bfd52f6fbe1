import { describe, expect, it } from 'vitest';
import type { InterfaceBinding } from '#shared/interfaces/contract';
import { interfacePhases } from '#shared/interfaces/machine';
import { type DeliveryPorts, findDeliveryFault } from './delivery.ts';
import type { InterfaceRow } from './store.ts';

type Delivery = InterfaceBinding['spec']['delivery'];
type SubjectKind = InterfaceBinding['spec']['subjectRef']['kind'];

const resolved = { phase: 'Resolved', resourceUri: 'https://a.example/' } as InterfaceRow;
const ports: DeliveryPorts = { hasIssuer: () => true, hasProof: () => true, holdsClaim: () => true };
const faultOf = (
  delivery: Delivery,
  more: { row?: Partial<InterfaceRow>; ports?: Partial<DeliveryPorts>; subjectKind?: SubjectKind } = {},
) => {
  const binding = { delivery, subjectKind: more.subjectKind ?? 'Principal' };
  return findDeliveryFault({ ...resolved, ...more.row }, binding, { ...ports, ...more.ports });
};
const oauth2 = { type: 'oauth2' };

describe('a binding is Ready', () => {
  it('with the Interface when nothing is delivered', () => {
    expect(faultOf({ type: 'none' })).toBeUndefined();
    expect(faultOf({ type: 'none' }, { subjectKind: 'Capsule' })).toBeUndefined();
    expect(faultOf({ type: 'none' }, { row: { resourceUri: null } })).toBeUndefined();
  });

  it('for oauth2 with an HTTPS URI, an issuer, a proof of the hostname and the claim', () => {
    expect(faultOf(oauth2)).toBeUndefined();
  });
});

describe('a binding is NotReady', () => {
  it.for(interfacePhases.filter((phase) => phase !== 'Resolved'))(
    'with InterfaceNotReady while the Interface is %s',
    (phase) => {
      for (const type of ['none', 'oauth2', 'workload_token'])
        expect(faultOf({ type }, { row: { phase } })).toBe('InterfaceNotReady');
    },
  );

  it.for(['workload_token', 'bearer', 'None', 'OAUTH2', 'constructor'])(
    'with UnsupportedDelivery for the type %s',
    (type) => {
      expect(faultOf({ type })).toBe('UnsupportedDelivery');
    },
  );

  it.for<Delivery>([
    { type: 'none', credentialRef: 'a' },
    { type: 'none', options: {} },
    { type: 'oauth2', credentialRef: 'a' },
    { type: 'oauth2', options: { audience: 'a' } },
  ])('with UnsupportedDeliveryConfiguration for %j', (delivery) => {
    expect(faultOf(delivery)).toBe('UnsupportedDeliveryConfiguration');
  });

  it('with OAuthResourceUnavailable without an issuer, and without an HTTPS URI', () => {
    expect(faultOf(oauth2, { ports: { hasIssuer: () => false } })).toBe('OAuthResourceUnavailable');
    expect(faultOf(oauth2, { row: { resourceUri: null } })).toBe('OAuthResourceUnavailable');
    expect(faultOf(oauth2, { row: { resourceUri: 'http://a.example/' } })).toBe('OAuthResourceUnavailable');
  });

  it('with OAuthResourceUnauthorized for a subject that is not an account', () => {
    expect(faultOf(oauth2, { subjectKind: 'Capsule' })).toBe('OAuthResourceUnauthorized');
  });

  it('with OAuthResourceAuthorityUnavailable without proof of the hostname', () => {
    expect(faultOf(oauth2, { ports: { hasProof: () => false } })).toBe('OAuthResourceAuthorityUnavailable');
  });

  it('with OAuthResourceConflict while another owner holds the URI', () => {
    expect(faultOf(oauth2, { ports: { holdsClaim: () => false } })).toBe('OAuthResourceConflict');
  });
});
