import { generateKeyPairSync } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { entryFile } from '#server/kernel/entry';
import { Secret } from '#server/kernel/secret';
import { findBubblewrap, probeArgv, runTool } from '#server/runner/index';
import { canary } from '../../../../test/connection-bodies.ts';
import { tempDir } from '../../../../test/harness.ts';
import { inspectContent } from './content.ts';
import { type CheckHost, createMaterialCheck, formatOf } from './run-check.ts';

const now = Date.parse('2030-01-01T00:00:00Z');
const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2_048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const locked = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' },
}).privateKey;
let certificate: string;
beforeAll(async () => {
  const dates = { notBeforeDate: new Date('2020-01-01'), notAfterDate: new Date('2029-06-01') };
  certificate = (await generate([{ name: 'commonName', value: 'ada' }], dates)).cert;
});

const jwt = (exp: number) =>
  `eyJhbGciOiJub25lIn0.${Buffer.from(JSON.stringify({ exp, sub: canary('sub') })).toString('base64url')}.c2lnbmF0dXJl`;
const kubeconfig = (user: string) =>
  `apiVersion: v1\nkind: Config\nclusters:\n- name: a\n  cluster:\n    server: https://10.0.0.1\ncontexts:\n- name: a\n  context: {cluster: a, user: a}\ncurrent-context: a\nusers:\n- name: a\n  user:\n    ${user}\n`;

describe('a file', () => {
  test('is accepted exactly when it parses as its format', () => {
    const account = { type: 'service_account', client_email: 'a@b', private_key: privateKey };
    const cases: [string, Parameters<typeof inspectContent>[1], string | undefined][] = [
      ['{"a":1}', 'json', undefined],
      ['{"a":', 'json', 'unreadable'],
      ['"text"', 'json', 'not_whole'],
      [JSON.stringify(account), 'json', undefined],
      [JSON.stringify({ ...account, private_key: 'no key' }), 'json', 'unreadable'],
      [JSON.stringify({ type: 'service_account' }), 'json', 'not_whole'],
      ['[default]\naws_access_key_id = a\nnested =\n  b = c\n# x\n', 'ini', undefined],
      ['aws_access_key_id = a\n', 'ini', 'unreadable'],
      ['[default]\nno pair\n', 'ini', 'unreadable'],
      ['\n', 'ini', 'not_whole'],
      [privateKey, 'pem', undefined],
      [locked, 'pem', 'encrypted'],
      ['-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----', 'pem', 'unreadable'],
      ['nothing', 'pem', 'unreadable'],
      [kubeconfig('token: abc'), 'kubeconfig', undefined],
      ['{"clusters":[],"contexts":[],"users":[]}', 'kubeconfig', undefined],
      ['kind: Config\nclusters: []\n', 'kubeconfig', 'not_whole'],
      [kubeconfig('client-certificate: /home/me/cert.pem'), 'kubeconfig', 'outside_file'],
      ['clusters:\n\t- a\n', 'kubeconfig', 'unreadable'],
      ['a: |\n  free text: {[\n  more\nb: "x"\n"c": [1]\n- d\n', 'yaml', undefined],
      ['what is this\n', 'yaml', 'unreadable'],
      ['anything', 'text', undefined],
    ];
    for (const [text, format, what] of cases)
      expect([text, inspectContent(text, format).outline?.what]).toEqual([text, what]);
  });

  test('reports its expiry and the programs it would start', () => {
    expect(inspectContent(certificate, 'pem').expiries).toEqual([Date.parse('2029-06-01')]);
    const data = Buffer.from(certificate).toString('base64');
    expect(inspectContent(kubeconfig(`client-certificate-data: ${data}`), 'kubeconfig').expiries).toEqual([
      Date.parse('2029-06-01'),
    ]);
    expect(inspectContent(kubeconfig(`token: ${jwt(5)}`), 'kubeconfig').expiries).toEqual([5_000]);
    expect(inspectContent(kubeconfig('exec:\n      command: aws'), 'kubeconfig').startsProgram).toBe(true);
    expect(inspectContent('[a]\ncredential_process = /bin/x\n', 'ini').startsProgram).toBe(true);
    const federated = { type: 'external_account', credential_source: { executable: { command: '/x' } } };
    expect(inspectContent(JSON.stringify(federated), 'json').startsProgram).toBe(true);
  });

  test('takes its format from the variable that names it, otherwise from its own name', () => {
    expect(formatOf('a', 'KUBE_CONFIG_PATH')).toBe('kubeconfig');
    expect(formatOf('aws/config', 'AWS_CONFIG_FILE')).toBe('ini');
    expect(formatOf('a.json', undefined)).toBe('json');
    expect(formatOf('a.pem', 'X')).toBe('pem');
    expect(formatOf('a.yml', 'X')).toBe('yaml');
    expect(formatOf('a', 'X')).toBe('text');
  });
});

const bubblewrap = findBubblewrap();
const walls: Pick<CheckHost, 'wallIn' | 'requireSandbox'> = {
  wallIn: (binds, command) =>
    bubblewrap === undefined ? undefined : { file: bubblewrap, argv: probeArgv({ binds, command }) },
  requireSandbox: true,
};
const variants: [string, Pick<CheckHost, 'wallIn' | 'requireSandbox'>][] = [
  ['in a sandbox', walls],
  ['without one', { wallIn: () => undefined, requireSandbox: false }],
];

describe.each(variants)('the child %s', (variant, how) => {
  const seen: string[] = [];
  const check = createMaterialCheck({
    nodePath: process.execPath,
    entry: entryFile('connection-check'),
    ...how,
    run: async (program) => {
      const ran = await runTool(program);
      seen.push(ran.stdout, ran.stderr);
      return ran;
    },
  });
  const isHere = variant === 'without one' || bubblewrap !== undefined;
  const file = (name: string, content: string, envName?: string) => ({
    path: name,
    envName,
    mode: 0o600,
    content: new Secret(content),
  });

  test.runIf(isHere)('finds what a Run would find, and reports no value', async () => {
    const env = { ACME_TOKEN: new Secret(canary('value')), ACME_REGION: 'eu' };
    const files = [file('deep/down/a.json', JSON.stringify({ a: canary('file') }), 'ACME_FILE')];
    expect(await check({ env, files }, now)).toEqual({ outcome: 'pass' });
    const broken = [file('a.json', `{"a": ${canary('file')}`), file('b.pem', canary('pem'))];
    expect(await check({ env, files: broken }, now)).toEqual({
      outcome: 'fail',
      detail: 'a.json is not valid for its format. b.pem is not valid for its format.',
    });
    const token = { ACME_TOKEN: new Secret(jwt(now / 1_000 - 1)) };
    expect(await check({ env: token, files: [] }, now)).toEqual({
      outcome: 'expire',
      detail: 'ACME_TOKEN expired on 2029-12-31.',
      endsAt: now - 1_000,
    });
    expect(await check({ env: { ACME_TOKEN: new Secret(jwt(now / 1_000 + 60)) }, files: [] }, now)).toEqual({
      outcome: 'pass',
      endsAt: now + 60_000,
    });
    const starts = [file('k', kubeconfig('exec:\n      command: aws'), 'KUBECONFIG')];
    expect(await check({ env: {}, files: starts }, now)).toMatchObject({ outcome: 'pass', detail: expect.any(String) });
    expect(seen.join('')).not.toContain('canary');
  });
});

describe('a check that cannot be run', () => {
  const dir = tempDir();
  afterAll(() => fs.rmSync(dir, { recursive: true }));

  test('is reported as such, and falls back to no sandbox only where that is allowed', async () => {
    const broken = path.join(dir, 'bwrap');
    fs.writeFileSync(broken, '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    const host = {
      nodePath: process.execPath,
      entry: entryFile('connection-check'),
      run: runTool,
      wallIn: () => ({ file: broken, argv: [] }),
    };
    const materials = { env: { A: 'b' }, files: [] };
    expect(await createMaterialCheck({ ...host, requireSandbox: true })(materials, now)).toMatchObject({
      outcome: 'unknown',
    });
    expect(await createMaterialCheck({ ...host, requireSandbox: false })(materials, now)).toEqual({ outcome: 'pass' });
  });
});
