import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { repositoryRoot } from '#server/kernel/entry';
import { findBreaches, isFile, type PlantedImport, ruleNames } from './plant.ts';

/**
 * At least one breach of each rule. Every path exists, so that moving a file fails this test instead of disabling a
 * rule.
 */
const planted: readonly (PlantedImport & { rule: string })[] = [
  { rule: 'no-cycles', from: 'server/src/kernel/digest.ts', to: 'server/src/kernel/ids.ts' },
  { rule: 'resolves', from: 'server/src/kernel/clock.ts', to: './no-such-file.ts' },

  { rule: 'electron-uses-the-server-api', from: 'electron/src/menu.ts', to: 'server/src/compose/app.ts' },
  { rule: 'server-knows-no-window', from: 'server/src/kernel/log.ts', to: 'electron/src/window.ts' },
  { rule: 'server-knows-no-window', from: 'server/src/kernel/log.ts', to: 'renderer/src/ui/button.tsx' },
  { rule: 'renderer-knows-no-server', from: 'renderer/src/api/client.ts', to: 'server/src/kernel/ids.ts' },
  { rule: 'shared-stands-alone', from: 'shared/src/runs/machine.ts', to: 'server/src/kernel/guard.ts' },
  { rule: 'shared-is-pure', from: 'shared/src/kernel/page.ts', to: 'node:fs' },
  { rule: 'shared-is-pure', from: 'shared/src/kernel/page.ts', to: 'node:os' },

  { rule: 'kernel-is-lowest', from: 'server/src/kernel/db.ts', to: 'server/src/domains/runs/index.ts' },
  { rule: 'kernel-is-lowest', from: 'server/src/kernel/db.ts', to: 'server/src/drivers/tofu/index.ts' },
  { rule: 'drivers-know-no-domain', from: 'server/src/drivers/git/sync.ts', to: 'server/src/domains/sources/index.ts' },
  { rule: 'drivers-know-no-domain', from: 'server/src/drivers/git/sync.ts', to: 'server/src/runner/index.ts' },
  {
    rule: 'os-is-below-the-runner',
    from: 'server/src/os/sandbox.ts',
    to: 'server/src/runner/contract/execution-spec.ts',
  },
  {
    rule: 'contract-is-below-the-runner',
    from: 'server/src/runner/contract/execution-spec.ts',
    to: 'server/src/runner/follow.ts',
  },
  {
    rule: 'contract-is-below-the-runner',
    from: 'server/src/runner/contract/execution-spec.ts',
    to: 'server/src/supervisor/run.ts',
  },
  { rule: 'runner-knows-no-supervisor', from: 'server/src/runner/runner.ts', to: 'server/src/supervisor/run.ts' },
  { rule: 'supervisor-knows-no-client', from: 'server/src/supervisor/apply.ts', to: 'server/src/runner/follow.ts' },
  {
    rule: 'machines-know-no-domain',
    from: 'server/src/runner-machine/machine.ts',
    to: 'server/src/domains/tokens/index.ts',
  },
  {
    rule: 'domains-know-no-composition',
    from: 'server/src/domains/tokens/service.ts',
    to: 'server/src/compose/app.ts',
  },
  { rule: 'domains-know-no-composition', from: 'server/src/domains/tokens/service.ts', to: 'server/src/cli/main.ts' },
  { rule: 'compose-knows-no-cli', from: 'server/src/compose/app.ts', to: 'server/src/cli/main.ts' },
  { rule: 'supervisor-is-a-program', from: 'server/src/compose/app.ts', to: 'server/src/supervisor/run.ts' },
  {
    rule: 'conformance-knows-no-server',
    from: 'server/src/cli/conformance/probe.ts',
    to: 'server/src/kernel/digest.ts',
  },
  {
    rule: 'conformance-knows-no-server',
    from: 'server/src/cli/conformance/shapes.ts',
    to: 'shared/src/interfaces/contract.ts',
  },
  { rule: 'os-through-the-runner', from: 'server/src/compose/app.ts', to: 'server/src/os/spawn.ts' },

  { rule: 'runs-imports-down', from: 'server/src/domains/runs/service.ts', to: 'server/src/domains/plans/index.ts' },
  { rule: 'runs-imports-down', from: 'shared/src/runs/contract.ts', to: 'shared/src/plans/api.ts' },
  { rule: 'vocabulary-is-lowest', from: 'shared/src/plans/totals.ts', to: 'shared/src/runs/contract.ts' },
  {
    rule: 'domain-to-domain-through-index',
    from: 'server/src/domains/capsules/service.ts',
    to: 'server/src/domains/sources/service.ts',
  },
  {
    rule: 'driver-to-driver-through-index',
    from: 'server/src/drivers/tofu/tree.ts',
    to: 'server/src/drivers/archive/read-archive.ts',
  },
  { rule: 'domains-through-index', from: 'server/src/compose/app.ts', to: 'server/src/domains/runs/service.ts' },
  { rule: 'drivers-through-index', from: 'server/src/compose/app.ts', to: 'server/src/drivers/tofu/stream.ts' },
  { rule: 'runner-through-index', from: 'server/src/compose/app.ts', to: 'server/src/runner/runner.ts' },
  {
    rule: 'runner-through-index',
    from: 'server/src/domains/runs/queue.ts',
    to: 'server/src/runner/contract/execution-spec.ts',
  },
  {
    rule: 'joins-through-schema',
    from: 'server/src/domains/capsules/store.ts',
    to: 'server/src/domains/sources/store.ts',
  },
  {
    rule: 'joins-through-schema',
    from: 'server/src/domains/runs/feed-store.ts',
    to: 'server/src/domains/tokens/store.ts',
  },

  {
    rule: 'schema-imports-schema',
    from: 'server/src/domains/capsules/schema.ts',
    to: 'server/src/domains/capsules/record.ts',
  },
  {
    rule: 'store-knows-no-service',
    from: 'server/src/domains/tokens/store.ts',
    to: 'server/src/domains/tokens/service.ts',
  },
  {
    rule: 'service-knows-no-routes',
    from: 'server/src/domains/sources/service.ts',
    to: 'server/src/domains/sources/routes.ts',
  },
  {
    rule: 'routes-use-the-service',
    from: 'server/src/domains/sources/routes.ts',
    to: 'server/src/domains/sources/store.ts',
  },

  { rule: 'i18n-is-lowest', from: 'renderer/src/i18n/text.ts', to: 'renderer/src/ui/button.tsx' },
  { rule: 'api-knows-no-component', from: 'renderer/src/api/client.ts', to: 'renderer/src/ui/pill.tsx' },
  { rule: 'ui-is-primitive', from: 'renderer/src/ui/button.tsx', to: 'renderer/src/api/client.ts' },
  {
    rule: 'components-know-no-feature',
    from: 'renderer/src/components/more.tsx',
    to: 'renderer/src/features/home/page.tsx',
  },
  { rule: 'features-know-no-app', from: 'renderer/src/features/home/page.tsx', to: 'renderer/src/app/shell.tsx' },
  {
    rule: 'features-are-islands',
    from: 'renderer/src/features/home/page.tsx',
    to: 'renderer/src/features/runs/page.tsx',
  },

  { rule: 'only-stores-use-sql', from: 'server/src/domains/state-versions/service.ts', to: 'drizzle-orm' },
  { rule: 'only-http-uses-fastify', from: 'server/src/domains/state-versions/service.ts', to: 'fastify' },
  { rule: 'only-os-spawns', from: 'server/src/drivers/tofu/install.ts', to: 'node:child_process' },
  { rule: 'only-desktop-uses-electron', from: 'server/src/kernel/settings.ts', to: 'electron' },
  { rule: 'no-tests-in-product', from: 'server/src/kernel/page.ts', to: 'server/src/kernel/page.integration.test.ts' },
];
/** Closes the cycle; it is reported once, at the other import. */
const closing: PlantedImport = { from: 'server/src/kernel/ids.ts', to: 'server/src/kernel/digest.ts' };
const orphan = 'shared/src/display.ts';

/** Imports that look like a breach but are allowed. */
const allowed: readonly PlantedImport[] = [
  { from: 'server/src/domains/capsules/store.ts', to: 'server/src/domains/workspaces/schema.ts' },
  { from: 'server/src/domains/capsules/schema.ts', to: 'server/src/domains/sources/schema.ts' },
  { from: 'server/src/domains/capsules/service.ts', to: 'server/src/domains/capsules/slugs.ts' },
  { from: 'server/src/domains/runs/feed-store.ts', to: 'drizzle-orm' },
  { from: 'server/src/supervisor/main.ts', to: 'server/src/runner/contract/execution-spec.ts' },
  { from: 'server/src/cli/data-folder.ts', to: 'server/src/runner/index.ts' },
  { from: 'renderer/src/features/install/page.tsx', to: 'renderer/src/features/install/search.ts' },
];

describe('dependency rules', () => {
  let breaches: readonly string[] = [];
  const matches = ({ from, to }: PlantedImport) =>
    breaches.filter((breach) => breach.endsWith(`: ${from} -> ${to.replace('node:', '')}`));

  beforeAll(async () => {
    breaches = await findBreaches([...planted, ...allowed, closing], [orphan]);
  });

  it('plants its breaches between files that exist', () => {
    const paths = [...planted, ...allowed].flatMap(({ from, to }) => (/^[a-z]+\//.test(to) ? [from, to] : [from]));
    expect([...paths, orphan].filter((name) => !isFile(name))).toEqual([]);
  });

  it.each(planted)('reports $rule for an import of $to in $from', ({ rule, ...one }) => {
    expect(matches(one).map((breach) => breach.split(':')[0])).toContain(rule);
  });

  it('reports a file that nothing imports', () => {
    expect(breaches.filter((breach) => breach.startsWith(`no-orphans: ${orphan} `))).toHaveLength(1);
  });

  it('reports a file that no program reaches', () => {
    const unreached = 'server/src/kernel/ids.ts';
    expect(breaches.filter((breach) => breach.startsWith(`no-unreachable: ${unreached} `))).toHaveLength(1);
  });

  it.each(allowed)('accepts an import of $to in $from', (one) => {
    expect(matches(one)).toEqual([]);
  });

  it('plants a breach of every rule', () => {
    // The ranks of the domains are one rule each, made from one list.
    const rules = ruleNames.filter((name) => !name.endsWith('-imports-down') || name === 'runs-imports-down');
    const covered = new Set([...planted.map(({ rule }) => rule), 'no-orphans', 'no-unreachable']);
    expect(rules.filter((name) => !covered.has(name))).toEqual([]);
  });
});

describe('folders', () => {
  const configuration = '.dependency-cruiser.cjs';
  const sources = ['electron/src', 'renderer/src', 'server/src', 'shared/src'];
  /** Loads the configuration in a temporary checkout that has one folder of the given path. */
  const loadBeside = (folder: string): unknown => {
    const checkout = fs.mkdtempSync(path.join(os.tmpdir(), 'groundctl-folders-'));
    try {
      for (const name of [...sources, folder]) fs.mkdirSync(path.join(checkout, name), { recursive: true });
      fs.writeFileSync(path.join(checkout, folder, 'index.ts'), '');
      fs.copyFileSync(path.join(repositoryRoot, configuration), path.join(checkout, configuration));
      return createRequire(path.join(checkout, 'package.json'))(path.join(checkout, configuration));
    } finally {
      fs.rmSync(checkout, { recursive: true });
    }
  };

  it.each([
    'server/src/kitchen',
    'server/src/domains/kitchen',
    'server/src/domains/runs/kitchen',
    'shared/src/kitchen',
    'renderer/src/features/kitchen',
    'electron/src/kitchen',
  ])('fail the check when no list names them: %s', (folder) => {
    expect(() => loadBeside(folder)).toThrow(`List ${folder} in .dependency-cruiser.cjs`);
  });

  it.each(['server/src/domains/runs', 'renderer/src/features/runs/plan'])('pass when they are listed: %s', (folder) => {
    expect(loadBeside(folder)).toHaveProperty('forbidden');
  });
});
