import { fromPublic } from '@nats-io/nkeys';
import { describe, expect, it } from 'vitest';
import { newId } from '#server/kernel/ids';
import { createAuthorityRecord, openAuthority } from './authority.ts';
import { natsConfiguration } from './configuration.ts';
import type { NatsError } from './nats-error.ts';
import { createUserKey } from './user-key.ts';

const claimsOf = (jwt: string) => JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString());

function refusalOf(work: () => unknown) {
  try {
    return work();
  } catch (error) {
    const { reason, cause } = error as NatsError;
    return { reason, cause };
  }
}

describe('the keys of an installation', () => {
  const record = createAuthorityRecord();
  const authority = openAuthority(record);
  const user = createUserKey();
  const signed = (changed: object = {}) =>
    authority.signRunner({
      runnerId: newId('runnerMachine'),
      poolId: newId('runnerPool'),
      publicKey: user.publicKey,
      seconds: 60,
      ...changed,
    });

  it('are the same after they were stored as JSON', () => {
    const again = openAuthority(JSON.parse(JSON.stringify(record)));
    expect(again.serverKey).toBe(authority.serverKey);
    expect(again.runnersKey).toBe(authority.runnersKey);
    expect(again.verifyWith).toBe(authority.verifyWith);
  });

  it('sign JWTs that their issuer verifies', () => {
    const all = [authority.operatorJwt(), authority.runnersJwt(), signed(), authority.createServerUser().jwt];
    for (const jwt of all) {
      const [header, claims, signature = ''] = jwt.split('.');
      const { iss } = claimsOf(jwt);
      expect(fromPublic(iss).verify(Buffer.from(`${header}.${claims}`), Buffer.from(signature, 'base64url'))).toBe(
        true,
      );
    }
  });

  it('give a runner its name, its pool and an end, and no rights beside its role', () => {
    const runnerId = newId('runnerMachine');
    const poolId = newId('runnerPool');
    const claims = claimsOf(signed({ runnerId, poolId }));
    expect(claims).toMatchObject({
      name: runnerId,
      sub: user.publicKey,
      nats: { tags: [`pool:${poolId}`], type: 'user' },
    });
    expect(claims.exp - claims.iat).toBe(60);
    expect(Object.keys(claims.nats).sort()).toEqual(['issuer_account', 'tags', 'type', 'version']);
  });

  it('give an enrolment 15 minutes', () => {
    const { exp, iat } = claimsOf(authority.createEnrolmentUser(newId('runnerEnrolment')).jwt);
    expect(exp - iat).toBe(900);
  });

  it('give every version of the account a later time and another id, also within one second', () => {
    const all = [{}, { [user.publicKey]: 1 }, { [user.publicKey]: 2 }].map((revocations) =>
      claimsOf(authority.runnersJwt(revocations)),
    );
    expect(all[1].iat).toBeGreaterThan(all[0].iat);
    expect(all[2].iat).toBeGreaterThan(all[1].iat);
    expect(new Set(all.map(({ jti }) => jti)).size).toBe(3);
  });

  it.each([
    ['nothing', undefined],
    ['an unknown member', { ...record, more: 1 }],
    ['another version', { ...record, version: 2 }],
    [
      'a wrong check sum',
      {
        ...record,
        server: record.server.replace(/(.{20})(.)/, (_all, head, sign) => head + (sign === 'A' ? 'B' : 'A')),
      },
    ],
    ['an account as operator', { ...record, operator: record.server }],
    ['no signing key', { ...record, signing: 'AAAA' }],
  ])('are refused with %s, by an error without a key', (_what, broken) => {
    expect(refusalOf(() => openAuthority(broken))).toEqual({ reason: 'authority_invalid', cause: undefined });
  });

  it('are not shown when a user or a record is logged', () => {
    const shown = JSON.stringify(authority.createServerUser());
    expect(shown).toContain('[redacted]');
    expect(shown).not.toMatch(/SU[A-Z2-7]{56}/);
  });

  it('do not occur in the configuration of NATS', () => {
    const text = natsConfiguration(authority, {
      listen: '[::]:4222',
      dataDir: '/var/lib/nats $HOME',
      tls: { certFile: '/etc/nats/cert.pem', keyFile: '/etc/nats/key.pem' },
      cluster: {
        serverName: 'one',
        listen: '0.0.0.0:6222',
        routes: ['two.example.com:6222'],
        authority: '/etc/nats/ca.pem',
      },
      revocations: { [user.publicKey]: 5 },
    });
    for (const seed of [
      record.operator,
      record.system,
      record.server,
      record.runners,
      record.runnerRole,
      record.signing,
    ])
      expect(text).not.toContain(seed);
    expect(text).toContain("store_dir: '/var/lib/nats $HOME/streams'");
    expect(text).toContain("ca_file: '/etc/nats/ca.pem', verify: true }");
  });

  it.each([
    [{ listen: "0.0.0.0:4222'\ninclude 'x'" }],
    [{ listen: '4222' }],
    [{ dataDir: "/a'b" }],
    [{ dataDir: '/a\nb' }],
    [{ tls: { certFile: "a'", keyFile: 'b' } }],
    [{ cluster: { serverName: 'a b', listen: '0.0.0.0:1', routes: [] } }],
    [{ cluster: { serverName: 'a', listen: '0.0.0.0:1', routes: [] } }],
    [{ cluster: { serverName: 'a', listen: '0.0.0.0:1', routes: ["x':1"] } }],
    [{ cluster: { serverName: 'a', listen: '0.0.0.0:1', routes: ['tls://x:1'] } }],
    [{ cluster: { serverName: 'a', listen: '0.0.0.0:1', routes: ['x:1'], authority: '/ca.pem' } }],
    [{ tls: { certFile: 'a', keyFile: 'b' }, cluster: { serverName: 'a', listen: '0.0.0.0:1', routes: ['x:1'] } }],
  ])('are not written into a configuration with %j', (changed) => {
    const input = { listen: '127.0.0.1:4222', dataDir: '/data', ...changed };
    expect(() => natsConfiguration(authority, input)).toThrow('settings of NATS are not valid');
  });
});
