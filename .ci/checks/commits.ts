// Checks commit messages by `commitlint.config.mjs`: all since the named commit, in a shallow clone only HEAD.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import lint from '@commitlint/lint';
import load from '@commitlint/load';
import { repositoryRoot } from '#server/kernel/entry';
import { lastUncheckedCommit } from '../../commitlint.config.mjs';

/**
 * Returns the output of Git, undefined when it fails: outside a repository, or for a commit that a shallow clone lacks.
 */
function git(...argv: string[]): string | undefined {
  try {
    const options = { cwd: repositoryRoot, encoding: 'utf8', maxBuffer: 268_435_456 } as const;
    return execFileSync('git', argv, { ...options, stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return undefined;
  }
}

/** Full messages of the commits to check, newest first; undefined where there is no history. Throws when Git fails. */
function readMessages(): string[] | undefined {
  const hasStart = git('merge-base', '--is-ancestor', lastUncheckedCommit, 'HEAD') !== undefined;
  const range = hasStart ? [`${lastUncheckedCommit}..HEAD`] : ['-1', 'HEAD'];
  const log = git('log', '--format=%B%x00', ...range);
  if (log === undefined && existsSync(path.join(repositoryRoot, '.git'))) throw new Error('git log failed here.');
  return log
    ?.split('\0')
    .map((message) => message.trim())
    .filter((message) => message !== '');
}

let configuration: ReturnType<typeof load> | undefined;

/** Problems of one message, as `subject: problem`. */
export async function findMessageProblems(message: string): Promise<string[]> {
  configuration ??= load({}, { cwd: repositoryRoot, file: 'commitlint.config.mjs' });
  const { rules, parserPreset } = await configuration;
  const parserOpts = parserPreset?.parserOpts;
  const { errors } = await lint(message, rules, parserOpts ? { parserOpts } : {});
  return errors.map(({ message: problem }) => `${message.split('\n')[0]}: ${problem}`);
}

if (process.argv[1] === import.meta.filename) {
  const messages = readMessages();
  const problems = (await Promise.all((messages ?? []).map(findMessageProblems))).flat();
  for (const problem of problems) console.error(problem);
  if (messages === undefined) console.log('commits: no Git history here, so no message is checked');
  else
    console.log(
      `commits: ${messages.length} messages, ${problems.length === 0 ? 'nothing to correct' : `${problems.length} problems`}`,
    );
  process.exitCode = problems.length === 0 ? 0 : 1;
}
