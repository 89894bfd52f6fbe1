import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { makeFolder } from '#server/kernel/disk';
import { bounds } from './bounds.ts';

/*
 * The packs fetched last for a Source, one per commit: another path of the same commit needs no second fetch, and the
 * next commit only what is new. Nothing here is trusted: a pack is read with the same proofs as one from the network, and
 * a broken one is fetched anew.
 */

/** A pack with the whole tree of a commit; `joins` is how often another one was added to it. */
export type StoredPack = { commit: string; joins: number; bytes: Buffer };

/** Commits whose packs stay. */
const maxStoredPacks = 2;
/** How often a pack may be added to: what older commits alone held stays in it. */
const mostJoins = 64;
const packName = /^([0-9a-f]{64}|[0-9a-f]{40})(?:-(\d{1,2}))?\.pack$/;
const nameOf = ({ commit, joins }: Omit<StoredPack, 'bytes'>) => `${commit}${joins === 0 ? '' : `-${joins}`}.pack`;

type PackFile = { commit: string; joins: number; name: string; usedAt: number };

/** Newest use first. */
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

/** The pack used last, when another one may be added to it. */
export function loadBase(dir: string): StoredPack | undefined {
  const [newest] = listPacks(dir);
  return newest && newest.joins < mostJoins ? load(dir, newest, bounds.packBytes / 2) : undefined;
}

/** Keeps a pack, and removes the ones used longest ago. A file half written by a crash never has the final name. */
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
