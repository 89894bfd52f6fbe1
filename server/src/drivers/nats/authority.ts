import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createAccount, createOperator, createUser, fromPublic, fromSeed, type KeyPair } from '@nats-io/nkeys';
import { z } from 'zod';
import { Secret } from '#server/kernel/secret';
import { runnerLimits } from '#shared/limits';
import { epochSeconds, signClaims } from './claims.ts';
import { requireId } from './names.ts';
import { NatsError } from './nats-error.ts';
import { accountExports, accountImports, scopedRoles, serverRights, systemRights } from './role.ts';

const seed = z.string().regex(/^S[AO][A-Z2-7]{56}$/);
const authorityRecord = z.strictObject({
  version: z.literal(1),
  operator: seed,
  system: seed,
  /** Account of the server, which holds the streams. */
  server: seed,
  /** Account of the runners and enrolments, which holds nothing. */
  runners: seed,
  runnerRole: seed,
  enrolmentRole: seed,
  /** Ed25519 key that signs Jobs and answers; PKCS #8, base64. */
  signing: z.base64(),
});
/** Every private key of an installation at NATS, as JSON. Sealed wherever it is stored. */
export type AuthorityRecord = z.infer<typeof authorityRecord>;

/** Revoked users: public key, and seconds since the epoch of the revocation. */
export type Revocations = Readonly<Record<string, number>>;

/** A user with its private key. */
export type NatsUser = { publicKey: string; seed: Secret; jwt: string };

const enrolmentSeconds = runnerLimits.enrolmentMinutes * 60;
const noLimits = { conn: -1, subs: -1, data: -1, payload: -1, imports: 0, exports: 0, wildcards: true, leaf: 0 };

const seedOf = (pair: KeyPair): string => Buffer.from(pair.getSeed()).toString();

export function createAuthorityRecord(): AuthorityRecord {
  const { privateKey } = generateKeyPairSync('ed25519');
  return {
    version: 1,
    operator: seedOf(createOperator()),
    system: seedOf(createAccount()),
    server: seedOf(createAccount()),
    runners: seedOf(createAccount()),
    runnerRole: seedOf(createAccount()),
    enrolmentRole: seedOf(createAccount()),
    signing: privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64'),
  };
}

export type Authority = ReturnType<typeof openAuthority>;

/** Opens the keys of an installation. Throws `authority_invalid`. */
export function openAuthority(record: unknown) {
  const { operator, system, server, runners, runnerRole, enrolmentRole, signWith } = readRecord(record);
  const nextIssue = createIssueTimes();

  function userOf(issuer: KeyPair, name: string, rights: object): NatsUser {
    const user = createUser();
    const publicKey = user.getPublicKey();
    const jwt = signClaims(issuer, { kind: 'user', name, subject: publicKey, nats: { ...rights } });
    return { publicKey, seed: new Secret(user.getSeed()), jwt };
  }
  const accountJwt = (account: KeyPair, name: string, nats: Record<string, unknown>): string =>
    signClaims(operator, { kind: 'account', name, subject: account.getPublicKey(), nats, issuedAt: nextIssue() });
  type Scoped = { name: string; publicKey: string; tags?: string[]; seconds: number };
  const scopedUser = (role: KeyPair, { name, publicKey, tags = [], seconds }: Scoped): string =>
    signClaims(role, {
      kind: 'user',
      name,
      subject: requireUserKey(publicKey),
      nats: { tags, issuer_account: runners.getPublicKey() },
      expiresAt: epochSeconds() + seconds,
    });

  return {
    /** Key that signs Jobs and answers, and the public half that runners learn with their enrolment (base64, SPKI). */
    signWith,
    verifyWith: publicKeyOf(signWith),
    operatorJwt: (): string =>
      signClaims(operator, {
        kind: 'operator',
        name: 'groundctl',
        subject: operator.getPublicKey(),
        nats: { system_account: system.getPublicKey() },
      }),
    systemKey: system.getPublicKey(),
    systemJwt: (): string => accountJwt(system, 'SYS', { limits: noLimits }),
    serverKey: server.getPublicKey(),
    /** JWT of the account of the servers. Every user that was signed at `revokedAt` (in seconds) or before is refused. */
    serverJwt: (revokedAt?: number): string =>
      accountJwt(server, 'groundctl', {
        limits: {
          ...noLimits,
          exports: accountExports.length,
          mem_storage: 0,
          disk_storage: -1,
          streams: -1,
          consumer: -1,
        },
        exports: accountExports,
        ...(revokedAt !== undefined && { revocations: { '*': revokedAt } }),
      }),
    runnersKey: runners.getPublicKey(),
    /** JWT of the account of the runners, with its roles. A revoked user stays in it until its own JWT has expired. */
    runnersJwt: (revocations: Revocations = {}): string =>
      accountJwt(runners, 'groundctl-runners', {
        limits: { ...noLimits, imports: accountExports.length },
        imports: accountImports(server.getPublicKey()),
        signing_keys: scopedRoles({ runner: runnerRole.getPublicKey(), enrolment: enrolmentRole.getPublicKey() }),
        ...(Object.keys(revocations).length > 0 && { revocations }),
      }),
    /** Creates a user of the server in its account. */
    createServerUser: (): NatsUser => userOf(server, 'server', serverRights),
    /** Creates a user that may publish new versions of the account, and nothing else. */
    createSystemUser: (): NatsUser => userOf(system, 'server', systemRights),
    /**
     * Signs the JWT of a runner, whose private key never leaves its machine. Throws `name_invalid` for an id or a key
     * of another form.
     */
    signRunner: (input: { runnerId: string; poolId: string; publicKey: string; seconds: number }): string => {
      const { runnerId, poolId, publicKey, seconds } = input;
      const tags = [`pool:${requireId('runnerPool', poolId)}`];
      return scopedUser(runnerRole, { name: requireId('runnerMachine', runnerId), publicKey, tags, seconds });
    },
    /** Creates the user of an enrolment, which may send one question for 15 minutes. Throws `name_invalid`. */
    createEnrolmentUser: (enrolmentId: string): NatsUser => {
      const user = createUser();
      const publicKey = user.getPublicKey();
      const name = requireId('runnerEnrolment', enrolmentId);
      const jwt = scopedUser(enrolmentRole, { name, publicKey, seconds: enrolmentSeconds });
      return { publicKey, seed: new Secret(user.getSeed()), jwt };
    },
  };
}

/**
 * Returns times of issue that increase with every call. Of two versions of an account with the same time, NATS may keep
 * the earlier one, for example that of its configuration after a restart.
 */
function createIssueTimes(): () => number {
  let last = 0;
  return () => {
    last = Math.max(epochSeconds(), last + 1);
    return last;
  };
}

function readRecord(record: unknown) {
  const parsed = authorityRecord.safeParse(record);
  // The cause would contain the keys.
  if (!parsed.success) throw new NatsError('authority_invalid');
  const { operator, system, server, runners, runnerRole, enrolmentRole, signing } = parsed.data;
  try {
    return {
      operator: pairOf(operator, 'O'),
      system: pairOf(system, 'A'),
      server: pairOf(server, 'A'),
      runners: pairOf(runners, 'A'),
      runnerRole: pairOf(runnerRole, 'A'),
      enrolmentRole: pairOf(enrolmentRole, 'A'),
      signWith: createPrivateKey({ key: Buffer.from(signing, 'base64'), format: 'der', type: 'pkcs8' }),
    };
  } catch {
    throw new NatsError('authority_invalid');
  }
}

function pairOf(seedText: string, kind: 'A' | 'O'): KeyPair {
  const pair = fromSeed(Buffer.from(seedText));
  if (pair.getPublicKey().startsWith(kind)) return pair;
  throw new NatsError('authority_invalid');
}

const publicKeyOf = (key: KeyObject): string =>
  createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64');

/** Requires the public key of a user, whose check sum is part of it. */
function requireUserKey(publicKey: string): string {
  try {
    fromPublic(publicKey);
  } catch {
    throw new NatsError('name_invalid');
  }
  if (/^U[A-Z2-7]{55}$/.test(publicKey)) return publicKey;
  throw new NatsError('name_invalid');
}
