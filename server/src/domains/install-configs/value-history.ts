import { canonicalJson } from '#server/kernel/digest';
import { parseExactly } from '#shared/kernel/exact-number';
import type { JsonObject } from '#shared/kernel/json';
import type { ConfigDigests } from './digests.ts';
import type { ConfigVersionRow, InstallConfigsStore } from './store.ts';

/** The version of a configuration that gave a variable its value. */
export type ValueVersion = {
  id: string;
  createdAt: number;
  /** True for the configuration that the Capsule was created with. */
  isFirst: boolean;
  /** True when the search ended before an older version could be compared. */
  orEarlier: boolean;
};
type Version = { row: ConfigVersionRow; plain: JsonObject; secret: JsonObject; secretText: string };

const maxVersions = 2_000;
const maxBytes = 8 * 1_024 * 1_024;

type Deps = {
  store: Pick<InstallConfigsStore, 'findVersion'>;
  digests: Pick<ConfigDigests, 'openSecretText'>;
};

/** Follows a configuration to the ones it succeeded. The number of versions and of parsed bytes is limited. */
export function createValueHistory({ store, digests }: Deps) {
  /** Returns undefined for a missing row and for one that cannot be read. Unchanged members are not parsed again. */
  function openVersion(id: string, newer: Version | undefined): Version | undefined {
    const row = store.findVersion(id);
    if (!row) return undefined;
    try {
      const secretText = digests.openSecretText(row);
      return {
        row,
        secretText,
        plain: newer?.row.variables === row.variables ? newer.plain : (parseExactly(row.variables) as JsonObject),
        secret: newer?.secretText === secretText ? newer.secret : (parseExactly(secretText) as JsonObject),
      };
    } catch {
      return undefined;
    }
  }

  /** Yields each version with the one before it, newest first; at a limit the older one is left out. */
  function* pairs(id: string): Generator<{ version: Version; older: Version | undefined }> {
    let version = openVersion(id, undefined);
    let bytes = 0;
    for (let count = 1; version; count += 1) {
      const { previousId } = version.row;
      const isOver = count >= maxVersions || bytes > maxBytes;
      const older: Version | undefined = previousId === null || isOver ? undefined : openVersion(previousId, version);
      yield { version, older };
      if (older && older.plain !== version.plain) bytes += older.row.variables.length;
      if (older && older.secret !== version.secret) bytes += older.secretText.length;
      version = older;
    }
  }

  return {
    /** Returns, by variable, the first version in the unbroken tail of the chain that has the value of today. */
    findValueVersions(id: string, names: readonly string[]): Map<string, ValueVersion> {
      const found = new Map<string, ValueVersion>();
      let pending = [...names];
      for (const { version, older } of pairs(id)) {
        if (pending.length === 0) break;
        const { id: versionId, createdAt, previousId } = version.row;
        const isFirst = previousId === null;
        const unchanged = pending.filter((name) => older !== undefined && isSame(version, older, name));
        for (const name of pending)
          if (!unchanged.includes(name))
            found.set(name, { id: versionId, createdAt, isFirst, orEarlier: !isFirst && !older });
        pending = unchanged;
      }
      return found;
    },
  };
}

function isSame(newer: Version, older: Version, name: string): boolean {
  if (newer.plain === older.plain && newer.secret === older.secret) return true;
  const values = [newer, older].map(({ plain, secret }) => {
    const held = Object.hasOwn(secret, name) ? secret : plain;
    return Object.hasOwn(held, name) ? held[name] : undefined;
  });
  return values.every((value) => value !== undefined) && canonicalJson(values[0]) === canonicalJson(values[1]);
}
