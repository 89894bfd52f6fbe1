import path from 'node:path';
import { repositoryRoot } from '#server/kernel/entry';
import { commonJs } from '../build-supervisor.ts';
import { entries } from '../src/kernel/entry.ts';
import { bundlePrograms } from './bundle.ts';

/**
 * Bundles the workers and children of the sources into a folder of this name. Otherwise each start would strip the types
 * of some hundred files, which takes several times as long as its work. Returns the path of the folder.
 */
export async function bundleChildren(name: string): Promise<string> {
  const from = (file: string): string => path.join(repositoryRoot, 'server/src', file);
  const { supervisor, ...others } = entries;
  await bundlePrograms(name, { supervisor: from(supervisor) }, commonJs);
  return bundlePrograms(name, Object.fromEntries(Object.entries(others).map(([entry, file]) => [entry, from(file)])));
}
