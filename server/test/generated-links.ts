import type { Random } from '../../e2e/fixtures/random.ts';

/**
 * Values that are good, nearly good or hostile, for every field alike; the parser decides which of them is valid where.
 */
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

/** Encodings of a value in a query, as people, libraries and attackers write it. */
function write(random: Random, text: string): string {
  const ways = [encodeURIComponent, encodeURI, (plain: string) => plain, (plain: string) => plain.replaceAll(' ', '+')];
  const written = pick(random, ways)(text);
  return random.below(20) === 0
    ? `${written}${pick(random, ['%', '%zz', '%C3', '%ff', '%00', '&', '=', '#'])}`
    : written;
}

/** A query as any client may send it: good, nearly good or hostile. */
export function makeQuery(random: Random): string {
  const isLikely = random.below(3) > 0;
  const parts = isLikely ? [`git=${write(random, pick(random, values.slice(0, 5)))}`] : [];
  for (let count = random.below(5); count > 0; count -= 1) {
    const name = random.below(12) === 0 ? pick(random, odd) : pick(random, names);
    parts.push(`${write(random, name)}=${write(random, pick(random, values))}`);
  }
  return parts.sort(() => random.below(3) - 1).join('&');
}
