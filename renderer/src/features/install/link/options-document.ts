import type { OptionsLink } from '#shared/sources/install-link';
import { writeInstallLink } from '#shared/sources/install-link';
import type { SourceOption } from '#shared/sources/source-options';
import { api } from '../../../api/client.ts';
import { type Inspection, inspectAddress } from '../inspection.ts';
import { type NewSearch, searchOf } from '../search.ts';

/** A document that the user requested: its sync and, when the link names no ref, the resolved tag. */
export type Reading = { query: string; tag?: string; look: Inspection };

const key = 'install.options';

/** Stored per tab, so that a reload continues with the same commit. */
export function readReading(link: OptionsLink): Reading | undefined {
  try {
    const stored = JSON.parse(sessionStorage.getItem(key) ?? 'null') as Reading | null;
    return stored?.query === writeInstallLink(link) ? stored : undefined;
  } catch {
    return undefined;
  }
}

export function keepReading(reading: Reading): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(reading));
  } catch {
    // If storage is full or forbidden, only the position after a reload is lost.
  }
}

/** Folder and name of the file. Only its folder is fetched. */
export function splitFile(path: string): { folder: string; file: string } {
  const cut = path.lastIndexOf('/');
  return cut < 0 ? { folder: '.', file: path } : { folder: path.slice(0, cut), file: path.slice(cut + 1) };
}

const stableVersion = async (workspaceId: string, url: string) =>
  (await api.resolveStableVersion({ params: { workspaceId }, body: { url } })).body;

/**
 * Requests the document. Without a ref it is the one of the highest stable version, pinned to its commit, so that a
 * moved tag changes nothing.
 */
export async function startReading(workspaceId: string, link: OptionsLink): Promise<Reading> {
  const stable = link.ref === undefined ? await stableVersion(workspaceId, link.git) : undefined;
  const ref = link.ref ?? stable?.commit ?? 'HEAD';
  const inspection = await inspectAddress(workspaceId, { url: link.git, ref, path: splitFile(link.path).folder });
  return { query: writeInstallLink(link), ...(stable && { tag: stable.tag }), look: inspection };
}

/** Returns the install link of an option, pinned to a commit when the option names no ref. */
export async function linkOfOption(
  workspaceId: string,
  { source: { url, ref, path } }: SourceOption,
): Promise<NewSearch> {
  const pinned = ref ?? (await stableVersion(workspaceId, url)).commit;
  return searchOf({ kind: 'module', git: url, ref: pinned, sourcePath: path });
}
