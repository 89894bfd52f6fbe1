import { globSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { repositoryRoot } from '#server/kernel/entry';

const folder = path.join(repositoryRoot, 'renderer/src/i18n');

it.each(['en', 'ja'])('every text of %s has one place, because a later one would replace it', async (language) => {
  const files = globSync(`${language}/*.ts`, { cwd: folder }).filter((file) => !file.endsWith('/index.ts'));
  const modules = await Promise.all(
    files.map(async (file) => (await import(path.join(folder, file))) as Record<string, object>),
  );
  const ids = modules.flatMap((module) => Object.values(module)).flatMap((texts) => Object.keys(texts));
  expect(ids.length).toBeGreaterThan(1_000);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
});
