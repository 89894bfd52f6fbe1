import { authorizationCases, type NegativeCase } from './case.ts';

const core = 'OpenID Connect Core 1.0, 3.1.2.1';
const simple = 'RFC 9700, 2.1 (comparison of exact strings)';
const native = 'RFC 8252, 7.3';
const refused = '400 invalid_redirect_uri';
const registered = 'https://notes.example.com/callback';

/** Redirect URIs that differ from the registered ones of a web client. */
const webVariants: readonly (readonly [name: string, source: string, redirectUri: string])[] = [
  ['a slash behind the path', simple, `${registered}/`],
  ['a segment behind the path', simple, `${registered}/more`],
  ['the root', simple, 'https://notes.example.com/'],
  ['no path', simple, 'https://notes.example.com'],
  ['a segment before the path', simple, 'https://notes.example.com/a/callback'],
  ['a dot segment', simple, 'https://notes.example.com/./callback'],
  ['a parent segment that ends at the path', simple, 'https://notes.example.com/a/../callback'],
  ['a parent segment that leaves the path', 'RFC 9700, 4.1.1', `${registered}/../open-redirect`],
  ['an encoded dot segment', simple, 'https://notes.example.com/%2e/callback'],
  ['an encoded parent segment', 'RFC 9700, 4.1.1', `${registered}/%2e%2e/open-redirect`],
  ['two slashes', simple, 'https://notes.example.com//callback'],
  ['a letter of the path in upper case', simple, 'https://notes.example.com/Callback'],
  ['an encoded letter', simple, 'https://notes.example.com/c%61llback'],
  ['an encoded slash', simple, 'https://notes.example.com%2Fcallback'],
  ['a letter that is encoded twice', simple, 'https://notes.example.com/c%2561llback'],
  ['an encoded NUL', simple, `${registered}%00`],
  ['an encoded line break', simple, `${registered}%0d%0aLocation:%20https://evil.example`],
  ['a path parameter', simple, `${registered};a=b`],
  ['another query', 'RFC 6749, 3.1.2.2', `${registered}?next=https://evil.example`],
  ['an empty query', simple, `${registered}?`],
  ['a fragment', 'RFC 6749, 3.1.2', `${registered}#evil`],
  ['an empty fragment', 'RFC 6749, 3.1.2', `${registered}#`],
  ['the registered query with another value', 'RFC 6749, 3.1.2.2', 'https://notes.example.com/second?tenant=b'],
  ['the registered query with one parameter more', simple, 'https://notes.example.com/second?tenant=a&x=1'],
  ['the registered query with its parameter twice', simple, 'https://notes.example.com/second?tenant=a&tenant=b'],
  ['the registered query with an encoded value', simple, 'https://notes.example.com/second?tenant=%61'],
  ['the registered path without its query', 'RFC 6749, 3.1.2.2', 'https://notes.example.com/second'],
  ['a user name', simple, 'https://ada@notes.example.com/callback'],
  ['an empty user name', simple, 'https://@notes.example.com/callback'],
  ['the registered host as user name', 'RFC 9700, 4.1.1', 'https://notes.example.com@evil.example/callback'],
  [
    'the registered host and port as credentials',
    'RFC 9700, 4.1.1',
    'https://notes.example.com:443@evil.example/callback',
  ],
  ['a host in upper case', simple, 'https://NOTES.example.com/callback'],
  ['a scheme in upper case', simple, 'HTTPS://notes.example.com/callback'],
  ['the default port', simple, 'https://notes.example.com:443/callback'],
  ['another port', simple, 'https://notes.example.com:8443/callback'],
  ['an empty port', simple, 'https://notes.example.com:/callback'],
  ['http', 'RFC 9700, 2.6', 'http://notes.example.com/callback'],
  ['a subdomain', 'RFC 9700, 4.1.1', 'https://a.notes.example.com/callback'],
  ['the parent domain', simple, 'https://example.com/callback'],
  [
    'the registered host as a subdomain of another',
    'RFC 9700, 4.1.1',
    'https://notes.example.com.evil.example/callback',
  ],
  ['a host that ends like the registered one', 'RFC 9700, 4.1.1', 'https://evilnotes.example.com/callback'],
  ['a dot behind the host', simple, 'https://notes.example.com./callback'],
  ['a host in Punycode that looks alike', simple, 'https://xn--ntes-e6d.example.com/callback'],
  ['a Cyrillic letter in the host', simple, 'https://n\u043etes.example.com/callback'],
  ['a full-width dot in the host', simple, 'https://notes\uff0eexample.com/callback'],
  ['a soft hyphen in the host', simple, 'https://no\u00adtes.example.com/callback'],
  ['a backslash before another host', 'RFC 9700, 4.1.1', 'https://notes.example.com\\@evil.example/callback'],
  ['backslashes in place of slashes', simple, 'https:\\\\notes.example.com\\callback'],
  ['a space before the scheme', simple, ` ${registered}`],
  ['a line break behind the path', simple, `${registered}\n`],
  ['a tab inside the scheme', simple, `ht\ttps://notes.example.com/callback`],
  ['no scheme', simple, '//notes.example.com/callback'],
  ['a path alone', 'RFC 6749, 3.1.2', '/callback'],
  ['a script', 'RFC 6749, 3.1.2', "javascript:location='https://notes.example.com/callback'"],
  ['data', 'RFC 6749, 3.1.2', 'data:text/html,notes.example.com/callback'],
  ['a loopback address', native, 'http://127.0.0.1/callback'],
  ['an IPv6 address', simple, 'https://[::1]/callback'],
  ['an IPv4 address as one number', simple, 'https://2130706433/callback'],
  ['a pattern', 'RFC 9700, 4.1.1', 'https://*.example.com/callback'],
  ['the redirect URI of another client', 'RFC 6749, 10.6', 'https://journal.example.com/callback'],
  ['a private-use scheme', native, 'com.example.app://signed-in/callback'],
  ['an out-of-band address', 'RFC 8252, 8.12', 'urn:ietf:wg:oauth:2.0:oob'],
];

/** Redirect URIs that differ from the registered ones of a native client, whose loopback redirect may have any port. */
const nativeVariants: typeof webVariants = [
  ['localhost in place of the address', 'RFC 8252, 8.3', 'http://localhost:43111/callback'],
  ['https at the loopback address', native, 'https://127.0.0.1:43111/callback'],
  ['the loopback address of IPv6', native, 'http://[::1]:43111/callback'],
  ['another loopback address', native, 'http://127.0.0.2:43111/callback'],
  ['a short form of the address', native, 'http://127.1:43111/callback'],
  ['a hexadecimal form of the address', native, 'http://0x7f.0.0.1:43111/callback'],
  ['every address of the machine', native, 'http://0.0.0.0:43111/callback'],
  ['another path at the loopback address', native, 'http://127.0.0.1:43111/other'],
  ['a query at the loopback address', native, 'http://127.0.0.1:43111/callback?a=b'],
  ['a fragment at the loopback address', 'RFC 6749, 3.1.2', 'http://127.0.0.1:43111/callback#a'],
  ['a user name at the loopback address', native, 'http://ada@127.0.0.1:43111/callback'],
  ['a port that does not exist', native, 'http://127.0.0.1:65536/callback'],
  ['a port of other digits', native, 'http://127.0.0.1:\u0664\u0663/callback'],
  ['the loopback address as a subdomain', native, 'http://127.0.0.1.evil.example:43111/callback'],
  ['the loopback address as user name', 'RFC 9700, 4.1.1', 'http://127.0.0.1:43111@evil.example/callback'],
  ['another path of the private-use scheme', native, 'com.example.app://signed-in/other'],
  ['another authority of the private-use scheme', native, 'com.example.app://other/callback'],
  ['the private-use scheme with a port', native, 'com.example.app://signed-in:1/callback'],
  ['the private-use scheme without authority', native, 'com.example.app:/callback'],
  ['a longer private-use scheme', native, 'com.example.app2://signed-in/callback'],
];

const casesFor = (clientId: string, variants: typeof webVariants): NegativeCase[] =>
  authorizationCases(
    variants.map(([name, source, uri]) => [
      `a redirect URI of ${clientId} with ${name}`,
      `${source}; ${core}`,
      { redirect_uri: uri, ...(clientId === 'device' && { workspace_id: undefined }) },
      refused,
    ]),
    clientId,
  );

export const redirectCases: readonly NegativeCase[] = [
  ...casesFor('notes', webVariants),
  ...casesFor('device', nativeVariants),
  ...authorizationCases([
    ['an empty redirect URI', core, { redirect_uri: '' }, '400 invalid_request'],
    ['no redirect URI', core, { redirect_uri: undefined }, '400 invalid_request'],
    [
      'the same redirect URI twice',
      'RFC 6749, 3.1',
      `redirect_uri=${encodeURIComponent(registered)}`,
      '400 invalid_request',
    ],
    ['a second redirect URI', 'RFC 6749, 3.1', 'redirect_uri=https://evil.example', '400 invalid_request'],
  ]),
];
