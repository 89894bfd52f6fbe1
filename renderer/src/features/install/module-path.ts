import { isRelativePath } from '#shared/relative-path';
import type { InstallModule } from '#shared/sources/module-scan';
import type { Inspection } from './inspection.ts';

/** The module that a person chose or a link names, also one that the list leaves out, else the only one there is. */
export function modulePathOf(
  modules: readonly Pick<InstallModule, 'path'>[],
  { modulePath, prefill }: Pick<Inspection, 'modulePath' | 'prefill'>,
): string | undefined {
  return modulePath ?? prefill?.path ?? (modules.length === 1 ? modules[0]?.path : undefined);
}

/** Reads a typed folder in the form of the API, or undefined when it is no folder of the repository. */
export function readFolder(text: string): string | undefined {
  const folder = text
    .trim()
    .replace(/^(?:\.\/)+/, '')
    .replace(/^\/+|\/+$/g, '');
  return folder !== '' && isRelativePath(folder) ? folder : undefined;
}

/** The folder of a module as seen from the top of the repository. */
export function inRepository(sourcePath: string, modulePath = '.'): string {
  const parts = [sourcePath, modulePath].filter((part) => part !== '.');
  return parts.length === 0 ? '.' : parts.join('/');
}
