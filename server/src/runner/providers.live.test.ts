import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fileStaged } from '#server/drivers/tofu/index';
import { type Bench, createBench, describeRun, recordsOf } from '../../test/runner/capsule.ts';

/** Built once per machine beside the pinned tool. The tests that need the providers report when they are missing. */
const mirrorDir = path.join(process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache'), 'groundctl/providers');
const hasProviders = existsSync(path.join(mirrorDir, 'registry.opentofu.org/hashicorp/local'));
if (!hasProviders) console.warn('The providers for live tests are not built; three tests are skipped.');

let bench: Bench;
beforeAll(() => {
  bench = createBench();
});
afterAll(() => bench.end());

const files = {
  'main.tf': `
terraform {
  required_providers {
    local = {
      source  = "hashicorp/local"
    }
  }
}
resource "local_file" "f" {
  filename = "\${path.module}/written.txt"
  content  = "x"
}
`,
};

describe.each(['bwrap', 'none'] as const)('with sandbox %s', (sandbox) => {
  test.runIf(hasProviders)(
    "a package of the operator's mirror is used without network, and init is not run twice",
    async () => {
      const capsule = bench.capsule({ sandbox, files, mirrorDir });
      const plan = await capsule.plan();
      expect(plan.outcome.lock).toContain('registry.opentofu.org/hashicorp/local');
      expect((await capsule.apply(plan)).outcome.succeeded).toBe(true);
      const next = await capsule.plan();
      expect(next.outcome.summary).toEqual({ add: 0, change: 0, destroy: 0 });
      expect(recordsOf(next.spec.runDir)).toContainEqual(expect.objectContaining({ phase: 'init', state: 'reused' }));
    },
  );

  test.runIf(hasProviders)(
    'a package of the store is used without network; the recorded lock decides which',
    async () => {
      const capsule = bench.capsule({ sandbox, files });
      fileStaged({ stagingDir: mirrorDir, storeDir: path.join(bench.dir, 'providers') });
      const plan = await capsule.plan();
      expect((await capsule.apply(plan)).outcome.succeeded, describeRun(plan.spec.runDir)).toBe(true);
      expect(commandsOf(plan.spec.runDir).filter((name) => name !== 'schema')).toEqual(['init', 'plan', 'show']);
      capsule.setFiles({ ...files, 'note.txt': 'new' });
      expect((await capsule.plan()).outcome.lock).toBe(plan.outcome.lock);
      const foreign = capsule.spec('plan', {
        lock: plan.outcome.lock.replace(/"h1:[^"]+"/, `"h1:${'A'.repeat(43)}="`),
      });
      capsule.setFiles({ ...files, 'note.txt': 'newer' });
      expect(await capsule.run(foreign)).toMatchObject({ kind: 'failed', errorCode: 'init_failed' });
    },
  );

  test('a package without a source fails at init, after the module sources were checked without network', async () => {
    const source =
      'terraform {\n  required_providers {\n    x = {\n      source = "provider.invalid/test/x"\n    }\n  }\n}\nresource "x_y" "z" {}\n';
    const capsule = bench.capsule({ sandbox, files: { 'main.tf': source } });
    const spec = capsule.spec('plan');
    expect(await capsule.run(spec)).toMatchObject({ kind: 'failed', errorCode: 'init_failed' });
    expect(commandsOf(spec.runDir)).toEqual(['init', 'get', 'init']);
    expect(readdirSync(path.join(bench.dir, 'providers')).filter((name) => name.startsWith('.'))).toEqual([]);
  });
});

const commandsOf = (runDir: string): string[] =>
  recordsOf(runDir).flatMap((record) => (record.t === 'spawned' ? [record.command] : []));
