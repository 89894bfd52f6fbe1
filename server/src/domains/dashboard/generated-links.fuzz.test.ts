import { expect, test } from 'vitest';
import { installLinkReasons } from '#shared/errors';
import { readInstallLink, writeInstallLink } from '#shared/sources/install-link';
import { depth } from '../../../../e2e/fixtures/depth.ts';
import { createRandom } from '../../../../e2e/fixtures/random.ts';
import { makeQuery } from '../../../test/generated-links.ts';
import { startTestServer } from '../../../test/harness.ts';

const rounds = depth({ quick: { parsed: 5_000, requested: 200 }, deep: { parsed: 200_000, requested: 5_000 } });

test('a query is a link that stays the same when it is written again, or is refused and stores nothing', () => {
  const random = createRandom();
  const seedText = `seed ${random.seed}`;
  const seen = { link: 0, refused: 0, empty: 0 };
  for (let round = 0; round < rounds.parsed; round += 1) {
    const search = makeQuery(random);
    const read = readInstallLink(search);
    seen[read.kind] += 1;
    if (read.kind === 'refused') {
      expect(Object.keys(read).sort(), seedText).toEqual(['kind', 'refusal']);
      expect(installLinkReasons, seedText).toContain(read.refusal.reason);
      expect(read.refusal.field ?? 'none', seedText).toMatch(/^[\w.-]{1,64}$/);
    }
    if (read.kind !== 'link') continue;
    const canonical = writeInstallLink(read.link);
    expect(readInstallLink(canonical), `${seedText}: ${search}`).toEqual(read);
    expect(canonical, seedText).toMatch(/^(?:kind=capsule-source-options&)?git=https%3A%2F%2F/);
    // Every part of the link came from the query and is visible.
    for (const value of Object.values(read.link)) expect(String(value), seedText).not.toMatch(/^\s|\s$|\p{Cc}/u);
  }
  expect(Math.min(seen.link, seen.refused), seedText).toBeGreaterThan(rounds.parsed / 20);
}, 120_000);

test('one invalid field refuses a valid link, at any position', () => {
  const good = [
    'git=https://example.com/r',
    'ref=v1',
    'sourcePath=infra',
    'path=net',
    'name=x',
    'product=a',
    'return_uri=a://b',
  ];
  expect(readInstallLink(good.join('&')).kind).toBe('link');
  const wrong = [
    'x=1',
    'var.a=1',
    'ref=v1',
    'git=https://example.com/r',
    'source=git::https://h/r',
    '=',
    '%=1',
    'kind=x',
  ];
  for (const field of wrong) {
    for (let index = 0; index <= good.length; index += 1) {
      const search = [...good.slice(0, index), field, ...good.slice(index)].join('&');
      expect(readInstallLink(search).kind, search).toBe('refused');
    }
  }
});

test('the server and the parser accept and refuse the same links', async () => {
  const random = createRandom();
  const server = await startTestServer();
  try {
    for (let round = 0; round < rounds.requested; round += 1) {
      // Other bytes never reach a server: clients escape them.
      const search = makeQuery(random).replace(/[^!-"$-~]/gu, encodeURIComponent);
      const read = readInstallLink(search);
      const { status, headers } = await server.raw({ path: `/install?${search}` });
      expect([search, status], `seed ${random.seed}`).toEqual([search, read.kind === 'refused' ? 400 : 302]);
      if (read.kind === 'link') expect(headers.location).toBe(`/new?${writeInstallLink(read.link)}`);
    }
  } finally {
    await server.close();
  }
}, 120_000);
