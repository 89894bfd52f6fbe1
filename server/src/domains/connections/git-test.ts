import { type Git, type GitCredential, GitError } from '#server/drivers/git/index';
import type { Verdict } from './check/run-check.ts';
import type { ConnectionRow } from './store.ts';

/** Tests a token for repositories by listing the refs of one. */
export type TestGit = (row: ConnectionRow, credential: GitCredential | undefined) => Promise<Verdict>;

type Deps = {
  git: Pick<Git, 'listTags'>;
  /** The repository that the Connection was used for last. */
  findUrl: (connectionId: string) => string | undefined;
};

const timeoutMs = 60_000;

/** Errors caused by the token; any other error says nothing about the token. */
const tokenFaults: ReadonlySet<string> = new Set(['source_auth_failed', 'source_not_git']);

export const createGitTest =
  ({ git, findUrl }: Deps): TestGit =>
  async (row, credential) => {
    const hint = row.scopeHints?.providerConfig?.['url'];
    const url = typeof hint === 'string' ? hint : findUrl(row.id);
    if (!credential) return { outcome: 'expire', detail: 'The token has expired.' };
    if (url === undefined)
      return {
        outcome: 'unknown',
        detail:
          'No Source uses this Connection yet, so there is no repository to test it with. Enter a repository address for the test.',
      };
    try {
      await git.listTags({ url, credential }, AbortSignal.timeout(timeoutMs));
      return { outcome: 'pass' };
    } catch (error) {
      if (!(error instanceof GitError)) throw error;
      return { outcome: tokenFaults.has(error.code) ? 'fail' : 'unknown', detail: error.message };
    }
  };
