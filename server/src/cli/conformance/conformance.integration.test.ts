import fs from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { removeTree } from '#server/kernel/remove-tree';
import { depth } from '../../../../e2e/fixtures/depth.ts';
import { createAuthority } from '../../../test/certificate-authority.ts';
import { groundctl } from '../../../test/command-line.ts';
import { failedStages } from '../../../test/conformance-check.ts';
import { greetingFixture, isValidGreeting, secretGreeting } from '../../../test/conformance-fixture.ts';
import { startDeviatingProxy } from '../../../test/deviating-proxy.ts';
import { formHostDeviations } from '../../../test/form-host-deviations.ts';
import { tempDir } from '../../../test/harness.ts';
import { startReferenceHost } from '../../../test/reference-form-host.ts';
import { jsonDigest } from './json.ts';
import type { ConformanceReport } from './report.ts';
import { runConformance } from './run-conformance.ts';

const token = 'token-of-the-conformance-check';
let folder: string;
let ca: string;
let caFile: string;
let formFile: string;
const native = new Map([['greeting-1', { greeting: 'imported' }]]);
let host: Awaited<ReturnType<typeof startReferenceHost>>;
beforeAll(async () => {
  folder = tempDir();
  const authority = await createAuthority();
  ca = authority.ca;
  caFile = path.join(folder, 'ca.pem');
  fs.writeFileSync(caFile, ca);
  const fixture = greetingFixture('acme');
  formFile = path.join(folder, 'fixture.json');
  fs.writeFileSync(formFile, JSON.stringify(fixture));
  host = await startReferenceHost({
    ...{ tls: authority.server, token, space: 'acme', form: fixture.form, isValid: isValidGreeting },
    native,
  });
});
afterEach(() => vi.unstubAllEnvs());
afterAll(async () => {
  await host.close();
  removeTree(folder);
});

const check = (...args: string[]) => {
  vi.stubEnv('GROUNDCTL_TOKEN', token);
  return groundctl('forms', 'conformance', '--endpoint', host.origin, '--form', formFile, '--ca', caFile, ...args);
};

/** Values of the fixture, and the token: no output and no report may hold them. */
const hidden = [token, secretGreeting, 'deafening-volume', 'good morning', 'good evening'];

describe('groundctl forms conformance', () => {
  it('passes all 14 stages of a host over HTTPS, deletes what it created, and writes a report', async () => {
    const file = path.join(folder, 'report.json');
    const { code, out, err } = await check('--import', 'greeting-1', '--report', file);
    expect(out).toContain('14 of 14 stages passed.');
    expect([code, err]).toEqual([0, '']);
    expect(host.names()).toEqual([]);
    const text = fs.readFileSync(file, 'utf8');
    const { reportDigest, ...rest } = JSON.parse(text) as ConformanceReport;
    expect(reportDigest).toBe(jsonDigest(rest));
    expect(out).toContain(`report ${reportDigest}`);
    expect(hidden.filter((value) => text.includes(value) || out.includes(value))).toEqual([]);
  });

  it('leaves the import stage out of the report without a native object, and says so', async () => {
    const { code, out } = await check();
    expect([code, out]).toEqual([0, expect.stringContaining('13 of 13 stages passed.')]);
    expect(out).toContain('The stage import-replay was not executed.');
  });

  it('records each request with the digests of what was sent and received', async () => {
    const { out } = await check('--json');
    const { kind, protocol, endpoint, passed, stages } = JSON.parse(out) as ConformanceReport;
    expect({ kind, protocol, endpoint, passed }).toEqual({
      kind: 'svc.form-conformance-report@v1',
      protocol: 'forms.formhost/v1alpha1',
      endpoint: host.origin,
      passed: true,
    });
    expect(stages.map(({ name }) => name)).not.toContain('import-replay');
    const [created] = stages
      .flatMap(({ requests }) => requests)
      .filter(({ method, status }) => method === 'PUT' && status === 200);
    expect(created).toEqual({
      method: 'PUT',
      path: '/apis/forms.formhost/v1alpha1/resources/Greeting/conformance',
      status: 200,
      requestDigest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      answerDigest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    });
  });

  it('fails and names each offense, but no value, when the space is unknown to the host', async () => {
    const { code, out } = await check('--space', 'unknown');
    expect(code).toBe(1);
    expect(out).toContain('expected 200, received 403 permission_denied.');
    expect(out).toMatch(/failed {2}replay .*\n {8}Not executed: it needs a result of the stage apply\./);
    expect(hidden.filter((value) => out.includes(value))).toEqual([]);
  });

  it('fails every stage of a host whose certificate is not trusted', async () => {
    vi.stubEnv('GROUNDCTL_TOKEN', token);
    const { code, out } = await groundctl('forms', 'conformance', '--endpoint', host.origin, '--form', formFile);
    expect(code).toBe(1);
    expect(out).toContain('Name its authority with --ca.');
    expect(out).toContain('0 of 13 stages passed.');
  });

  it('does not touch a Resource of that name that exists', async () => {
    const file = path.join(folder, 'existing.json');
    fs.writeFileSync(file, JSON.stringify({ ...greetingFixture('acme'), name: 'existing' }));
    host.create('existing', { greeting: 'hello' });
    const { code, out } = await check('--form', file);
    expect([code, out]).toEqual([1, expect.stringContaining('a Resource of this name exists.')]);
    expect(host.names()).toEqual(['existing']);
  });

  it.each([
    ['an endpoint without TLS', ['--endpoint', 'http://host.example'], 'Plain http:// is for this machine alone'],
    ['an endpoint with a path', ['--endpoint', 'https://host.example/v1'], '--endpoint takes an origin'],
    ['a fixture that is not JSON', ['--form', 'package.json.missing'], 'cannot be read'],
    ['an authority that does not exist', ['--ca', 'authority.missing'], 'cannot be read'],
    ['an argument', ['here'], 'does not accept "here"'],
  ])('refuses %s', async (_, args, message) => {
    const { code, err } = await check(...args);
    expect([code > 0, err]).toEqual([true, expect.stringContaining(message)]);
  });

  it('refuses a report file that exists, before it sends a request', async () => {
    const { code, err } = await check('--report', formFile);
    expect([code, err]).toEqual([1, expect.stringContaining('exists already')]);
  });

  it.each([
    ['another kind', { kind: 'svc.form-package@v1' }, '"/kind"'],
    ['no negative fixture', { invalid: [] }, '"/invalid"'],
    ['a name that leaves no space for the other names', { name: 'a'.repeat(60) }, '"/name"'],
    ['a desired state that is a list', { spec: [] }, '"/spec"'],
    ['no space', { space: undefined }, '--space'],
  ])('refuses a fixture with %s as wrong use', async (_, change, message) => {
    const file = path.join(folder, 'broken.json');
    fs.writeFileSync(file, JSON.stringify({ ...greetingFixture('acme'), ...change }));
    const { code, err } = await check('--form', file);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });

  it('needs an endpoint, a fixture and a token', async () => {
    const without = await groundctl('forms', 'conformance');
    expect([without.code, without.err]).toEqual([2, expect.stringContaining('needs --endpoint URL and --form FILE')]);
    vi.stubEnv('GROUNDCTL_TOKEN', '');
    const args = ['--endpoint', host.origin, '--form', formFile];
    const { code, err } = await groundctl('forms', 'conformance', ...args);
    expect([code, err]).toEqual([2, expect.stringContaining('GROUNDCTL_TOKEN')]);
  });
});

/** Deviations that are checked; a quick run takes the first and the last of each stage. */
const deviations = formHostDeviations
  .map((deviation, index) => ({ ...deviation, index }))
  .filter(({ stage, index }) => {
    const isSame = (other: { stage: string }) => other.stage === stage;
    const ends = [formHostDeviations.findIndex(isSame), formHostDeviations.findLastIndex(isSame)];
    return depth({ quick: ends.includes(index), deep: true });
  });

describe('a host with a deviation', () => {
  it.each(deviations)('fails at $stage: $name', async ({ index, ...deviation }) => {
    const nativeId = deviation.needsImport && `greeting-of-${index}`;
    if (nativeId) native.set(nativeId, { greeting: 'imported' });
    const checked = { target: host.origin, ca, token, space: 'acme', name: `deviation-${index}`, nativeId };
    const failed = await failedStages(checked, deviation);
    expect(failed.map(({ name }) => name)).toEqual([deviation.stage]);
  });
});

it('waits as long as a host asks that limits the rate of requests', async () => {
  let calls = 0;
  const limit = { status: 429, headers: { 'retry-after': '0' }, text: '' };
  const proxy = await startDeviatingProxy({
    ...{ target: host.origin, ca },
    alter: async (call, forward) => {
      calls += 1;
      return calls % 10 === 0 ? limit : forward(call);
    },
  });
  const fixture = { ...greetingFixture('acme'), name: 'limited' };
  const { passed, stages } = await runConformance({ endpoint: proxy.origin, token, fixture });
  await proxy.close();
  expect(passed).toBe(true);
  const statuses = stages.flatMap(({ requests }) => requests.map(({ status }) => status));
  expect(statuses.filter((status) => status === 429)).toHaveLength(Math.floor(statuses.length / 10));
});

describe('a host that answers nonsense', () => {
  const statuses = [200, 400, 204];
  const answers: readonly [name: string, text: string][] = [
    ['null', 'null'],
    ['a text', '"text"'],
    ['a list', '[1]'],
    ['an empty error', '{"error":null}'],
    ['empty metadata', '{"metadata":null,"resource":{"metadata":null}}'],
    ['a version that is not a number', '{"metadata":{"resourceVersion":"1.x"}}'],
    ['half a character', '"\\ud800"'],
    ['HTML', '<!doctype html>'],
    ['nothing', ''],
  ];
  /** Each with each status; a quick run takes one of them, each in turn. */
  const replies = answers.map(([name, text], at) => ({
    name,
    text,
    codes: depth({ quick: [statuses[at % statuses.length] ?? 200], deep: statuses }),
  }));
  it.each(replies)('fails every stage, and ends: $name', async ({ text, codes }) => {
    for (const status of codes) {
      const reply = { status, headers: { 'content-type': 'application/json' }, text };
      const proxy = await startDeviatingProxy({ target: host.origin, ca, alter: async () => reply });
      const fixture = greetingFixture('acme');
      const { stages } = await runConformance({ endpoint: proxy.origin, token, fixture, nativeId: 'greeting-1' });
      await proxy.close();
      expect(stages.filter(({ passed }) => passed)).toEqual([]);
      expect(stages).toHaveLength(14);
    }
  });
});
