import { expect, test } from 'vitest';
import { installLinkReasons } from '#shared/errors';
import { readInstallLink, writeInstallLink } from '#shared/sources/install-link';
import { createRandom, type Random } from '../../../e2e/fixtures/random.ts';

/** Values that are good, nearly good or hostile, for every field alike: which of them belongs where is for the parser to say. */
const values = [
  ...[
    'https://example.com/r',
    'https://例え.jp/r/',
    'https://a.example:443/x/../y',
    'https://127.0.0.1/r',
    'https://[::1]/r',
  ],
  ...[
    'http://example.com/r',
    'https://u@h.example/r',
    'https://h.example/r?a=1',
    'https://h.example/a//b',
    'https:///h/r',
  ],
  ...[
    'git::https://h.example/r',
    'git::https://h.example/r//m?ref=v1',
    'git::https://h.example/r//a%2fb',
    'git::https://h//m',
  ],
  ...[
    'main',
    'v1.0+x',
    'feature/x',
    'a..b',
    '-x',
    'HEAD',
    'f'.repeat(40),
    '.',
    'infra',
    'a/b',
    '../a',
    'C:a',
    'a b',
    'o.json',
  ],
  ...['My service', 'ü', '\u202eevil', '😀', ' x', 'x\u0000', '', '%', '%zz', 'capsule-source-options', 'other'],
  ...['notes', 'Notes', 'a:b', 'notes://done', 'https://app.example/done', 'javascript://x', 'https://app.example/#'],
];
const names = ['git', 'source', 'ref', 'sourcePath', 'path', 'name', 'product', 'return_uri', 'kind'];
const odd = ['', 'var.x', 'varjson.x', 'url', 'GIT', '__proto__', 'constructor', 'git ', 'ref[]'];

const pick = <T>(random: Random, items: readonly T[]): T => items[random.below(items.length)] as T;

/** As people, libraries and attackers write a value in a query. */
function write(random: Random, text: string): string {
  const ways = [encodeURIComponent, encodeURI, (plain: string) => plain, (plain: string) => plain.replaceAll(' ', '+')];
  const written = pick(random, ways)(text);
  return random.below(20) === 0
    ? `${written}${pick(random, ['%', '%zz', '%C3', '%ff', '%00', '&', '=', '#'])}`
    : written;
}

function makeQuery(random: Random): string {
  const isLikely = random.below(3) > 0;
  const parts = isLikely ? [`git=${write(random, pick(random, values.slice(0, 5)))}`] : [];
  for (let count = random.below(5); count > 0; count -= 1) {
    const name = random.below(12) === 0 ? pick(random, odd) : pick(random, names);
    parts.push(`${write(random, name)}=${write(random, pick(random, values))}`);
  }
  return parts.sort(() => random.below(3) - 1).join('&');
}

test('a query is a link that says the same when it is written again, or is refused and leaves nothing behind', () => {
  const random = createRandom();
  const told = `seed ${random.seed}`;
  const seen = { link: 0, refused: 0, empty: 0 };
  for (let round = 0; round < 20_000; round += 1) {
    const search = makeQuery(random);
    const read = readInstallLink(search);
    seen[read.kind] += 1;
    if (read.kind === 'refused') {
      expect(Object.keys(read).sort(), told).toEqual(['kind', 'refusal']);
      expect(installLinkReasons, told).toContain(read.refusal.reason);
      expect(read.refusal.field ?? 'none', told).toMatch(/^[\w.-]{1,64}$/);
    }
    if (read.kind !== 'link') continue;
    const canonical = writeInstallLink(read.link);
    expect(readInstallLink(canonical), `${told}: ${search}`).toEqual(read);
    expect(canonical, told).toMatch(/^(?:kind=capsule-source-options&)?git=https%3A%2F%2F/);
    // What stands in the link came from the query and has no hidden part.
    for (const value of Object.values(read.link)) expect(String(value), told).not.toMatch(/^\s|\s$|\p{Cc}/u);
  }
  expect(Math.min(seen.link, seen.refused), told).toBeGreaterThan(1_000);
});

test('one wrong field refuses a good link, wherever it stands', () => {
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
    for (let place = 0; place <= good.length; place += 1) {
      const search = [...good.slice(0, place), field, ...good.slice(place)].join('&');
      expect(readInstallLink(search).kind, search).toBe('refused');
    }
  }
});
