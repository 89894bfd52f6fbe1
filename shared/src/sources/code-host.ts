/** Kinds of code host that a Source can name; `forgejo` builds the links of Gitea. */
export const codeHosts = ['none', 'github', 'gitlab', 'bitbucket', 'gitea', 'forgejo'] as const;
export type CodeHost = (typeof codeHosts)[number];

/** Hosts that need no setting. */
const knownHosts: ReadonlyMap<string, CodeHost> = new Map([
  ['github.com', 'github'],
  ['gitlab.com', 'gitlab'],
  ['bitbucket.org', 'bitbucket'],
  ['codeberg.org', 'forgejo'],
]);

type Builders = {
  commit: (commit: string) => string;
  tree: (commit: string, path: string) => string;
  /** Undefined where the host has no page for it. */
  compare: (from: string, to: string) => string;
};

const gitHub = (base: string): Builders => ({
  commit: (commit) => `${base}/commit/${commit}`,
  tree: (commit, path) => `${base}/tree/${commit}${path}`,
  compare: (from, to) => `${base}/compare/${from}...${to}`,
});

const buildersOf = {
  github: gitHub,
  gitlab: (base) => ({
    commit: (commit) => `${base}/-/commit/${commit}`,
    tree: (commit, path) => `${base}/-/tree/${commit}${path}`,
    compare: (from, to) => `${base}/-/compare/${from}...${to}`,
  }),
  bitbucket: (base) => ({
    commit: (commit) => `${base}/commits/${commit}`,
    tree: (commit, path) => `${base}/src/${commit}${path}`,
    // Bitbucket names the newer commit first, and its separator is an encoded carriage return.
    compare: (from, to) => `${base}/branches/compare/${to}%0D${from}`,
  }),
  gitea: (base) => ({ ...gitHub(base), tree: (commit, path) => `${base}/src/commit/${commit}${path}` }),
  forgejo: (base) => ({ ...gitHub(base), tree: (commit, path) => `${base}/src/commit/${commit}${path}` }),
} as const satisfies Record<Exclude<CodeHost, 'none'>, (base: string) => Builders>;

export type CodeLinks = {
  /** Host name, for the text of a link. */
  host: string;
  commit: (commit: string) => string;
  /** Folder or file at a commit; `.` is the root of the repository. */
  tree: (commit: string, path: string) => string;
  compare: (from: string, to: string) => string;
};

const commitPattern = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/**
 * Returns the pages of a repository on its code host, or undefined when the host has none that is known: local paths,
 * and hosts of a kind that no one has named. Links are always `https:`, or the protocol of a web address that has one,
 * and never contain user names.
 */
export function codeLinksOf(source: { url: string; codeHost: CodeHost }): CodeLinks | undefined {
  const address = webAddress(source.url);
  if (address === undefined) return undefined;
  const kind = source.codeHost === 'none' ? knownHosts.get(address.host) : source.codeHost;
  if (kind === undefined || kind === 'none') return undefined;
  const builders = buildersOf[kind](address.base);
  return {
    host: address.host,
    commit: (commit) => builders.commit(requireCommit(commit)),
    tree: (commit, path) => builders.tree(requireCommit(commit), encodedPath(path)),
    compare: (from, to) => builders.compare(requireCommit(from), requireCommit(to)),
  };
}

function requireCommit(commit: string): string {
  if (!commitPattern.test(commit)) throw new Error('A commit is 40 or 64 lower-case hex digits.');
  return commit;
}

const encodedPath = (path: string): string =>
  path === '.' ? '' : `/${path.split('/').map(encodeURIComponent).join('/')}`;

const scpForm = /^[^@/:]+@([^@/:]+):(?!\/\/)(.+)$/;

/** Returns the web address of a repository; the port of an SSH address is not that of its pages, so it is left out. */
function webAddress(url: string): { host: string; base: string } | undefined {
  const scp = url.includes('://') ? null : scpForm.exec(url);
  const parsed = URL.parse(scp ? `ssh://${scp[1]}/${scp[2]}` : url);
  if (!parsed || parsed.hostname === '') return undefined;
  const isWeb = parsed.protocol === 'https:' || parsed.protocol === 'http:';
  if (!isWeb && parsed.protocol !== 'ssh:' && parsed.protocol !== 'git+ssh:') return undefined;
  const path = parsed.pathname
    .replace(/\/+$/, '')
    .replace(/\.git$/, '')
    .replace(/\/+$/, '');
  if (path === '') return undefined;
  const origin = isWeb ? `${parsed.protocol}//${parsed.host}` : `https://${parsed.hostname}`;
  return { host: parsed.hostname, base: `${origin}${path}` };
}
