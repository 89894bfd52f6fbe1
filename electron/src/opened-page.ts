import { statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { pageOfAddress, pageOfDeepLink } from '#shared/dashboard/deep-link';

/**
 * Returns the page for what the system opens with the desktop: a `groundctl://` link, a folder, or the https address of a
 * repository. The page only shows it. Undefined for anything else.
 */
export function pageOfOpened(opened: string): string | undefined {
  const page = pageOfDeepLink(opened);
  if (page !== undefined) return page;
  const folder = localPath(opened);
  if (folder !== undefined) return isFolder(folder) ? pageOfAddress(folder) : undefined;
  return isPlainHttps(opened) ? pageOfAddress(opened) : undefined;
}

/** Finds the page among the arguments of a start. Switches, the program and the folder of the application are none. */
export function findOpenedPage(argv: readonly string[], appFolder: string): string | undefined {
  for (const argument of argv.slice(1)) {
    if (argument.startsWith('-') || path.resolve(argument) === path.resolve(appFolder)) continue;
    const page = pageOfOpened(argument);
    if (page !== undefined) return page;
  }
  return undefined;
}

/** Absolute paths of this machine only: looking at a path of another one would send it the person's name. */
function localPath(opened: string): string | undefined {
  if (opened.startsWith('file:///')) {
    try {
      return localPath(fileURLToPath(opened));
    } catch {
      return undefined;
    }
  }
  const isLocal = opened.startsWith('/') ? !opened.startsWith('//') : /^[a-z]:[\\/]/i.test(opened);
  return isLocal ? opened : undefined;
}

function isFolder(file: string): boolean {
  try {
    return statSync(file).isDirectory();
  } catch {
    return false;
  }
}

function isPlainHttps(opened: string): boolean {
  const url = opened.length <= 2_048 && !/[\s\p{Cc}]/u.test(opened) ? URL.parse(opened) : null;
  return url?.protocol === 'https:' && url.username === '' && url.password === '';
}
