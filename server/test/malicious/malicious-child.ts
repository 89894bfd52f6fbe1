import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { GitError } from '../../src/drivers/git/index.ts';
import { startGit } from '../git-driver.ts';

/*
 * Syncs the given repositories, in a process that may write to one folder and start nothing (`node --permission`). An
 * action that this refuses appears as an unexpected failure.
 */

const [work = '', host = '', count = '0'] = process.argv.slice(2);

const refusalOf = (operation: () => unknown): string => {
  try {
    operation();
    return 'allowed';
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  }
};
const report = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

// The result includes a proof that the permission fence is active.
report({
  fence: [
    refusalOf(() => fs.writeFileSync(path.join(work, 'inside'), '')),
    refusalOf(() => fs.writeFileSync(path.join(work, '..', 'outside'), '')),
    refusalOf(() => spawnSync(process.execPath)),
  ],
});

const git = startGit({ allowLoopback: true, allowLocal: false });
for (let at = 0; at < Number(count); at += 1) {
  const began = performance.now();
  const folders = { repositoryDir: path.join(work, 'git', String(at)), archivesDir: path.join(work, 'archives') };
  const lines: string[] = [];
  const outcome = await git
    .sync({ url: `${host}/${at}`, ref: 'main', path: '.' }, { ...folders, onLine: (line) => lines.push(line) })
    .then(
      ({ fileCount, leftOut }) => ({ code: 'kept', fileCount, leftOut }),
      (error: unknown) =>
        error instanceof GitError ? { code: error.code, message: error.message } : { code: String(error) },
    );
  report({ at, ...outcome, lines: lines.length, ms: Math.round(performance.now() - began) });
}
await git.close();
