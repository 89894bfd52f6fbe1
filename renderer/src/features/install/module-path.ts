import { isRelativePath } from '#shared/relative-path';
import { modulePathOf as moduleOf } from '#shared/sources/inspection';
import type { InstallModule } from '#shared/sources/module-scan';
import type { Inspection } from './inspection.ts';

/**
 * Returns the module that the user chose or a link names, even when the list does not contain it, else the only one.
 */
export function modulePathOf(
  modules: readonly Pick<InstallModule, 'path'>[],
  { modulePath, prefill }: Pick<Inspection, 'modulePath' | 'prefill'>,
): string | undefined {
  return moduleOf(modules, modulePath ?? prefill?.path);
}

/** Normalizes a typed path for the API, or returns undefined when it is not a folder of the repository. */
export function readFolder(text: string): string | undefined {
  const folder = text
    .trim()
    .replace(/^(?:\.\/)+/, '')
    .replace(/^\/+|\/+$/g, '');
  return folder !== '' && isRelativePath(folder) ? folder : undefined;
}

/** Returns the path of a module from the root of the repository. */
export function inRepository(sourcePath: string, modulePath = '.'): string {
  const parts = [sourcePath, modulePath].filter((part) => part !== '.');
  return parts.length === 0 ? '.' : parts.join('/');
}
