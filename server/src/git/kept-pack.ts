import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { makeFolder } from '#server/kernel/disk';
import { bounds } from './bounds.ts';

/*
 * The packs fetched last for a Source, one per commit, so that another path of the same commit needs no second fetch.
 * Nothing here is trusted: a pack is read with the same proofs as one from the network, and a broken one is fetched anew.
 */

/** Commits whose packs stay. */
const keptPacks = 2;
const packName = /^[0-9a-f]{40,64}\.pack$/;

export function loadPack(dir: string, commit: string): Buffer | undefined {
  const file = path.join(dir, `${commit}.pack`);
  const found = fs.statSync(file, { throwIfNoEntry: false });
  if (!found?.isFile() || found.size > bounds.packBytes) return undefined;
  fs.utimesSync(file, new Date(), new Date());
  return fs.readFileSync(file);
}

/** Keeps a pack, and removes the ones used longest ago. A file half written by a crash never has the final name. */
export function savePack(dir: string, commit: string, pack: Buffer): void {
  makeFolder(dir);
  const temporary = path.join(dir, `.${randomUUID()}.tmp`);
  try {
    fs.writeFileSync(temporary, pack, { mode: 0o600, flag: 'wx' });
    fs.renameSync(temporary, path.join(dir, `${commit}.pack`));
  } finally {
    fs.rmSync(temporary, { force: true });
  }
  const packs = fs.readdirSync(dir).filter((name) => packName.test(name));
  const byAge = packs.map((name) => ({ name, used: fs.statSync(path.join(dir, name)).mtimeMs }));
  byAge.sort((left, right) => right.used - left.used);
  for (const { name } of byAge.slice(keptPacks)) fs.rmSync(path.join(dir, name), { force: true });
}

export function dropPack(dir: string, commit: string): void {
  fs.rmSync(path.join(dir, `${commit}.pack`), { force: true });
}
