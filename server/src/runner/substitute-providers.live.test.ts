import { createHash } from 'node:crypto';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type CredentialBench,
  createCredentialBench,
  credentialsOf,
  required,
} from '../../../e2e/fixtures/credential-bench.ts';
import { thing } from '../../../e2e/fixtures/modules.ts';
import { insertInto, programIn } from '../../../e2e/fixtures/provider/programs.ts';
import { describeRun, documentOf, recordsOf, terraform, tofu } from '../../test/runner/capsule.ts';

/** A provider that runs while a plan is shown could alter the output, so its schema is served by a substitute. */

let bench: CredentialBench;
beforeAll(async () => {
  bench = await createCredentialBench();
});
afterAll(() => bench.end());
const schemas = () => path.join(bench.dir, 'providers/schemas');
beforeEach(() => rmSync(schemas(), { recursive: true, force: true }));

/** Content of the file of a stored schema. */
const withChecksum = (message: string) =>
  Buffer.concat([createHash('sha256').update(message).digest(), Buffer.from(message)]);

const commandsOf = (runDir: string) =>
  recordsOf(runDir).flatMap((record) => (record.t === 'spawned' ? [record.command] : []));

const programs = () =>
  ['registry.opentofu.org', 'registry.terraform.io'].map((host) => programIn(bench.mirrorDir, host));

describe.each([
  { tool: tofu, sandbox: 'bwrap' },
  { tool: tofu, sandbox: 'none' },
  { tool: terraform, sandbox: 'bwrap' },
  { tool: terraform, sandbox: 'none' },
] as const)('$tool.name with sandbox $sandbox', ({ tool, sandbox }) => {
  const capsuleOf = () => bench.capsuleOf({ tool, sandbox, main: `${required()}${thing('a')}` });
  const credentials = () =>
    credentialsOf({
      providers: [
        {
          localName: 'fake',
          arguments: { token: bench.newToken('one') },
          config: { server: bench.accounts.url },
        },
      ],
    });
  const created = [{ address: 'fake_thing.a', actions: ['create'] }];

  test('shows a plan without its provider, and reads its schema once', async () => {
    // The tool is the first process of its sandbox; without one, it is the parent.
    const restore = insertInto(
      programs(),
      'for pid in 1 $PPID; do tr "\\0" "\\n" </proc/$pid/cmdline | grep -qx show && exit 1; done',
    );
    const capsule = capsuleOf();
    const change = { credentials: credentials() };
    const first = await capsule.plan(change);
    expect(documentOf(first.spec.runDir, first.outcome).resources, describeRun(first.spec.runDir)).toMatchObject(
      created,
    );
    const second = await capsule.plan(change);
    expect([first, second].map(({ outcome }) => outcome.isShownByProviders)).toEqual([undefined, undefined]);
    expect(commandsOf(second.spec.runDir)).toEqual(['plan', 'show']);
    restore();
  });

  test('reads a schema again that was damaged in the store', async () => {
    const capsule = capsuleOf();
    const change = { credentials: credentials() };
    await capsule.plan(change);
    for (const name of readdirSync(schemas())) writeFileSync(path.join(schemas(), name), 'no schema');
    const shown = await capsule.plan(change);
    expect(shown.outcome.isShownByProviders).toBeUndefined();
    expect(commandsOf(shown.spec.runDir)).toEqual(['schema', 'plan', 'show']);
  });

  test('reads a schema again after the tool did not accept it', async () => {
    const capsule = capsuleOf();
    const change = { credentials: credentials() };
    await capsule.plan(change);
    for (const name of readdirSync(schemas())) writeFileSync(path.join(schemas(), name), withChecksum('no schema'));
    if (sandbox === 'bwrap') {
      const outcome = await capsule.run(capsule.spec('plan', change));
      expect(outcome).toMatchObject({ kind: 'failed', errorCode: 'plan_failed' });
    } else {
      const shown = await capsule.plan(change);
      expect(shown.outcome.isShownByProviders).toBe(true);
      expect(describeRun(shown.spec.runDir)).toContain('could not be read with the stored schemas');
    }
    const next = await capsule.plan(change);
    expect(next.outcome.isShownByProviders).toBeUndefined();
    expect(documentOf(next.spec.runDir, next.outcome).resources).toMatchObject(created);
  });

  test('starts a provider that returns no schema when it runs alone, and reports it', async () => {
    const restore = insertInto(programs(), '[ -n "$PLUGIN_CLIENT_CERT" ] || exit 1');
    const { spec, outcome } = await capsuleOf().plan({ credentials: credentials() });
    expect(outcome.isShownByProviders).toBe(true);
    expect(documentOf(spec.runDir, outcome).resources).toMatchObject(created);
    restore();
  });
});
