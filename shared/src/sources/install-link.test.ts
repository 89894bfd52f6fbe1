import { describe, expect, it, test } from 'vitest';
import type { InstallLinkReason } from '../errors.ts';
import { type InstallLink, readInstallLink, writeInstallLink } from './install-link.ts';

const git = 'https://example.com/team/modules';
const module_ = (more: object = {}) => ({ kind: 'module', git, sourcePath: '.', ...more });
const options = 'kind=capsule-source-options';
const returning = `git=${git}&product=notes&return_uri=`;
/** Encodes a value as a browser does. */
const q = encodeURIComponent;

const linkOf = (search: string): InstallLink | string => {
  const read = readInstallLink(search);
  if (read.kind === 'link') return read.link;
  return read.kind === 'empty' ? 'empty' : [read.refusal.reason, read.refusal.field].join(' ').trim();
};
const refused = (reason: InstallLinkReason, ...cases: (readonly [string, string] | string)[]) =>
  cases.map((one) => {
    const [search, field = ''] = typeof one === 'string' ? [one] : one;
    return [search, `${reason} ${field}`.trim()] as const;
  });

describe('a good link', () => {
  test.each<readonly [string, object]>([
    [`git=${git}`, module_()],
    [`?git=${q(git)}`, module_()],
    [`git=${git}/`, module_()],
    [`git=${git}.git`, module_({ git: `${git}.git` })],
    ['git=https://EXAMPLE.com:443/a/../team/modules', module_()],
    ['git=https://例え.jp/r', module_({ git: 'https://xn--r8jz45g.jp/r' })],
    ['git=https://example.com:8443/r', module_({ git: 'https://example.com:8443/r' })],
    ['git=https://127.0.0.1:8443/r', module_({ git: 'https://127.0.0.1:8443/r' })],
    [`&git=${git}&&`, module_()],
    [`git=${git}&ref=main`, module_({ ref: 'main' })],
    [`git=${git}&ref=feature/x`, module_({ ref: 'feature/x' })],
    [`git=${git}&ref=${'a'.repeat(40)}`, module_({ ref: 'a'.repeat(40) })],
    [`git=${git}&ref=v1.0%2Bbuild`, module_({ ref: 'v1.0+build' })],
    [`git=${git}&ref=${'r'.repeat(255)}`, module_({ ref: 'r'.repeat(255) })],
    [`git=${git}&sourcePath=.`, module_()],
    [`git=${git}&sourcePath=infra&path=.`, module_({ sourcePath: 'infra', path: '.' })],
    [`path=net&git=${git}&sourcePath=infra/a+b`, module_({ sourcePath: 'infra/a b', path: 'net' })],
    [`git=${git}&path=${'p'.repeat(1_024)}`, module_({ path: 'p'.repeat(1_024) })],
    [`git=${git}&name=${'n'.repeat(80)}`, module_({ name: 'n'.repeat(80) })],
    [`git=${git}&name=${q('😀'.repeat(80))}`, module_({ name: '😀'.repeat(80) })],
    [`git=${git}&name=My+service`, module_({ name: 'My service' })],
    [`source=git::${git}`, module_()],
    [`source=${q(`git::${git}?ref=v1`)}`, module_({ ref: 'v1' })],
    [`source=${q(`git::${git}//net/vpc?ref=v1`)}`, module_({ ref: 'v1', path: 'net/vpc' })],
    [`source=${q(`git::${git}//a%20b?ref=feature%2Fx`)}`, module_({ ref: 'feature/x', path: 'a b' })],
    [`source=${q(`git::${git}//.`)}&name=x`, module_({ path: '.', name: 'x' })],
    [`${options}&git=${git}&path=options.json`, { kind: 'options', git, path: 'options.json' }],
    [`${options}&git=${git}&path=a/b.json&ref=v1`, { kind: 'options', git, path: 'a/b.json', ref: 'v1' }],
  ])('%s', (search, link) => {
    expect(linkOf(search)).toEqual(link);
  });

  test.each([
    ['https://app.example/done', 'notes'],
    ['https://app.example', 'n'],
    ['https://localhost:3000/a/@me/%41', `a${'b'.repeat(63)}`],
    ['https://[2001:db8::1]/x', '0.a_b:c-d'],
    ['notes://done', 'notes'],
    ['com.example.notes://done/here', 'notes'],
    ['notes:///done', 'notes'],
    [`https://app.example/${'x'.repeat(2_028)}`, 'notes'],
  ])('may lead back to %s for %s', (uri, product) => {
    expect(linkOf(`git=${git}&return_uri=${q(uri)}&product=${q(product)}`)).toEqual(
      module_({ returnTo: { product, uri } }),
    );
  });

  it('needs a query', () => {
    expect(['', '?', '&', '?&&'].map(linkOf)).toEqual(['empty', 'empty', 'empty', 'empty']);
  });
});

describe('a link is refused as a whole', () => {
  const cases = [
    ...refused(
      'unknown_field',
      [`git=${git}&branch=main`, 'branch'],
      [`git=${git}&url=x`, 'url'],
      [`GIT=${git}`, 'GIT'],
      [`git=${git}&sourcepath=a`, 'sourcepath'],
      [`git=${git}&variable.x=1`, 'variable.x'],
      `git=${git}&ghp_0123456789abcdef=1`,
      `git=${git}&%3Cb%3E=1`,
      `git=${git}&=x`,
      [`git=${git}&__proto__=1`, '__proto__'],
      [`${options}&git=${git}&path=a.json&name=x`, 'name'],
      [`${options}&source=git::${git}&path=a.json`, 'source'],
      [`${options}&git=${git}&path=a.json&product=a&return_uri=https://b.example`, 'product'],
    ),
    ...refused(
      'duplicate_field',
      [`git=${git}&git=${git}`, 'git'],
      [`git=${git}&ref=a&ref=a`, 'ref'],
      [`git=${git}&gi%74=x`, 'git'],
      [`${options}&${options}&git=${git}&path=a.json`, 'kind'],
    ),
    ...refused(
      'variables_not_allowed',
      [`git=${git}&var.region=eu`, 'var.region'],
      [`git=${git}&varjson.tags=%7B%7D`, 'varjson.tags'],
      [`var.region=eu`, 'var.region'],
      `git=${git}&var.%E3%81%82=eu`,
      [`git=${git}&var.=`, 'var.'],
    ),
    ...refused(
      'target_missing',
      ['product=notes', 'git'],
      ['ref=main', 'git'],
      ['=x', 'git'],
      ['name=', 'git'],
      [`${options}&path=a.json`, 'git'],
      [`${options}&git=${git}`, 'path'],
    ),
    ...refused(
      'target_ambiguous',
      [`git=${git}&source=git::${git}`, 'source'],
      [`source=git::${git}&ref=a`, 'source'],
      [`source=git::${git}&path=a`, 'source'],
      [`source=git::${git}&sourcePath=.`, 'source'],
    ),
    ...refused(
      'return_pair_incomplete',
      [`git=${git}&product=notes`, 'return_uri'],
      [`git=${git}&return_uri=https://a.example`, 'product'],
      [`source=git::${git}&product=notes`, 'return_uri'],
    ),
    ...refused(
      'return_uri_forbidden',
      ...'javascript data vbscript file blob about filesystem view-source http ws wss ftp mailto'
        .split(' ')
        .flatMap((scheme) => [
          [`${returning}${scheme}://a.example/x`, 'return_uri'] as const,
          [`${returning}${scheme.toUpperCase()}:x`, 'return_uri'] as const,
        ]),
    ),
    ...refused(
      'invalid_field',
      // The address of the repository.
      ...[
        'http://example.com/r',
        'HTTPS://example.com/r',
        'https:/example.com/r',
        'https:///example.com/r',
        'https://',
        'ssh://git@example.com/r',
        'git@example.com:r',
        'file:///srv/r',
        'svc-copy:copy_01M7Z83NVFG2M6CEC4RENWJDTJ',
        'https://user@example.com/r',
        'https://u:p@example.com/r',
        q('https://example.com/r?ref=main'),
        q('https://example.com/r?'),
        q('https://example.com/r#x'),
        'https://example.com/a//b',
        q('https://example.com/a\\b'),
        'https://169.254.169.254/r',
        'https://0.0.0.0/r',
        'https://example.com/ghp_0123456789abcdef',
        `https://example.com/${'r'.repeat(2_029)}`,
        `https://example.com/${q('é'.repeat(700))}`,
        `%20${git}`,
        `${git}+`,
        `${git}%0A`,
        `${git}%EF%BB%BF`,
        '',
      ].map((value) => [`git=${value}`, 'git'] as const),
      // The packed address.
      ...[
        git,
        `git::http://example.com/r`,
        `git::ssh://git@example.com/r`,
        `GIT::${git}`,
        `git::${git}//`,
        `git::${git}//a/`,
        `git::${git}//a//b`,
        `git::${git}//../a`,
        `git::${git}//%2e%2e/a`,
        `git::${git}//a%2Fb`,
        `git::${git}//%zz`,
        `git::${git}?`,
        `git::${git}?ref=`,
        `git::${git}?ref=a&ref=b`,
        `git::${git}?ref=a&depth=1`,
        `git::${git}?depth=1`,
        `git::${git}?ref=a?b`,
        `git::${git}?ref=a#b`,
        `git::https://example.com`,
        `git::https://example.com//a`,
        `git::https://user@example.com/r`,
        `git::git::${git}`,
      ].map((value) => [`source=${q(value)}`, 'source'] as const),
      ...['', '-x', 'a b', 'a..b', 'a.lock', 'r'.repeat(256), 'x%00'].map(
        (value) => [`git=${git}&ref=${value}`, 'ref'] as const,
      ),
      ...['', '/a', 'a/', './a', '..', 'a/../b', 'a%5Cb', 'C:a', 'a%0A', '%20a', 'p'.repeat(1_025)].flatMap((value) => [
        [`git=${git}&sourcePath=${value}`, 'sourcePath'] as const,
        [`git=${git}&path=${value}`, 'path'] as const,
        [`${options}&git=${git}&path=${value}.json/..`, 'path'] as const,
      ]),
      ...['', '%20x', 'x+', 'a%09b', 'n'.repeat(81), q('😀'.repeat(81))].map(
        (value) => [`git=${git}&name=${value}`, 'name'] as const,
      ),
      ...['', 'Notes', '-a', 'a b', 'a/b', `a${'b'.repeat(64)}`].map(
        (value) => [`git=${git}&return_uri=https://a.example&product=${value}`, 'product'] as const,
      ),
      ...[
        '',
        'app.example/done',
        '//app.example',
        'HTTPS://app.example',
        'https:app.example',
        'https:/app.example',
        'https://',
        'https:///x',
        'https://user@app.example',
        'https://user:pw@app.example',
        q('https://app.example/?x=1'),
        q('https://app.example/?'),
        q('https://app.example/#x'),
        q('https://app.example/#'),
        q('https://app.example\\@evil.example'),
        q('https://app.example/a b'),
        q('https://app.example/%zz'),
        q('https://例え.jp/'),
        'https://app.example/%00'.replace('%', '%25').replace('%2500', '%00'),
        'notes:done',
        'notes:/done',
        'notes://',
        'notes:///',
        'Notes://done',
        'notes://user@done',
        '1notes://done',
        q('notes://do\tne'),
        q('java\nscript://x'),
        q(' javascript:alert(1)'),
        `https://app.example/${'x'.repeat(2_029)}`,
      ].map((value) => [`${returning}${value}`, 'return_uri'] as const),
      [`kind=other&git=${git}&path=a.json`, 'kind'],
      [`kind=&git=${git}&path=a.json`, 'kind'],
      [`${options}&git=${git}&path=a.yaml`, 'path'],
      [`${options}&git=${git}&path=.`, 'path'],
      [`${options}&git=${git}&path=../a.json`, 'path'],
      [`${options}&git=http://example.com/r&path=a.json`, 'git'],
      [`${options}&git=${git}&path=a.json&ref=a..b`, 'ref'],
      [`git=${git}&ref=%zz`, 'ref'],
      [`git=${git}&ref=%C3%28`, 'ref'],
      [`git=%ED%A0%80`, 'git'],
      `git=${git}&%zz=1`,
      ['git', 'git'],
    ),
  ];
  test.each(cases)('%s', (search, expected) => {
    expect(linkOf(search)).toBe(expected);
  });
});

describe('the canonical query', () => {
  it('has its fields in one order and leaves defaults out', () => {
    const whole = `return_uri=notes://done&product=notes&name=My+service&path=net&sourcePath=infra&ref=v1&git=${git}/`;
    const read = readInstallLink(whole);
    expect(read.kind === 'link' && writeInstallLink(read.link)).toBe(
      `git=${q(git)}&ref=v1&sourcePath=infra&path=net&name=My%20service&product=notes&return_uri=${q('notes://done')}`,
    );
    const packed = readInstallLink(`source=${q(`git::${git}//net?ref=v1`)}`);
    expect(packed.kind === 'link' && writeInstallLink(packed.link)).toBe(`git=${q(git)}&ref=v1&path=net`);
    const chooser = readInstallLink(`ref=v1&path=a/b.json&git=${git}&${options}`);
    expect(chooser.kind === 'link' && writeInstallLink(chooser.link)).toBe(
      `${options}&git=${q(git)}&path=${q('a/b.json')}&ref=v1`,
    );
  });
});
