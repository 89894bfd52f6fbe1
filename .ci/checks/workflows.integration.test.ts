import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { repositoryRoot } from '#server/kernel/entry';
import { cacheDir } from '../../e2e/fixtures/tool.ts';

const actionlint = path.join(cacheDir, 'actionlint/1.7.12/actionlint');
const hasActionlint = existsSync(actionlint);
if (!hasActionlint)
  process.stderr.write('\n!! No actionlint in the cache: run .ci/prepare to check the workflows.\n\n');

const folder = path.join(repositoryRoot, '.github/workflows');
const names = readdirSync(folder).sort();
const workflows = names.map((name) => ({ name, text: readFileSync(path.join(folder, name), 'utf8') }));

/** Returns problems of a workflow that actionlint accepts. */
function problemsOf(text: string): string[] {
  const lines = text.split('\n');
  const unpinned = lines.filter((line) => /\buses:/.test(line) && !/uses: [\w./-]+@[0-9a-f]{40} # v\d/.test(line));
  const inserted = lines.filter((line) => /^\s*(?:- )?run:.*\$\{\{/.test(line));
  const scripts = [...text.matchAll(/\.ci\/[\w./-]+/g)].map(([name]) => name);
  const missing = scripts.filter((name) => !existsSync(path.join(repositoryRoot, name)));
  const isOpen = !/^permissions:\n {2}contents: read\n(?! )/m.test(text);
  const hasSecrets = /\bpull_request/.test(text) && /\bsecrets\./.test(text);
  return [
    ...unpinned.map((line) => `not pinned: ${line.trim()}`),
    ...inserted.map((line) => `an expression inside a command: ${line.trim()}`),
    ...missing.map((name) => `no such script: ${name}`),
    ...(isOpen ? ['its token may do more than read'] : []),
    ...(hasSecrets ? ['a pull request can read secrets'] : []),
  ];
}

test.skipIf(!hasActionlint)('actionlint accepts the workflows, and refuses a planted mistake', () => {
  const files = names.map((name) => path.join(folder, name));
  const clean = spawnSync(actionlint, ['-shellcheck=', '-pyflakes=', ...files], { encoding: 'utf8' });
  expect(clean.stdout).toBe('');
  expect(clean.status).toBe(0);
  const input = workflows[0]?.text.replace('runs-on: ubuntu-24.04', 'runs-on: ubuntu-1.04');
  const planted = spawnSync(actionlint, ['-shellcheck=', '-pyflakes=', '-'], { input, encoding: 'utf8' });
  expect(planted.stdout).toContain('label "ubuntu-1.04" is unknown');
});

test.each(workflows)('$name pins its actions, may only read, and calls scripts that exist', ({ text }) => {
  expect(problemsOf(text)).toEqual([]);
});

test('finds an action without a commit, an expression in a command, a missing script and too many rights', () => {
  const secret = `$${'{{ secrets.A }}'}`;
  const text = `on: pull_request\npermissions: write-all\n- uses: a/b@v4\n- run: .ci/none.sh ${secret}\n`;
  expect(problemsOf(text)).toEqual([
    'not pinned: - uses: a/b@v4',
    `an expression inside a command: - run: .ci/none.sh ${secret}`,
    'no such script: .ci/none.sh',
    'its token may do more than read',
    'a pull request can read secrets',
  ]);
});
