import { describe, expect, it, test } from 'vitest';
import { readInstallLink, writeInstallLink } from './install-link.ts';
import { readSourceOptions } from './source-options.ts';

type Change = (document: Document) => unknown;
type Document = {
  apiVersion: string;
  kind: string;
  metadata: { name: string; title: string; description?: string };
  options: { id: string; title: string; description?: string; source: { url: string; ref?: string; path: string } }[];
};

const option = (id = 'small') => ({
  id,
  title: 'Small',
  source: { url: 'https://example.com/r', ref: 'v1', path: 'infra' },
});
const whole = (): Document => ({
  apiVersion: 'install.svc/v1alpha1',
  kind: 'CapsuleSourceOptions',
  metadata: { name: 'notes', title: 'Notes' },
  options: [option()],
});
const read = (change: Change = () => undefined) => {
  const document = whole();
  change(document);
  return readSourceOptions(JSON.stringify(document));
};
const formatProblems = (result: ReturnType<typeof readSourceOptions>) =>
  result.ok ? 'ok' : result.problems.map(({ pointer, code }) => `${code} ${pointer}`).join(', ');
/** Sets the value at a pointer, of the first option where the pointer starts there. */
const set = (pointer: string, value: unknown): [string, Change] => [
  `${pointer} = ${JSON.stringify(value)?.slice(0, 40)}`,
  (document) => {
    const keys = pointer.split('/').slice(1);
    const last = keys.pop() ?? '';
    const holder = keys.reduce((at, key) => (at as Record<string, unknown>)[key], document as unknown);
    (holder as Record<string, unknown>)[last] = value;
  },
];

describe('a source-options document is taken with', () => {
  test.each([
    set('/metadata/name', '0'),
    set('/metadata/name', `a${'b'.repeat(94)}-`),
    set('/metadata/title', 't'.repeat(160)),
    set('/metadata/title', '😀'.repeat(160)),
    set('/metadata/title', '日本語\nと改行'),
    set('/metadata/description', 'd'.repeat(2_000)),
    set('/options/0/id', 'a.b_c-d'),
    set('/options/0/title', 'x'),
    set('/options/0/description', '😀'.repeat(2_000)),
    set('/options/0/source/url', 'https://example.com/a/b.git'),
    set('/options/0/source/ref', undefined),
    set('/options/0/source/ref', 'a'.repeat(64)),
    set('/options/0/source/path', '.'),
    set('/options/0/source/path', 'p'.repeat(1_024)),
    set(
      '/options',
      Array.from({ length: 32 }, (_, index) => option(`o${index}`)),
    ),
  ])('%s', (_, change) => {
    expect(formatProblems(read(change))).toBe('ok');
  });
});

describe('a source-options document is refused with', () => {
  test.each<[string, Change, string]>([
    [...set('/apiVersion', 'install.svc/v1'), 'value_invalid /apiVersion'],
    [...set('/apiVersion', undefined), 'field_missing /apiVersion'],
    [...set('/kind', 'capsuleSourceOptions'), 'value_invalid /kind'],
    [...set('/$schema', 'x'), 'field_unknown /*'],
    [...set('/provider', {}), 'field_unknown /provider'],
    [...set('/metadata', undefined), 'field_missing /metadata'],
    [...set('/metadata', []), 'type_invalid /metadata'],
    [...set('/metadata/region', 'eu'), 'field_unknown /metadata/region'],
    [...set('/metadata/name', ''), 'text_invalid /metadata/name'],
    [...set('/metadata/name', 'Notes'), 'text_invalid /metadata/name'],
    [...set('/metadata/name', '-a'), 'text_invalid /metadata/name'],
    [...set('/metadata/name', 'a'.repeat(97)), 'text_invalid /metadata/name'],
    [...set('/metadata/title', ''), 'text_invalid /metadata/title'],
    [...set('/metadata/title', 't'.repeat(161)), 'text_invalid /metadata/title'],
    [...set('/metadata/title', 3), 'type_invalid /metadata/title'],
    [...set('/metadata/title', 'password=hunter22'), 'secret_like_value /metadata/title'],
    [...set('/metadata/description', ''), 'text_invalid /metadata/description'],
    [...set('/metadata/description', null), 'type_invalid /metadata/description'],
    [...set('/metadata/description', 'd'.repeat(2_001)), 'text_invalid /metadata/description'],
    [...set('/options', []), 'count_out_of_range /options'],
    [...set('/options', {}), 'type_invalid /options'],
    [
      ...set(
        '/options',
        Array.from({ length: 33 }, (_, index) => option(`o${index}`)),
      ),
      'count_out_of_range /options',
    ],
    [...set('/options/1', option()), 'not_unique /options/1/id'],
    [...set('/options/0/id', 'A'), 'text_invalid /options/0/id'],
    [...set('/options/0/title', undefined), 'field_missing /options/0/title'],
    [...set('/options/0/pricing', 1), 'field_unknown /options/0/pricing'],
    [...set('/options/0/ghp_0123456789', 1), 'field_unknown /options/0/*'],
    [...set('/options/0/source', undefined), 'field_missing /options/0/source'],
    [...set('/options/0/source/token', 'x'), 'field_unknown /options/0/source/token'],
    [...set('/options/0/source/url', 'http://example.com/r'), 'value_invalid /options/0/source/url'],
    [...set('/options/0/source/url', 'HTTPS://example.com/r'), 'value_invalid /options/0/source/url'],
    [...set('/options/0/source/url', 'git@example.com:r'), 'value_invalid /options/0/source/url'],
    [...set('/options/0/source/url', 'https://u:p@example.com/r'), 'secret_like_value /options/0/source/url'],
    [...set('/options/0/source/url', 'https://169.254.169.254/r'), 'value_invalid /options/0/source/url'],
    [
      ...set('/options/0/source/url', 'svc-copy:copy_01M7Z83NVFG2M6CEC4RENWJDTJ'),
      'value_invalid /options/0/source/url',
    ],
    [...set('/options/0/source/url', 'https://example.com/r?ref=v1'), 'value_invalid /options/0/source/url'],
    [...set('/options/0/source/url', 'https://example.com/r//m'), 'value_invalid /options/0/source/url'],
    [...set('/options/0/source/ref', ''), 'value_invalid /options/0/source/ref'],
    [...set('/options/0/source/ref', 'a..b'), 'value_invalid /options/0/source/ref'],
    [...set('/options/0/source/path', undefined), 'field_missing /options/0/source/path'],
    [...set('/options/0/source/path', '../a'), 'path_invalid /options/0/source/path'],
    [...set('/options/0/source/path', '/a'), 'path_invalid /options/0/source/path'],
    [...set('/options/0/source/path', ''), 'path_invalid /options/0/source/path'],
  ])('%s', (_, change, problem) => {
    expect(formatProblems(read(change))).toBe(problem);
  });

  it('text that is not JSON, has a duplicate key, begins with a byte order mark or is not an object', () => {
    const good = JSON.stringify(whole());
    for (const text of ['', '{', `\ufeff${good}`, `${good}x`, good.replace('{', '{"kind":"x",'), '{"__proto__":1}'])
      expect(formatProblems(readSourceOptions(text))).toBe('json_invalid ');
    for (const text of ['[]', 'null', '"x"']) expect(formatProblems(readSourceOptions(text))).toBe('type_invalid ');
  });

  it('many mistakes, of which the first twenty are reported', () => {
    const result = read(({ options }) => {
      options.splice(0, 1, ...Array.from({ length: 32 }, () => ({ ...option(), id: 'X', more: 1 })));
    });
    expect(result.ok ? [] : result.problems).toHaveLength(20);
  });
});

test('every option can be converted to an install link', () => {
  const result = read(({ options }) => {
    options.push({ ...option('b'), source: { url: 'https://例え.jp/r/', path: 'a b' } });
  });
  const links = (result.ok ? result.document.options : []).map(({ source: { url, ref, path } }) =>
    writeInstallLink({ kind: 'module', git: url, sourcePath: path, ...(ref !== undefined && { ref }) }),
  );
  expect(links.map((link) => readInstallLink(link).kind)).toEqual(['link', 'link']);
});
