import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Bom, noticesIn, onlyShipped, packagesOf } from './build-third-party.ts';

test('a module belongs to the innermost package that holds it', () => {
  expect(
    packagesOf([
      'server/src/cli/main.ts',
      'node_modules/zod/v4/index.js',
      'node_modules/zod/package.json',
      'node_modules/@fastify/send/lib/send.js',
      'node_modules/@fastify/send/node_modules/mime/index.js',
      'C:\\src\\node_modules\\react\\index.js?commonjs',
    ]),
  ).toEqual([
    'C:\\src\\node_modules\\react',
    'node_modules/@fastify/send',
    'node_modules/@fastify/send/node_modules/mime',
    'node_modules/zod',
  ]);
});

test('a bill of materials keeps shipped packages, and dependencies on those alone', () => {
  const component = (name: string) => ({ 'bom-ref': `${name}@1.0.0`, name, version: '1.0.0' });
  const bom: Bom = {
    metadata: { component: { 'bom-ref': 'own@0.1.0', name: 'own' } },
    components: [component('a'), component('b'), component('tool')],
    dependencies: [
      { ref: 'own@0.1.0', dependsOn: ['a@1.0.0', 'tool@1.0.0'] },
      { ref: 'a@1.0.0', dependsOn: ['b@1.0.0', 'tool@1.0.0'] },
      { ref: 'tool@1.0.0', dependsOn: ['b@1.0.0'] },
    ],
  };
  expect(onlyShipped(bom, ({ name }) => name !== 'tool')).toEqual({
    ...bom,
    components: [component('a'), component('b')],
    dependencies: [
      { ref: 'own@0.1.0', dependsOn: ['a@1.0.0'] },
      { ref: 'a@1.0.0', dependsOn: ['b@1.0.0'] },
    ],
  });
});

test('the notices of a package are its license files, each text once', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'groundctl-notices-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  expect(noticesIn(folder)).toBe('');
  mkdirSync(path.join(folder, 'licenses'));
  writeFileSync(path.join(folder, 'LICENSE'), 'MIT\n');
  writeFileSync(path.join(folder, 'LICENSE-MIT.md'), 'MIT');
  writeFileSync(path.join(folder, 'NOTICE'), 'by others\n');
  writeFileSync(path.join(folder, 'README.md'), 'read me');
  expect(noticesIn(folder)).toBe('MIT\n\nby others');
});
