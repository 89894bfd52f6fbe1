import { afterEach, describe, expect, it } from 'vitest';
import { newId } from '#server/kernel/ids';
import { createAuthority } from '../../test/certificate-authority.ts';
import { tempDir } from '../../test/harness.ts';
import { shortTimes, startSecureNats } from '../../test/nats-fixture.ts';
import { hasNatsServer } from '../../test/nats-server.ts';
import { createAuthorityRecord, openAuthority } from '../drivers/nats/authority.ts';
import { connectOnce } from '../drivers/nats/connection.ts';
import { createSealKey } from '../drivers/nats/envelope.ts';
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
