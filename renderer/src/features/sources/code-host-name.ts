import type { CodeHost } from '#shared/sources/code-host';

const names = {
  github: 'GitHub',
  gitlab: 'GitLab',
  bitbucket: 'Bitbucket',
  gitea: 'Gitea',
  forgejo: 'Forgejo',
} as const satisfies Record<Exclude<CodeHost, 'none'>, string>;

/** Returns the name of a kind of code host; undefined when none is named. */
export const codeHostName = (host: CodeHost): string | undefined => (host === 'none' ? undefined : names[host]);
