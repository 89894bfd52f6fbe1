import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type CredentialBench,
  createCredentialBench,
  credentialsOf,
  required,
} from '../../../e2e/fixtures/credential-bench.ts';
import { thing } from '../../../e2e/fixtures/modules.ts';
import { describeRun, documentOf, recordsOf, terraform, tofu } from '../../test/runner/capsule.ts';

/** A provider that runs while a plan is shown could alter the output, so its schema is served by a substitute. */

let bench: CredentialBench;
beforeAll(async () => {
  bench = await createCredentialBench();
});
afterAll(() => bench.end());
const schemas = () => path.join(bench.dir, 'providers/schemas');
beforeEach(() => rmSync(schemas(), { recursive: true, force: true }));

const commandsOf = (runDir: string) =>
  recordsOf(runDir).flatMap((record) => (record.t === 'spawned' ? [record.command] : []));

/** Inserts a line before the one that becomes the provider. */
function insertInto(programs: readonly string[], line: string): () => void {
  const texts = programs.map((program) => readFileSync(program, 'utf8'));
  for (const [index, program] of programs.entries())
    writeFileSync(program, (texts[index] ?? '').replace('#!/bin/sh\n', `#!/bin/sh\n${line}\n`));
  return () => {
    for (const [index, program] of programs.entries()) writeFileSync(program, texts[index] ?? '');
  };
}

const programs = () =>
  ['registry.opentofu.org', 'registry.terraform.io'].map((host) => {
    const versions = path.join(bench.mirrorDir, host, 'test/fake/1.0.0');
    return path.join(versions, readdirSync(versions)[0] ?? '', 'terraform-provider-fake_v1.0.0');
  });

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

  test('starts the provider and reports it when a stored schema does not fit, and reads a new one next time', async () => {
    const capsule = capsuleOf();
    const change = { credentials: credentials() };
    await capsule.plan(change);
    for (const name of readdirSync(schemas())) writeFileSync(path.join(schemas(), name), 'no schema');
    const shown = await capsule.plan(change);
    expect(shown.outcome.isShownByProviders).toBe(true);
    expect(documentOf(shown.spec.runDir, shown.outcome).resources).toMatchObject(created);
    expect(describeRun(shown.spec.runDir)).toContain('could not be read with the stored schemas');
    expect((await capsule.plan(change)).outcome.isShownByProviders).toBeUndefined();
  });

  test('starts a provider that returns no schema when it runs alone, and reports it', async () => {
    const restore = insertInto(programs(), '[ -n "$PLUGIN_CLIENT_CERT" ] || exit 1');
    const { spec, outcome } = await capsuleOf().plan({ credentials: credentials() });
    expect(outcome.isShownByProviders).toBe(true);
    expect(documentOf(spec.runDir, outcome).resources).toMatchObject(created);
    restore();
  });
});
