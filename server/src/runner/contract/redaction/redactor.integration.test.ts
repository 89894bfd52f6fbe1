import { execFileSync } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { createRedactor, type Redactor, redactedMark } from './redactor.ts';

const alphabet = [
  ...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789',
  ...'"\'\\/<>&+=% :;,.-_{}[]$#@!?~',
  'é',
  'ß',
  '日',
  '🚀',
];

function randomSecret(): string {
  const length = 8 + randomInt(40);
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)] as string).join('');
}

const entities: { [char: string]: string } = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };

/** Spellings of these characters in templates. */
const numbered: { [char: string]: string } = { "'": '&#x27;', '/': '&#x2F;', '"': '&quot;' };
const decimal = (char: string): string => (char === '/' ? char : `&#${char.codePointAt(0)};`);

/** The oracle gets encodings from Node, by encoding a text around the secret, not from our patterns. */
const disguises: readonly ((secret: string) => string)[] = [
  (secret) => secret,
  (secret) => JSON.stringify({ a: secret }),
  (secret) => JSON.stringify(JSON.stringify({ a: secret })),
  (secret) =>
    [...secret]
      .map((c) =>
        c
          .split('')
          .map((u) => `\\u${u.charCodeAt(0).toString(16).padStart(4, '0')}`)
          .join(''),
      )
      .join(''),
  (secret) => JSON.stringify(secret).replace(/[<>&]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`),
  (secret) => `a.b["${secret.replace(/["\\]/g, '\\$&').replace(/[$%](?=\{)/g, '$&$&')}"]`,
  (secret) => `<e>${secret.replace(/[&<>"']/g, (char) => entities[char] as string)}</e>`,
  (secret) => `<e a="${secret.replace(/[^\w -]/gu, (char) => numbered[char] ?? entities[char] ?? char)}"/>`,
  (secret) => `<e>${secret.replace(/[&<>"'/]|[^\0-\x7f]/gu, (char) => entities[char] ?? decimal(char))}</e>`,
  (secret) => encodeURIComponent(secret),
  (secret) => new URLSearchParams({ q: secret }).toString(),
  (secret) => Buffer.from(secret).toString('hex'),
  (secret) => Buffer.from(secret).toString('hex').toUpperCase(),
  ...[0, 1, 2].flatMap((alignment) => [
    (secret: string) =>
      Buffer.concat([randomBytes(alignment + 3), Buffer.from(secret), randomBytes(7)]).toString('base64'),
    (secret: string) => Buffer.concat([randomBytes(alignment), Buffer.from(secret)]).toString('base64url'),
  ]),
  ...[0, 1, 2, 3, 4].map((alignment) => (secret: string) => {
    const bits = Buffer.concat([randomBytes(alignment), Buffer.from(secret), randomBytes(7)]);
    return base32(bits)[randomInt(2) === 0 ? 'toLowerCase' : 'toUpperCase']();
  }),
  (secret) => `key: '${secret.replaceAll("'", "''")}'`,
  (secret) => secret.split('').join('\0'),
  (secret) => Buffer.from(`echo ${secret} end`, 'utf16le').toString('base64'),
];

/** RFC 4648, section 6, by a text of bits. */
function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{5}/g) ?? [])
    .map((five) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[Number.parseInt(five, 2)])
    .join('');
}

/** Decodes a run of base32 at each possible bit offset. */
function readBase32(run: string): Buffer[] {
  const digits = [...run.toUpperCase()].map((char) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(char));
  const bits = digits.map((digit) => digit.toString(2).padStart(5, '0')).join('');
  return [0, 1, 2, 3, 4, 5, 6, 7].map((shift) =>
    Buffer.from((bits.slice(shift).match(/.{8}/g) ?? []).map((eight) => Number.parseInt(eight, 2))),
  );
}

/** Decodes a text in every way and reports whether it contains the secret. */
function discloses(text: string, secret: string): boolean {
  const needle = Buffer.from(secret);
  const views: Buffer[] = [Buffer.from(text)];
  let plain = text;
  let unmarked = text;
  for (let round = 0; round < 3; round += 1) {
    plain = plain.replace(/\\(u([0-9a-fA-F]{4})|(.))/g, (_, _all, hex, char) =>
      hex ? String.fromCharCode(Number.parseInt(hex, 16)) : char,
    );
    views.push(Buffer.from(plain), Buffer.from(plain.replace(/([$%])\1(?=\{)/g, '$1')));
  }
  unmarked = unmarked.replace(/&#(x?)([0-9a-fA-F]+);/g, (all, hex, digits) =>
    Number.parseInt(digits, hex ? 16 : 10) < 0x110000
      ? String.fromCodePoint(Number.parseInt(digits, hex ? 16 : 10))
      : all,
  );
  for (const [char, entity] of Object.entries(entities).reverse()) unmarked = unmarked.replaceAll(entity, char);
  views.push(Buffer.from(unmarked));
  views.push(Buffer.from(safeDecode(text)), Buffer.from(safeDecode(text.replaceAll('+', ' '))));
  for (const run of text.match(/[0-9a-fA-F]{16,}/g) ?? []) {
    views.push(Buffer.from(run, 'hex'), Buffer.from(run.slice(1), 'hex'));
  }
  for (const run of text.match(/[\w+/-]{10,}/g) ?? []) {
    for (let skip = 0; skip < 4; skip += 1) {
      const bytes = Buffer.from(run.slice(skip), 'base64');
      views.push(bytes, Buffer.from(bytes.toString('utf16le')), Buffer.from(bytes.subarray(1).toString('utf16le')));
    }
  }
  for (const run of text.match(/[a-zA-Z2-7]{12,}/g) ?? []) views.push(...readBase32(run));
  views.push(Buffer.from(text.replaceAll('\0', '')), Buffer.from(text.replaceAll("''", "'")));
  return views.some((view) => view.includes(needle));
}

const safeDecode = (text: string): string =>
  text.replace(/(%[0-9a-fA-F]{2})+/g, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString());

function inChunks(redactor: Redactor, text: string): string {
  const stream = redactor.stream();
  const bytes = Buffer.from(text);
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = 1 + randomInt(13);
    parts.push(stream.push(bytes.subarray(at, at + size)));
    at += size;
  }
  return Buffer.concat([...parts, stream.end()]).toString();
}

test('no secret is left in any encoding, in one piece or in chunks cut anywhere', { timeout: 120_000 }, () => {
  for (let group = 0; group < 250; group += 1) {
    const secrets = Array.from({ length: 1 + randomInt(4) }, randomSecret);
    const redactor = createRedactor(secrets);
    for (let round = 0; round < 400; round += 1) {
      const secret = secrets[randomInt(secrets.length)] as string;
      const disguise = disguises[randomInt(disguises.length)] as (secret: string) => string;
      const text = `before ${randomBytes(randomInt(9)).toString('latin1')} ${disguise(secret)} after`;
      const clean = round % 4 === 0 ? inTwo(redactor, text) : redactor.text(text);
      if (round % 8 === 0) expect(discloses(text, secret), `the oracle sees through ${disguise}`).toBe(true);
      if (discloses(clean, secret)) expect.fail(`${JSON.stringify(secret)} is still in ${JSON.stringify(clean)}`);
    }
  }
});

function inTwo(redactor: Redactor, text: string): string {
  const stream = redactor.stream();
  const bytes = Buffer.from(text);
  const cut = randomInt(bytes.length + 1);
  return Buffer.concat([
    stream.push(bytes.subarray(0, cut)),
    stream.push(bytes.subarray(cut)),
    stream.end(),
  ]).toString();
}

test('no secret is left as bash quotes it', () => {
  const odd = ['\n', '\t', '\x07', '\x1b', '\x7f', '`', '*', '|', '^', ...alphabet];
  const secrets = Array.from({ length: 200 }, () =>
    Array.from({ length: 8 + randomInt(20) }, () => odd[randomInt(odd.length)] as string).join(''),
  );
  for (const locale of ['C', 'C.UTF-8']) {
    const env = { LC_ALL: locale, PATH: process.env['PATH'] };
    const quoted = execFileSync('bash', ['-c', 'printf \'%q\\0\' "$@"', 'bash', ...secrets], { env })
      .toString()
      .split('\0');
    for (const [index, secret] of secrets.entries()) {
      const text = quoted[index] as string;
      // The last line of a multi-line secret may be a single `$`, which also begins a quoted text.
      expect(createRedactor([secret]).text(text), text).toMatch(/^(?:(?:\$|\[redacted\])')?\\?\[redacted\]'?$/);
    }
  }
});

test('a stream in chunks gives the same bytes as the text in one piece, also where secrets overlap', () => {
  const secrets = ['aaaaaaaa', 'ab', 'x'.repeat(40), 'aabaabaab', 'baaaaaaaaaaaaaaaaaaaaaaax', randomSecret()];
  const redactor = createRedactor(secrets);
  const parts = ['a', 'a', 'a', 'b', 'x', ' ', 'aaaaaaaa', 'x'.repeat(13), secrets[5] as string];
  for (let round = 0; round < 20_000; round += 1) {
    const text = Array.from({ length: randomInt(60) }, () => parts[randomInt(parts.length)]).join('');
    const clean = inChunks(redactor, text);
    if (clean !== redactor.text(text)) expect(clean, JSON.stringify(text)).toBe(redactor.text(text));
  }
});

test('text without a secret comes back as it was', () => {
  const redactor = createRedactor(['correct horse battery']);
  const text = 'terraform_data.a[1]: Creation complete after 0s';
  expect(redactor.text(text)).toBe(text);
});

test.each([
  ['in an address', 'a$' + '{b}%{c}"secret', 'x.y["a$$' + '{b}%%{c}\\"secret"]'],
  ['in an address, with what cannot be printed', 'long\u00a0\u0007secret', String.raw`x.y["long\u00a0\u0007secret"]`],
  ['in a sentence of a provider', 'long\u0001"secret', String.raw`value "long\x01\"secret" is wrong`],
  ['in the trace of a shell', "it's a secret", String.raw`+ echo 'it'\''s a secret'`],
  ['in an answer in XML', 'a<b>&"secret"', '<Key>a&lt;b&gt;&amp;&#34;secret&#34;</Key>'],
  ['by a template', `it's "a/secret"`, 'it&#x27;s &quot;a&#x2F;secret&quot;'],
  ['by a template that knows more', `it's=a\`secret`, 'it&#39;s&#x3D;a&#x60;secret'],
  ['by PHP', `it's a secret`, 'it&#039;s a secret'],
  ['in an attribute', 'tab\there "secret"', '<e a="tab&#9;here &quot;secret&quot;"/>'],
  ['in XML of nothing but ASCII', 'über-secret', '<e>&#xFC;ber-secret</e>'],
  ['in XML by Go', "a\tb'secret", '<e>a&#x9;b&#39;secret</e>'],
  ['in YAML', "it's a secret", "key: 'it''s a secret'"],
  [
    'in YAML of nothing but ASCII',
    'a\u00e9 \u2028\ud83d\ude80secret\x1b',
    String.raw`key: "a\xE9 \L\U0001F680secret\e"`,
  ],
  ['as UTF-16 in JSON', 'the secret', JSON.stringify([...'the secret'].join('\0'))],
  ['by Go, control characters that HCL does not name', 'a\x07secret\b\f\v', String.raw`"a\asecret\b\f\v"`],
])('a secret is known as it is quoted %s', (_where, secret, text) => {
  const clean = createRedactor([secret]).text(text);
  expect(clean).toContain(redactedMark);
  expect(clean).not.toMatch(/secret/);
});

test('a short value is replaced only as a whole token', () => {
  const redactor = createRedactor(['abc']);
  expect(redactor.text('abc abcd xabc (abc) a_abc "abc"')).toBe(
    `${redactedMark} abcd xabc (${redactedMark}) a_abc "${redactedMark}"`,
  );
});

test('an address keeps short values and loses long ones', () => {
  const redactor = createRedactor(['eu', 'long-secret-value']);
  expect(redactor.address('x.y["eu"]')).toBe('x.y["eu"]');
  expect(redactor.address('x.y["long-secret-value"]')).toBe(`x.y["${redactedMark}"]`);
});

test('each line of a multi-line secret is secret, its PEM frame is not', () => {
  const pem = `-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\nAQEFAASCBKcwggSjAgEAAoIB\n-----END PRIVATE KEY-----\n`;
  const redactor = createRedactor([pem]);
  expect(redactor.text('x AQEFAASCBKcwggSjAgEAAoIB y')).toBe(`x ${redactedMark} y`);
  expect(redactor.text('-----BEGIN PRIVATE KEY-----')).toBe('-----BEGIN PRIVATE KEY-----');
  expect(redactor.text(pem)).toBe(redactedMark);
});

test('leaves of a JSON credential are secrets, its keys and service addresses are not', () => {
  const document = JSON.stringify({
    type: 'service_account',
    private_key: 'leaf-of-a-document',
    token_uri: 'https://oauth2.googleapis.com/token',
  });
  const redactor = createRedactor([document]);
  expect(redactor.text('got leaf-of-a-document')).toBe(`got ${redactedMark}`);
  expect(redactor.text('private_key service_account https://oauth2.googleapis.com/token')).toBe(
    'private_key service_account https://oauth2.googleapis.com/token',
  );
});

test('a value of a YAML credential is secret', () => {
  expect(createRedactor(['kind: Config\ntoken: abcdefgh12345\n']).text('the abcdefgh12345 kind true')).toBe(
    `the ${redactedMark} kind true`,
  );
});

test('well-known words and the empty text are never secrets', () => {
  const redactor = createRedactor(['', 'true', ' ', 'null']);
  expect(redactor.text('true null  ')).toBe('true null  ');
});

test('a 64 KiB secret is found across chunks and is replaced by one mark', () => {
  const secret = randomBytes(48 * 1024).toString('base64');
  expect(inTwo(createRedactor([secret]), `a ${secret} b`)).toBe(`a ${redactedMark} b`);
});

test('an unfinished beginning of a secret at the end of a stream is returned', () => {
  const stream = createRedactor(['correct horse battery staple']).stream();
  expect(Buffer.concat([stream.push(Buffer.from('a correct horse batt')), stream.end()]).toString()).toBe(
    'a correct horse batt',
  );
});
