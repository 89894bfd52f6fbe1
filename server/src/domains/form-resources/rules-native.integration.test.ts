import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formHostLimits } from '#shared/limits';
import {
  changing,
  creating,
  type FormHostFixture,
  nativeDirOf,
  resourceIn,
  startFormHost,
  statusOf,
} from '../../../test/form-host.ts';
import { errorOf, refusalOf } from '../../../test/form-rules.ts';

let f: FormHostFixture;
let outside: string;
beforeAll(async () => {
  f = await startFormHost();
  outside = path.join(f.dataDir, 'outside');
  fs.mkdirSync(outside);
  await f.apply({ name: 'first' });
});
afterAll(() => f.server.close());

const folder = () => nativeDirOf(f.dataDir);
const fileOf = (nativeId: string) => path.join(folder(), `${nativeId}.json`);
const unavailable = [503, 'backend_unavailable', undefined, true];
/** The names that a refused import could have written, and the content of a file that it could have replaced. */
const others = () => [
  ...[path.dirname(folder()), folder(), outside].map((each) => fs.readdirSync(each).sort()),
  fs.readFileSync(path.join(f.dataDir, 'operator-token'), 'utf8'),
];

describe('the name of a native object', () => {
  it.each([
    '..',
    '.',
    '../first',
    '../../operator-token',
    '/etc/passwd',
    'a/b',
    'a\\b',
    'a%2fb',
    '.hidden',
    '-dash',
    'with space',
    'nul\u0000byte',
    'größe',
    '',
    'a'.repeat(129),
    'con:',
    'a\n',
  ])('%j is refused with 400', async (nativeId) => {
    const before = others();
    const answer = await f.import(nativeId, { name: 'odd-name' });
    expect([...refusalOf(answer), errorOf(answer).message]).toEqual([
      400,
      'invalid_argument',
      'invalid_request',
      false,
      expect.stringMatching(/\.$/),
    ]);
    expect(others()).toEqual(before);
  });

  it.each(['con', 'NUL', 'a.', 'a..b', 'native', 'package-0', 'a'.repeat(128)])(
    '%j names nothing yet: 404',
    async (id) => {
      expect(refusalOf(await f.import(id, { name: 'odd-name' }))).toEqual([
        404,
        'resource_not_found',
        undefined,
        false,
      ]);
    },
  );

  it('may have 128 characters, and be that of a Resource only once, whatever its case', async () => {
    const long = `N${'a'.repeat(127)}`;
    fs.writeFileSync(fileOf(long), '{"spec":{"size":2}}');
    expect((await f.import(long, { name: 'long' })).status).toBe(200);
    fs.writeFileSync(fileOf(long.toLowerCase()), '{"spec":{"size":2}}');
    const other = await f.import(long.toLowerCase(), { name: 'long-again' });
    expect(refusalOf(other)).toEqual([409, 'import_conflict', undefined, false]);
    fs.rmSync(fileOf(long.toLowerCase()), { force: true });
  });
});

describe('in place of a file', () => {
  const places: [string, (file: string) => void][] = [
    ['a link to another file', (file) => fs.symlinkSync(path.join(outside, 'target.json'), file)],
    ['a link to nothing', (file) => fs.symlinkSync(path.join(outside, 'nothing.json'), file)],
    ['a folder', (file) => fs.mkdirSync(file)],
    ['a pipe', (file) => execFileSync('mkfifo', [file])],
    ['a list', (file) => fs.writeFileSync(file, '[]')],
    ['half a file', (file) => fs.writeFileSync(file, '{"spec":{"size"')],
    [
      'a file that is too large',
      (file) => fs.writeFileSync(file, `{"spec":{"a":"${'x'.repeat(formHostLimits.nativeBytes)}"}}`),
    ],
    ['a file with the key __proto__', (file) => fs.writeFileSync(file, '{"spec":{"__proto__":{"a":1}}}')],
    ['bytes that are not UTF-8', (file) => fs.writeFileSync(file, Buffer.from([0x7b, 0xff]))],
    ['an owner of another form', (file) => fs.writeFileSync(file, '{"spec":{},"owner":{"workspaceId":"x"}}')],
  ];

  it.each(places)('%s cannot be imported', async (_, place) => {
    fs.writeFileSync(path.join(outside, 'target.json'), '{"spec":{"size":1}}');
    place(fileOf('placed'));
    try {
      expect(refusalOf(await f.import('placed', { name: 'placed' }))).toEqual(unavailable);
      expect(statusOf(await f.read('placed'))).toEqual([404, 'resource_not_found']);
    } finally {
      fs.rmSync(fileOf('placed'), { recursive: true, force: true });
    }
  });

  it.each(places)(
    '%s of a Resource is 503 for all but a delete, which leaves the target alone',
    async (what, place) => {
      const target = path.join(outside, 'target.json');
      fs.writeFileSync(target, '{"spec":{"size":1}}');
      const name = `of-${places.findIndex(([one]) => one === what)}`;
      const id = resourceIn(await f.apply({ name })).status?.output.id;
      const nativeId = f.server.ledger(({ sqlite }) =>
        sqlite.prepare('SELECT native_id FROM form_resources WHERE id = ?').pluck().get(id),
      ) as string;
      fs.rmSync(fileOf(nativeId));
      place(fileOf(nativeId));
      for (const look of ['observe', 'refresh'] as const)
        expect([look, ...refusalOf(await f.look(name, look, changing(1)))]).toEqual([look, ...unavailable]);
      expect(refusalOf(await f.preview(f.desired({ name, spec: { size: 3 } }), changing(1)))).toEqual(unavailable);
      expect((await f.read(name)).status).toBe(200);
      const removed = await f.remove(name, changing(1));
      if (what === 'a folder') {
        expect(refusalOf(removed)).toEqual(unavailable);
        fs.rmdirSync(fileOf(nativeId));
        expect((await f.remove(name, changing(1))).status).toBe(204);
      } else expect(removed.status).toBe(204);
      expect(fs.readFileSync(target, 'utf8')).toBe('{"spec":{"size":1}}');
      expect(fs.readdirSync(outside)).toEqual(['target.json']);
      expect(fs.existsSync(fileOf(nativeId))).toBe(false);
    },
  );
});

it('a file that is replaced while requests read it is seen as one of its states', async () => {
  const states = ['{"spec":{"size":1}}', '{"spec":{"size":2}}'];
  const id = resourceIn(await f.apply({ name: 'replaced' })).status?.output.id;
  const nativeId = f.server.ledger(({ sqlite }) =>
    sqlite.prepare('SELECT native_id FROM form_resources WHERE id = ?').pluck().get(id),
  ) as string;
  for (let round = 0; round < 20; round += 1) {
    fs.writeFileSync(path.join(outside, 'next.json'), states[round % 2] ?? '');
    const observed = f.look('replaced', 'observe', changing(1));
    fs.renameSync(path.join(outside, 'next.json'), fileOf(nativeId));
    expect([[], ['/size']]).toContainEqual(resourceIn(await observed).status?.observed.driftedFields);
  }
});

describe('a folder of native objects that is', () => {
  const away = () => `${folder()}-away`;
  it.each([
    ['a link', () => fs.symlinkSync(outside, folder())],
    ['a file', () => fs.writeFileSync(folder(), 'x')],
  ])('%s is 503, and nothing is written elsewhere', async (_, place) => {
    const before = fs.readdirSync(outside);
    fs.renameSync(folder(), away());
    place();
    try {
      expect(refusalOf(await f.apply({ name: 'elsewhere' }))).toEqual(unavailable);
      expect(refusalOf(await f.preview(f.desired({ name: 'first', spec: { size: 2 } }), changing(1)))).toEqual(
        unavailable,
      );
      expect(refusalOf(await f.look('first', 'observe', changing(1)))).toEqual(unavailable);
      expect(refusalOf(await f.remove('first', changing(1)))).toEqual(unavailable);
      expect(fs.readdirSync(outside)).toEqual(before);
    } finally {
      fs.rmSync(folder());
      fs.renameSync(away(), folder());
    }
    expect((await f.look('first', 'observe', changing(1))).status).toBe(200);
    expect(statusOf(await f.read('elsewhere'))).toEqual([404, 'resource_not_found']);
  });

  it('gone lets a Resource be deleted, and is made again by an apply', async () => {
    await f.apply({ name: 'left' });
    fs.rmSync(folder(), { recursive: true });
    expect((await f.remove('left', changing(1))).status).toBe(204);
    expect((await f.apply({ name: 'made-again' }, creating())).status).toBe(200);
    expect(fs.readdirSync(folder()).length).toBe(1);
  });
});
