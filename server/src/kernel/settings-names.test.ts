import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryRoot } from './entry.ts';
import { readSettings } from './settings.ts';
import { settingNames } from './settings-names.ts';

const read = (env: Record<string, string>) => readSettings({ GROUNDCTL_DATA_DIR: '/data', ...env });

describe('unknown names', () => {
  it('are listed when they resemble settings', () => {
    const env = { GROUNDCTL_PROT: '1', SVC_OTHER: '2', OTHER: '3', GROUNDCTL_PORT: '4', GROUNDCTL_TOKEN: '5' };
    expect(read(env).unknownNames).toEqual(['GROUNDCTL_PROT', 'SVC_OTHER']);
  });

  it('do not include a name that a reader of settings uses', () => {
    const files = fs.readdirSync(import.meta.dirname).filter((name) => /^settings[\w-]*\.ts$/.test(name));
    const sources = files.filter((name) => !name.includes('names') && !name.endsWith('.test.ts'));
    const used = sources.flatMap((name) =>
      [...fs.readFileSync(path.join(import.meta.dirname, name), 'utf8').matchAll(/'((?:GROUNDCTL|SVC)_\w+)'/g)].map(
        ([, setting]) => setting,
      ),
    );
    expect(used.length).toBeGreaterThan(30);
    expect(used.filter((name) => !settingNames.includes(name ?? ''))).toEqual([]);
  });
});

it('documents every setting in docs/settings.md, and no other', () => {
  const page = fs.readFileSync(path.join(repositoryRoot, 'docs/settings.md'), 'utf8');
  const named = [...page.matchAll(/`((?:GROUNDCTL|SVC)_\w*[A-Z])\b/g)].map(([, name]) => name);
  expect([...new Set(named)].sort()).toEqual([...settingNames].sort());
});
