import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { makeFolder } from '#server/kernel/disk';
import { bounds } from './bounds.ts';

/*
 * Stores the packs fetched last for a Source, one per commit: another path of the same commit needs no second fetch,
 * and the next commit only new objects. Stored packs are not trusted: each is verified like one from the network, and a
 * broken one is fetched again.
 */

/** A pack with the whole tree of a commit; `joins` counts how often another pack was added to it. */
export type StoredPack = { commit: string; joins: number; bytes: Buffer };

/** Maximum number of commits whose packs are kept. */
const maxStoredPacks = 2;
/** Maximum number of additions to a pack. Objects that only older commits used remain in it. */
const mostJoins = 64;
const packName = /^([0-9a-f]{64}|[0-9a-f]{40})(?:-(\d{1,2}))?\.pack$/;
const nameOf = ({ commit, joins }: Omit<StoredPack, 'bytes'>) => `${commit}${joins === 0 ? '' : `-${joins}`}.pack`;

type PackFile = { commit: string; joins: number; name: string; usedAt: number };

/** Lists packs, most recently used first. */
function listPacks(dir: string): PackFile[] {
  const entries = fs.existsSync(dir) ? fs.readdirSync(dir, { withFileTypes: true }) : [];
  const packs = entries.flatMap((entry): PackFile[] => {
    const [, commit, joins] = packName.exec(entry.name) ?? [];
    if (commit === undefined || !entry.isFile()) return [];
    const { mtimeMs: usedAt } = fs.statSync(path.join(dir, entry.name));
    return [{ commit, joins: Number(joins ?? 0), name: entry.name, usedAt }];
  });
  return packs.sort((left, right) => right.usedAt - left.usedAt);
}

function load(dir: string, { commit, joins, name }: PackFile, mostBytes: number): StoredPack | undefined {
  const file = path.join(dir, name);
  if (fs.statSync(file).size > mostBytes) return undefined;
  fs.utimesSync(file, new Date(), new Date());
  return { commit, joins, bytes: fs.readFileSync(file) };
}

export function loadPack(dir: string, commit: string): StoredPack | undefined {
  const match = listPacks(dir).find((one) => one.commit === commit);
  return match && load(dir, match, bounds.packBytes);
}

/** Returns the most recently used pack, if another one may be added to it. */
export function loadBase(dir: string): StoredPack | undefined {
  const [newest] = listPacks(dir);
  return newest && newest.joins < mostJoins ? load(dir, newest, bounds.packBytes / 2) : undefined;
}

/**
 * Stores a pack, and removes the least recently used ones. A file that a crash left incomplete never has the final
 * name.
 */
export function savePack(dir: string, pack: StoredPack): void {
  makeFolder(dir);
  const temporary = path.join(dir, `.${randomUUID()}.tmp`);
  try {
    fs.writeFileSync(temporary, pack.bytes, { mode: 0o600, flag: 'wx' });
    fs.renameSync(temporary, path.join(dir, nameOf(pack)));
  } finally {
    fs.rmSync(temporary, { force: true });
  }
  const others = listPacks(dir).filter(({ name }) => name !== nameOf(pack));
  const outlived = others.filter(({ commit }, at) => commit === pack.commit || at >= maxStoredPacks - 1);
  for (const { name } of outlived) fs.rmSync(path.join(dir, name), { force: true });
}

export function dropPack(dir: string, commit: string): void {
  for (const { name } of listPacks(dir).filter((one) => one.commit === commit))
    fs.rmSync(path.join(dir, name), { force: true });
}
