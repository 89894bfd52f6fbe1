import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Json } from '#shared/kernel/json';
import { startTestServer, type TestServer } from '../../../test/harness.ts';
import { seedCapsule, seedState } from '../../../test/ledger-rows.ts';
import { asNeighbour } from '../../../test/one-of-each.ts';
import { seedRealState, stateText } from '../../../test/state-fixture.ts';
import type { CapsuleRow } from '../capsules/store.ts';

let server: TestServer;
let capsule: CapsuleRow;
const states: Record<string, string> = {};
const canary = 'canary-4f1c9a7e55';
const mark = { $svc: 'sensitive' };
const changedMark = { ...mark, changed: true };

/** 250 objects, some in a module, one with a marked password that later copies lose. */
const many = (more: object = {}) =>
  stateText([
    ...Array.from({ length: 250 }, (_, index) => ({
      name: 'web',
      key: index,
      ...(index >= 200 && { module: 'module.net' }),
      attributes: { id: `web-${index}`, size: 9007199254740993n.toString() },
    })),
    { name: 'db', attributes: { id: 'db-1', password: canary, port: 5432, ...more }, sensitive: [['password']] },
    {
      name: 'copy',
      mode: 'data' as const,
      attributes: { id: 'x', text: Buffer.from(`user:${canary}`).toString('base64') },
    },
  ]);

beforeAll(async () => {
  server = await startTestServer();
  capsule = await seedCapsule(server);
  states['old'] = await seedRealState(server, capsule, {
    generation: 1,
    text: stateText([{ name: 'db', attributes: { password: canary } }, { name: 'gone' }]),
    isOld: true,
  });
  states['first'] = await seedRealState(server, capsule, { generation: 2, text: many() });
  states['second'] = await seedRealState(server, capsule, {
    generation: 3,
    text: many({ port: 5433, password: `${canary}-2` }),
    planned: [{ address: 'test_thing.db', actions: ['delete', 'create'] }],
  });
  await server.restart();
  await vi.waitFor(async () => expect((await list(states['second'] ?? '')).projection).toEqual({ status: 'ready' }), {
    timeout: 20_000,
  });
});
afterAll(() => server.close());

const list = async (stateVersionId: string, query: object = {}) =>
  (await server.api.listStateResources({ params: { stateVersionId }, query })).body;
const compare = async (from: string, to: string, query: object = {}) =>
  (await server.api.compareStateVersions({ params: { stateVersionId: from }, query: { with: to, ...query } })).body;
const history = async (address: string, query: object = {}) =>
  (await server.api.listResourceHistory({ params: { capsuleId: capsule.id }, query: { address, ...query } })).body;

describe('the resources of a state', () => {
  it('come in pages by address, with the counts of their modules on the first', async () => {
    const first = await list(states['first'] ?? '');
    expect(first).toMatchObject({
      projection: { status: 'ready' },
      resourceCount: 252,
      modules: [{ count: 202 }, { moduleAddress: 'module.net', count: 50 }],
      checks: [],
    });
    const addresses = first.resources.map(({ address }) => address);
    let cursor = first.nextCursor;
    while (cursor !== undefined) {
      const page = await list(states['first'] ?? '', { cursor });
      expect(page.modules).toBeUndefined();
      addresses.push(...page.resources.map(({ address }) => address));
      cursor = page.nextCursor;
    }
    expect(addresses).toEqual([...addresses].sort());
    expect(new Set(addresses).size).toBe(252);
  });

  it('show attributes without sensitive values and without their copies', async () => {
    const { resources } = await list(states['first'] ?? '', { address: 'test_thing.db' });
    expect(resources).toEqual([
      {
        address: 'test_thing.db',
        mode: 'managed',
        type: 'test_thing',
        name: 'db',
        providerName: 'registry.opentofu.org/test/test',
        attributes: { id: 'db-1', password: mark, port: 5432 },
      },
    ]);
    const [copy] = (await list(states['first'] ?? '', { address: 'data.test_thing.copy' })).resources;
    expect(copy?.attributes).toEqual({ id: 'x', text: mark });
  });

  it('are searched by address, type and shown value, and never by a hidden one', async () => {
    const find = async (q: string) =>
      (await list(states['first'] ?? '', { q })).resources.map(({ address }) => address);
    expect(await find('WEB-249')).toEqual(['module.net.test_thing.web[249]']);
    expect(await find('thing.db')).toEqual(['test_thing.db']);
    expect(await find(canary)).toEqual([]);
    expect(await find('nothing has this')).toEqual([]);
  });

  it('are listed by module', async () => {
    expect((await list(states['first'] ?? '', { module: 'module.net' })).resources).toHaveLength(50);
    expect((await list(states['first'] ?? '', { module: '' })).resources.every((one) => !one.moduleAddress)).toBe(true);
  });

  it('that are large come in pages of some 2 MB, and a search reads a part of them at a time', async () => {
    const owner = await seedCapsule(server);
    const text = stateText(
      Array.from({ length: 14 }, (_, key) => ({
        name: 'big',
        key,
        attributes: { text: `${key} `.padEnd(1_000_000, 'x') },
      })),
    );
    const id = await seedRealState(server, owner, { generation: 1, text });
    await server.restart();
    await vi.waitFor(async () => expect((await list(id)).projection.status).toBe('ready'), { timeout: 20_000 });
    const counts = [];
    const addresses = new Set<string>();
    let cursor: string | undefined;
    do {
      const page = await list(id, cursor === undefined ? {} : { cursor });
      counts.push(page.resources.length);
      for (const { address } of page.resources) addresses.add(address);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect([counts, addresses.size]).toEqual([[2, 2, 2, 2, 2, 2, 2], 14]);
    const found = await list(id, { q: 'big[9]' });
    expect(found.resources).toEqual([]);
    const { resources } = await list(id, { q: 'big[9]', cursor: found.nextCursor });
    expect(resources.map(({ address }) => address)).toEqual(['test_thing.big[9]']);
  });

  it('of a state from an earlier version are addresses and types only', async () => {
    const old = await list(states['old'] ?? '');
    expect(old.projection).toEqual({ status: 'addresses_only', reason: 'earlier_version' });
    expect(old.resources.map(({ address, attributes }) => [address, attributes])).toEqual([
      ['test_thing.db', undefined],
      ['test_thing.gone', undefined],
    ]);
  });

  it('of a state whose values nest too deep are addresses, without keys that are secret', async () => {
    const owner = await seedCapsule(server);
    const deep = Array.from({ length: 250 }).reduce<Json>((inner) => [inner], canary);
    const text = stateText([
      { name: 'a', key: canary, attributes: { deep }, sensitive: [['deep']] },
      { name: 'b', attributes: { deep } },
    ]);
    const id = await seedRealState(server, owner, { generation: 1, text });
    await server.restart();
    await vi.waitFor(async () => expect((await list(id)).projection.status).not.toBe('pending'), { timeout: 20_000 });
    const { projection, resources } = await list(id);
    expect(projection).toEqual({ status: 'addresses_only', reason: 'unreadable' });
    expect(resources.map(({ address, attributes }) => [address, attributes])).toEqual([
      ['test_thing.a["[redacted]"]', undefined],
      ['test_thing.b', undefined],
    ]);
  });

  it('are pending until the projection is made', async () => {
    const other = await seedCapsule(server);
    const id = await seedRealState(server, other, { generation: 1, text: stateText([{ name: 'a' }]) });
    expect(await list(id)).toMatchObject({ projection: { status: 'pending' }, resources: [], resourceCount: 1 });
  });

  it('that are damaged are refused with the remedy', async () => {
    const other = await seedCapsule(server);
    const id = seedState(server, other, { generation: 1 });
    await expect(list(id)).rejects.toMatchObject({ status: 409, details: { reason: 'state_not_readable' } });
  });
});

describe('a damaged ledger', () => {
  const damage = (sql: string, ...values: string[]) =>
    server.ledger((db) => void db.sqlite.prepare(sql).run(...values));
  const seed = async (count: number) => {
    const owner = await seedCapsule(server);
    const ids: string[] = [];
    for (let generation = 1; generation <= count; generation += 1)
      ids.push(await seedRealState(server, owner, { generation, text: stateText([{ name: 'a', key: generation }]) }));
    return { owner, ids };
  };
  const isReady = (id: string) =>
    vi.waitFor(async () => expect((await list(id)).projection.status).toBe('ready'), { timeout: 20_000 });

  it('of one state does not stop the projections of others', async () => {
    const first = (await seed(1)).ids[0] ?? '';
    const second = (await seed(1)).ids[0] ?? '';
    damage('UPDATE state_versions SET state = zeroblob(64) WHERE id = ?', first);
    await server.restart();
    await isReady(second);
    await expect(list(first)).rejects.toMatchObject({ status: 409, details: { reason: 'state_not_readable' } });
  });

  it('in a plan or a former projection does not hide the values of a state', async () => {
    const { owner, ids } = await seed(2);
    const last = ids[1] ?? '';
    damage("UPDATE plan_artifacts SET document = x'00' WHERE capsule_id = ?", owner.id);
    await server.restart();
    await isReady(last);
    damage('UPDATE state_projections SET head = zeroblob(64) WHERE state_version_id = ?', last);
    const third = await seedRealState(server, owner, { generation: 3, text: stateText([{ name: 'b' }]) });
    await server.restart();
    await isReady(third);
  });

  it('in the history is refused with the remedy', async () => {
    const { owner, ids } = await seed(1);
    await server.restart();
    await isReady(ids[0] ?? '');
    damage('UPDATE resource_changes SET addresses = zeroblob(64) WHERE capsule_id = ?', owner.id);
    const query = { address: 'test_thing.a[1]' };
    await expect(server.api.listResourceHistory({ params: { capsuleId: owner.id }, query })).rejects.toMatchObject({
      status: 409,
      details: { reason: 'state_not_readable' },
    });
  });
});

describe('a comparison', () => {
  it('shows what differs, and of a sensitive value only whether it changed', async () => {
    const { resources, summary, unchangedCount, valuesCompared } = await compare(
      states['first'] ?? '',
      states['second'] ?? '',
    );
    expect(valuesCompared).toBe(true);
    expect(resources.find(({ address }) => address === 'test_thing.db')).toMatchObject({
      actions: ['delete', 'create'],
      before: { port: 5432, password: mark },
      after: { id: 'db-1', port: 5433, password: changedMark },
    });
    expect([summary, unchangedCount]).toEqual([{ add: 1, change: 0, destroy: 1 }, 251]);
  });

  it('of two states in reverse order shows the reverse', async () => {
    const { resources } = await compare(states['second'] ?? '', states['first'] ?? '');
    expect(resources.find(({ address }) => address === 'test_thing.db')).toMatchObject({ after: { port: 5432 } });
  });

  it('with a state of an earlier version shows added and removed objects, page by page', async () => {
    const page = await compare(states['old'] ?? '', states['first'] ?? '', { limit: '2' });
    expect(page).toMatchObject({ valuesCompared: false, resourceCount: 252, unchangedCount: 1 });
    expect(page.resources[0]).toMatchObject({ address: 'test_thing.gone', actions: ['delete'] });
    const next = await compare(states['old'] ?? '', states['first'] ?? '', { limit: '2', cursor: page.nextCursor });
    expect(next.resources).toHaveLength(2);
  });

  it('hides an Output in every generation before the one that made it sensitive', async () => {
    const owner = await seedCapsule(server);
    const seed = (generation: number, more: object) =>
      seedRealState(server, owner, {
        generation,
        text: stateText([{ name: 'a' }], { outputs: { token: { value: `${canary}-${generation}`, ...more } } }),
      });
    const [first, second] = [await seed(1, { type: 'string' }), await seed(2, { type: 'string', sensitive: true })];
    await server.restart();
    await vi.waitFor(async () => expect((await list(second)).projection.status).toBe('ready'), { timeout: 20_000 });
    expect((await compare(first, second)).outputs).toMatchObject([
      { name: 'token', before: mark, after: changedMark, sensitive: true },
    ]);
  });

  it('has the Outputs on its first page only', async () => {
    const owner = await seedCapsule(server);
    const seed = (generation: number, names: string[]) =>
      seedRealState(server, owner, {
        generation,
        text: stateText(
          names.map((name) => ({ name })),
          { outputs: { size: { value: generation, type: 'number' } } },
        ),
      });
    const [first, second] = [await seed(1, ['a']), await seed(2, ['b', 'c'])];
    await server.restart();
    await vi.waitFor(async () => expect((await list(second)).projection.status).toBe('ready'), { timeout: 20_000 });
    const page = await compare(first, second, { limit: '1' });
    expect(page.outputs).toMatchObject([{ name: 'size', before: 1, after: 2 }]);
    const next = await compare(first, second, { limit: '1', cursor: page.nextCursor });
    expect([next.resources.length, next.outputs]).toEqual([1, []]);
  });

  it('with a state of another Capsule is not found', async () => {
    const other = seedState(server, await seedCapsule(server), { generation: 1 });
    await expect(compare(states['first'] ?? '', other)).rejects.toMatchObject({ status: 404 });
  });
});

describe('the history of a resource', () => {
  it('names each change with its Run, commit and account, newest first', async () => {
    const { entries, knownFrom } = await history('test_thing.db');
    expect(knownFrom).toBe(2);
    expect(entries.map(({ generation, change }) => [generation, change])).toEqual([
      [3, 'replaced'],
      [2, 'changed'],
    ]);
    expect(entries[0]).toMatchObject({
      stateVersionId: states['second'],
      ref: 'main',
      resolvedCommit: 'c'.repeat(40),
      createdBy: server.subject,
    });
    expect((await history('test_thing.gone')).entries.map(({ change }) => change)).toEqual(['deleted']);
    expect((await history('test_thing.never')).entries).toEqual([]);
  });

  it('follows moves in both directions, page by page', async () => {
    const moved = await seedCapsule(server);
    const seed = (generation: number, name: string, size: number, planned: object[] = []) =>
      seedRealState(server, moved, {
        generation,
        text: stateText([
          { name, attributes: { id: '1', size, token: canary }, sensitive: name === 'c' ? [['token']] : [] },
        ]),
        planned,
      });
    const first = await seed(1, 'a', 1);
    await seed(2, 'a', 2);
    const move = (from: string, to: string) => [
      { address: `test_thing.${to}`, previousAddress: `test_thing.${from}`, actions: ['no-op'] },
    ];
    await seed(3, 'b', 2, move('a', 'b'));
    const last = await seed(4, 'c', 3, move('b', 'c'));
    await server.restart();
    await vi.waitFor(async () => expect((await list(last)).projection.status).toBe('ready'), { timeout: 20_000 });
    const of = async (address: string, query: object = {}) =>
      (await server.api.listResourceHistory({ params: { capsuleId: moved.id }, query: { address, ...query } })).body;
    const whole = [
      [4, 'moved', 'test_thing.c', 'test_thing.b'],
      [3, 'moved', 'test_thing.b', 'test_thing.a'],
      [2, 'changed', 'test_thing.a', undefined],
      [1, 'created', 'test_thing.a', undefined],
    ];
    const rows = ({ entries }: Awaited<ReturnType<typeof of>>) =>
      entries.map(({ generation, change, address, previousAddress }) => [generation, change, address, previousAddress]);
    for (const name of ['a', 'b', 'c']) expect(rows(await of(`test_thing.${name}`))).toEqual(whole);
    const pages = [await of('test_thing.c', { limit: '1' })];
    while (pages.at(-1)?.nextCursor)
      pages.push(await of('test_thing.c', { limit: '1', cursor: pages.at(-1)?.nextCursor }));
    expect(pages.flatMap(rows)).toEqual(whole);
    // Marked in generation 4 only, under another address.
    expect((await list(first)).resources[0]?.attributes).toEqual({ id: '1', size: 1, token: mark });
    const { resources } = await compare(first, last);
    expect(resources).toMatchObject([
      { actions: ['update'], address: 'test_thing.c', previousAddress: 'test_thing.a', after: { token: mark } },
    ]);
  });
});

it('answers 403 to an outsider and keeps canaries out of every byte that is not sealed', async () => {
  const neighbour = await asNeighbour(server);
  const params = { stateVersionId: states['first'] ?? '' };
  await expect(neighbour.api.listStateResources({ params })).rejects.toMatchObject({ status: 403 });
  server.ledger((db) => db.emptyLog());
  for (const name of fs.readdirSync(server.dataDir).filter((file) => file.startsWith('ledger.db'))) {
    const bytes = fs.readFileSync(path.join(server.dataDir, name));
    for (const text of [canary, Buffer.from(canary).toString('base64').slice(0, 20), 'test_thing.db'])
      expect([name, text, text.startsWith('test') ? false : bytes.includes(text)]).toEqual([name, text, false]);
  }
});
