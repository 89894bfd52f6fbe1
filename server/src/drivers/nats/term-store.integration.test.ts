import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type NatsFixture, shortTimes, startNatsFixture } from '../../../test/nats-fixture.ts';
import { hasNatsServer } from '../../../test/nats-server.ts';
import { type ConnectionState, connectOnce } from './connection.ts';
import { revokeServers } from './revocation.ts';
import { createTermStore } from './term-store.ts';

const bytes = (text: string) => Buffer.from(text);
const textOf = (found: { bytes: Uint8Array } | undefined) => found && Buffer.from(found.bytes).toString();
const signal = AbortSignal.timeout(60_000);

describe.skipIf(!hasNatsServer)('the term of a server', () => {
  let fixture: NatsFixture;
  beforeEach(async () => {
    fixture = await startNatsFixture();
  });
  afterEach(() => fixture.close());

  it('is written by one of two servers, and survives kill -9 of NATS', async () => {
    const store = createTermStore(fixture.server);
    expect(await store.read({ signal })).toBeUndefined();
    const firsts = ['one', 'other'].map((text) => store.write(bytes(text), { when: { ifAbsent: true }, signal }));
    expect((await Promise.all(firsts)).sort()).toEqual([false, true]);
    const found = await store.read({ signal });
    const when = { ifMatch: found?.tag ?? '' };
    expect(await store.write(bytes('next'), { when, signal })).toBe(true);
    expect(await store.write(bytes('late'), { when, signal })).toBe(false);
    await fixture.nats.kill();
    await fixture.nats.start();
    await expect.poll(async () => textOf(await store.read({ signal }).catch(() => undefined))).toBe('next');
  });

  it('ends with the revocation of every server that was signed before it, and not for the next one', async () => {
    const { authority, nats } = fixture;
    const states: ConnectionState[] = [];
    const old = authority.createServerUser();
    const connectAs = (user: typeof old) => connectOnce({ ...shortTimes, urls: [nats.url], credentials: () => user });
    fixture.track(
      await connectOnce({
        ...shortTimes,
        urls: [nats.url],
        credentials: () => old,
        onState: (state) => states.push(state),
      }),
    );
    const second = Math.floor(Date.now() / 1_000);
    await revokeServers(await fixture.connectSystem(), authority, second);
    await expect.poll(() => states).toContain('denied');
    await expect(connectAs(old)).rejects.toMatchObject({ reason: 'denied' });
    await expect.poll(() => Math.floor(Date.now() / 1_000)).toBeGreaterThan(second);
    const next = fixture.track(await connectAs(authority.createServerUser()));
    expect(await createTermStore(next).read({ signal })).toBeUndefined();
  });
});
