import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { z } from 'zod';
import { apiTables } from '#shared/api';
import { declarationsOf, operationsOf } from './src/domains/discovery/client/declarations.ts';

const root = path.resolve(import.meta.dirname, '..');
const shared = path.join(root, 'shared/src');

/** Every record that has a name in the contracts of the rooms: the client's types use the same words. */
async function readContracts(): Promise<Record<string, z.ZodType>> {
  const files = readdirSync(shared, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /[\\/](?:\w+-)?contract\.ts$/.test(file),
  );
  const modules = await Promise.all(files.sort().map((file) => import(path.join(shared, file)) as Promise<object>));
  const exportEntries = modules.flatMap((module) => Object.entries(module));
  return Object.fromEntries(exportEntries.filter(([, value]) => value instanceof z.ZodType)) as Record<
    string,
    z.ZodType
  >;
}

/** Builds the published client into a folder: one module without dependencies, and its declarations. */
export async function buildClient(outdir: string): Promise<void> {
  mkdirSync(outdir, { recursive: true });
  await build({
    entryPoints: { index: path.join(root, 'server/src/domains/discovery/client/client.ts') },
    outdir,
    bundle: true,
    platform: 'neutral',
    format: 'esm',
    target: 'es2022',
    define: { __OPERATIONS__: JSON.stringify(operationsOf(apiTables)) },
    logLevel: 'warning',
  });
  writeFileSync(path.join(outdir, 'index.d.ts'), declarationsOf(apiTables, await readContracts()));
}
