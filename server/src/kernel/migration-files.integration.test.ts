import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { schemaFiles } from '../../drizzle.config.ts';
import { tempDir } from '../../test/harness.ts';
import { repositoryRoot } from './entry.ts';

const migrations = path.join(repositoryRoot, 'server/migrations');
const { entries } = JSON.parse(fs.readFileSync(path.join(migrations, 'meta/_journal.json'), 'utf8')) as {
  entries: { idx: number; when: number; tag: string }[];
};

/** Returns the tables that a migration drops and does not create again under the same name, as a rebuild does. */
function droppedTables(sql: string): string[] {
  const dropped = [...sql.matchAll(/DROP TABLE (?:IF EXISTS )?[`"[]?(\w+)/gi)].map(([, name]) => name);
  const renamed = new Set([...sql.matchAll(/RENAME TO [`"[]?(\w+)/gi)].map(([, name]) => name));
  return dropped.filter((name) => !renamed.has(name)) as string[];
}
/** Returns the tables that a migration announces to drop, one comment line each: `-- drops table runs`. */
const announcedDrops = (sql: string): (string | undefined)[] =>
  [...sql.matchAll(/^-- drops table (\w+)$/gm)].map(([, name]) => name);

describe('migration files', () => {
  it('are generated from every schema of the server', () => {
    const schemas = fs
      .readdirSync(path.join(repositoryRoot, 'server/src'), { recursive: true, encoding: 'utf8' })
      .filter((name) => path.basename(name) === 'schema.ts')
      .map((name) => path.join('server/src', name));
    expect(schemas.length).toBeGreaterThanOrEqual(20);
    expect(fs.globSync(schemaFiles, { cwd: repositoryRoot }).sort()).toEqual(schemas.sort());
  });

  it('are up to date with the schemas', () => {
    const folder = tempDir();
    try {
      fs.cpSync(migrations, path.join(folder, 'migrations'), { recursive: true });
      const before = fs.readdirSync(path.join(folder, 'migrations'), { recursive: true });
      const schema = schemaFiles.map((name) => path.join(repositoryRoot, name));
      const config = { dialect: 'sqlite', schema, out: './migrations' };
      fs.writeFileSync(path.join(folder, 'drizzle.config.json'), JSON.stringify(config));
      const drizzleKit = path.join(repositoryRoot, 'node_modules/drizzle-kit/bin.cjs');
      const argv = [drizzleKit, 'generate', '--config=drizzle.config.json'];
      const output = execFileSync(process.execPath, argv, { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
      expect(output).toContain('No schema changes');
      expect(fs.readdirSync(path.join(folder, 'migrations'), { recursive: true })).toEqual(before);
    } finally {
      fs.rmSync(folder, { recursive: true });
    }
  });

  it('are numbered by the journal, in the order of their time', () => {
    expect(entries.map(({ tag }) => tag.slice(0, 5))).toEqual(
      entries.map((_, index) => `${String(index).padStart(4, '0')}_`),
    );
    expect(entries.map(({ idx }) => idx)).toEqual(entries.map((_, index) => index));
    const times = entries.map(({ when }) => when);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(new Set(times).size).toBe(times.length);
    const files = fs.readdirSync(migrations).filter((name) => name.endsWith('.sql'));
    expect(files.sort()).toEqual(entries.map(({ tag }) => `${tag}.sql`));
  });

  it('drop no table that they do not announce', () => {
    for (const { tag } of entries) {
      const sql = fs.readFileSync(path.join(migrations, `${tag}.sql`), 'utf8');
      expect({ tag, dropped: droppedTables(sql) }).toEqual({ tag, dropped: announcedDrops(sql) });
    }
  });

  it('are checked for drops by a rule that distinguishes a rebuild from a loss', () => {
    const rebuild = 'CREATE TABLE `__new_runs` (id);\nDROP TABLE `runs`;\nALTER TABLE `__new_runs` RENAME TO `runs`;';
    expect(droppedTables(rebuild)).toEqual([]);
    expect(['DROP TABLE `runs`;', 'DROP TABLE "runs";'].map(droppedTables)).toEqual([['runs'], ['runs']]);
    expect(announcedDrops('-- drops table runs\nDROP TABLE `runs`;')).toEqual(['runs']);
  });
});
