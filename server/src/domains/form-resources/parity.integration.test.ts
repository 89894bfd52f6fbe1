import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { FormResource } from '#shared/form-resources/contract';
import { createRandom } from '../../../../e2e/fixtures/random.ts';
import {
  changing,
  creating,
  type FormHostFixture,
  nativeDirOf,
  resourceIn,
  startFormHost,
} from '../../../test/form-host.ts';
import { bucketInterface, formPackage } from '../../../test/form-package.ts';
import type { RawAnswer } from '../../../test/harness.ts';

let f: FormHostFixture;
beforeAll(async () => {
  f = await startFormHost({ packages: [formPackage({ interfaces: [bucketInterface] })] });
});
afterAll(() => f.server.close());

const operations = 200;
const random = createRandom();
const names = { exact: 'exact', legacy: 'legacy' };
type Side = keyof typeof names;

/** The form host protocol and the compatibility routes, with one call for each operation. */
const sides = {
  exact: (operation: string, { spec, version }: { spec: object; version: string | undefined }): Promise<RawAnswer> => {
    const [name, headers] = [names.exact, version === undefined ? creating() : changing(version)];
    if (operation === 'apply') return f.apply({ name, spec }, headers);
    if (operation === 'import') return f.import(`free-${name}`, { name, spec }, headers);
    if (operation === 'read') return f.read(name);
    if (operation === 'delete') return f.remove(name, headers);
    return f.look(name, operation as 'observe' | 'refresh', headers);
  },
  legacy: (operation: string, { spec }: { spec: object }): Promise<RawAnswer> => {
    const name = names.legacy;
    const at = (tail = '') => `/resources/Bucket/${name}${tail}?space=${f.server.workspaceId}`;
    const body = { kind: 'Bucket', metadata: { name }, spec };
    if (operation === 'apply') return f.legacy('PUT', at(), body);
    if (operation === 'import') return f.legacy('POST', at('/import'), { ...body, nativeId: `free-${name}` });
    if (operation === 'read') return f.legacy('GET', at());
    if (operation === 'delete') return f.legacy('DELETE', at());
    return f.legacy('POST', at(`/${operation}`));
  },
};

/** Returns the content of an answer without the ids, the names and the wrapping that differ between the two. */
function comparable(side: Side, answer: RawAnswer): unknown {
  if (answer.status === 204) return [204];
  if (answer.status !== 200) return [answer.status, (answer.json as { error: { code: string } }).error.code];
  const resource = resourceIn(answer) as FormResource;
  const id = resource.status?.output.id ?? '';
  return [
    200,
    answer.headers.etag,
    JSON.parse(JSON.stringify(resource).replaceAll(id, 'ID').replaceAll(`"${names[side]}"`, '"NAME"')),
  ];
}

const fileOf = (side: Side): string | undefined => {
  const nativeId = f.server.ledger(({ sqlite }) =>
    sqlite.prepare('SELECT native_id FROM form_resources WHERE name = ?').pluck().get(names[side]),
  ) as string | undefined;
  return nativeId === undefined ? undefined : path.join(nativeDirOf(f.dataDir), `${nativeId}.json`);
};

/** Changes both native objects as another program would. */
function drift(kind: number, size: number): void {
  for (const side of Object.keys(names) as Side[]) {
    const file = fileOf(side);
    if (file === undefined) continue;
    if (kind === 0) fs.rmSync(file, { force: true });
    else if (fs.existsSync(file))
      fs.writeFileSync(
        file,
        JSON.stringify({ ...JSON.parse(fs.readFileSync(file, 'utf8')), spec: { size, endpoint: 'drifted' } }),
      );
  }
}

const interfacesOf = async (side: Side) => {
  const id = f.server.ledger(({ sqlite }) =>
    sqlite.prepare('SELECT id FROM form_resources WHERE name = ?').pluck().get(names[side]),
  ) as string | undefined;
  if (id === undefined) return [];
  const query = { workspaceId: f.server.workspaceId, ownerKind: 'Resource' as const, ownerId: id };
  const { interfaces } = (await f.server.api.listInterfaces({ query })).body;
  return interfaces.map(({ name, status: { phase, resolvedInputs } }) => [
    name.replace(names[side], 'NAME'),
    phase,
    resolvedInputs,
  ]);
};

const eventsOf = async () =>
  f.server.ledger(({ sqlite }) => {
    const ofName = "SELECT action FROM audit_events WHERE target_type = 'resource' AND metadata LIKE ? ORDER BY seq";
    return (Object.keys(names) as Side[]).map((side) => sqlite.prepare(ofName).pluck().all(`%"${names[side]}"%`));
  });

const kinds = ['apply', 'apply', 'apply', 'read', 'observe', 'refresh', 'delete', 'import', 'drift', 'invalid'];

/** The first operations of every sequence, so that each outcome occurs. */
const firstKinds = ['read', 'import', 'observe', 'refresh', 'delete', 'apply'];

/** Chooses an operation and its desired state, and what happens to the native objects before it. */
function nextOperation(step: number, isPresent: boolean): { operation: string; spec: object } {
  const kind = firstKinds[step] ?? kinds[random.below(kinds.length)] ?? 'read';
  const size = 1 + random.below(4);
  if (kind === 'drift') {
    drift(random.below(3), size);
    return { operation: 'observe', spec: {} };
  }
  const isImport = kind === 'import' || kind === 'invalid';
  // The protocol names the conflict of an import by its precondition, the compatibility routes by the import.
  if (isImport && isPresent) return { operation: 'read', spec: {} };
  if (isImport) writeFree();
  if (kind === 'invalid') return { operation: 'import', spec: { size: 'wrong' } };
  return { operation: kind, spec: { size, ...(random.below(2) === 0 && { endpoint: `https://${size}.example` }) } };
}

async function runBoth(step: number): Promise<string> {
  const current = (await f.read(names.exact)).headers.etag?.replaceAll('"', '');
  const { operation, spec } = nextOperation(step, current !== undefined);
  const version = current ?? (operation === 'apply' || operation === 'import' ? undefined : '1');
  const [exact, legacy] = await Promise.all([
    sides.exact(operation, { spec, version }),
    sides.legacy(operation, { spec }),
  ]);
  const message = `step ${step}: ${operation} ${JSON.stringify(spec)}`;
  expect(comparable('legacy', legacy), message).toEqual(comparable('exact', exact));
  expect(await interfacesOf('legacy'), message).toEqual(await interfacesOf('exact'));
  return `${operation} ${exact.status}`;
}

it(`${operations} operations through the two APIs leave two equal Resources (seed ${random.seed})`, {
  timeout: 120_000,
}, async () => {
  const outcomes = new Set<string>();
  for (let step = 0; step < operations; step += 1) outcomes.add(await runBoth(step));
  const [exactEvents, legacyEvents] = await eventsOf();
  expect(legacyEvents).toEqual(exactEvents);
  expect(exactEvents?.length).toBeGreaterThan(operations / 4);
  for (const operation of ['apply 200', 'delete 204', 'import 200', 'observe 200', 'refresh 200', 'read 404'])
    expect([...outcomes]).toContain(operation);
});

/** Writes two native objects without an owner. */
const writeFree = (): void => {
  fs.mkdirSync(nativeDirOf(f.dataDir), { recursive: true });
  for (const name of Object.values(names))
    fs.writeFileSync(path.join(nativeDirOf(f.dataDir), `free-${name}.json`), '{"spec":{"size":1,"endpoint":"found"}}');
};
