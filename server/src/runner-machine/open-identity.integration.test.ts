import { existsSync, mkdirSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { newId } from '#server/kernel/ids';
import { Secret } from '#server/kernel/secret';
import { createAuthority } from '../../test/certificate-authority.ts';
import { tempDir } from '../../test/harness.ts';
import { type NatsFixture, shortTimes, startNatsFixture, startSecureNats } from '../../test/nats-fixture.ts';
import { hasNatsServer } from '../../test/nats-server.ts';
import { type Authority, createAuthorityRecord, openAuthority } from '../drivers/nats/authority.ts';
import { connectOnce } from '../drivers/nats/connection.ts';
import { writeEnrolment } from '../drivers/nats/enrolment-text.ts';
import { createSealKey } from '../drivers/nats/envelope.ts';
import { answerQuestions, type QuestionHandlers } from '../drivers/nats/questions.ts';
import { createUserKey, inboxOf } from '../drivers/nats/user-key.ts';
import { type Identity, readIdentity, writeIdentity } from './identity.ts';
import { openIdentity } from './open-identity.ts';

const facts = { name: 'builder', productVersion: '0.1.0' };

describe.skipIf(!hasNatsServer)('a machine whose NATS has other addresses and another authority', () => {
  const cleanups: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const clean of cleanups.splice(0).reverse()) await clean();
  });

  it('connects after one start with both, and keeps them', async () => {
    const authority = openAuthority(createAuthorityRecord());
    const { nats, ca } = await startSecureNats(authority);
    cleanups.push(() => nats.close());
    const dataDir = tempDir();
    const [runnerId, userKey] = [newId('runnerMachine'), createUserKey()];
    const poolId = newId('runnerPool');
    writeIdentity(dataDir, {
      runnerId,
      poolId,
      urls: ['tls://127.0.0.1:1'],
      ca: (await createAuthority()).ca,
      verifyWith: authority.verifyWith,
      userKey,
      sealKey: await createSealKey(),
      jwt: authority.signRunner({ runnerId, poolId, publicKey: userKey.publicKey, seconds: 60 }),
    });
    const open = (chosen: Parameters<typeof openIdentity>[1]['chosen']) =>
      openIdentity(dataDir, { enrolment: undefined, chosen, facts });
    const connect = async ({ urls, ca: pinned, jwt }: Identity) => {
      const credentials = () => ({ jwt, seed: userKey.seed });
      const settings = { ...shortTimes, urls, ca: pinned, credentials, inboxPrefix: inboxOf(runnerId) };
      const connection = await connectOnce(settings);
      cleanups.push(() => connection.close());
    };

    await expect(connect(await open({ urls: [nats.url] }))).rejects.toMatchObject({ reason: 'tls_refused' });
    await connect(await open({ ca }));
    expect(readIdentity(dataDir)).toMatchObject({ urls: [nats.url], ca, runnerId });
    await connect(await open({}));
  });
});

describe.skipIf(!hasNatsServer)('a machine that joins', () => {
  let fixture: NatsFixture;
  afterEach(() => fixture?.close());

  /** Writes an enrolment into a file of the data folder. */
  function writeEnrolmentFile(dataDir: string, authority: Authority, user?: { jwt: string; seed: Secret }): string {
    const enrolmentId = newId('runnerEnrolment');
    const { jwt, seed } = user ?? authority.createEnrolmentUser(enrolmentId);
    const file = path.join(dataDir, 'office.enrol');
    const token = new Secret('t'.repeat(43));
    const { verifyWith } = authority;
    writeFileSync(file, writeEnrolment({ enrolmentId, urls: [fixture.nats.url], verifyWith, jwt, seed, token }));
    return file;
  }
  /** Answers each machine with the same id for the same key. Returns the keys in the order of the questions. */
  function answerJoins(): string[] {
    const { server: connection, authority } = fixture;
    const publicKeys: string[] = [];
    const poolId = newId('runnerPool');
    const ids = new Map<string, string>();
    const enrol: QuestionHandlers['enrol'] = async (_, { keys: { publicKey } }) => {
      publicKeys.push(publicKey);
      const runnerId = ids.get(publicKey) ?? newId('runnerMachine');
      ids.set(publicKey, runnerId);
      return { runnerId, poolId, jwt: authority.signRunner({ runnerId, poolId, publicKey, seconds: 60 }) };
    };
    const handlers = { enrol } as QuestionHandlers;
    answerQuestions({ connection, signWith: authority.signWith, handlers, onFault: () => {}, onRefused: () => {} });
    return publicKeys;
  }
  const open = (dataDir: string, enrolment: string) => openIdentity(dataDir, { enrolment, chosen: {}, facts });

  it('is the same one when the answer was lost and it joins again with the same enrolment', async () => {
    fixture = await startNatsFixture();
    const publicKeys = answerJoins();
    const dataDir = tempDir();
    const file = writeEnrolmentFile(dataDir, fixture.authority);
    // The identity cannot be stored.
    const blocker = path.join(dataDir, 'runner-identity.json.tmp');
    mkdirSync(blocker);
    await expect(open(dataDir, file)).rejects.toThrow();
    const pending = path.join(dataDir, 'runner-join.json');
    expect(statSync(pending).mode & 0o777).toBe(0o600);
    rmdirSync(blocker);
    const identity = await open(dataDir, file);
    expect(publicKeys).toEqual([identity.userKey.publicKey, identity.userKey.publicKey]);
    expect(readIdentity(dataDir)?.runnerId).toBe(identity.runnerId);
    expect(existsSync(pending)).toBe(false);
  });

  it('is another one with another enrolment', async () => {
    fixture = await startNatsFixture();
    const publicKeys = answerJoins();
    const dataDir = tempDir();
    const blocker = path.join(dataDir, 'runner-identity.json.tmp');
    mkdirSync(blocker);
    await expect(open(dataDir, writeEnrolmentFile(dataDir, fixture.authority))).rejects.toThrow();
    rmdirSync(blocker);
    await open(dataDir, writeEnrolmentFile(dataDir, fixture.authority));
    expect(new Set(publicKeys).size).toBe(2);
  });

  it('says that its enrolment has expired', async () => {
    fixture = await startNatsFixture();
    const { authority } = fixture;
    const { publicKey, seed } = createUserKey();
    const member = { runnerId: newId('runnerMachine'), poolId: newId('runnerPool'), publicKey };
    const dataDir = tempDir();
    const file = writeEnrolmentFile(dataDir, authority, {
      jwt: authority.signRunner({ ...member, seconds: -10 }),
      seed,
    });
    await expect(open(dataDir, file)).rejects.toThrow(/^This enrolment has expired/);
  });

  it('says that NATS has the configuration of another installation', async () => {
    fixture = await startNatsFixture();
    const dataDir = tempDir();
    const file = writeEnrolmentFile(dataDir, openAuthority(createAuthorityRecord()));
    await expect(open(dataDir, file)).rejects.toThrow(/has not expired.*configuration of the same installation/);
  });
});
