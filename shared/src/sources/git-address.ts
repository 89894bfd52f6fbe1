import type { ArgumentReason } from '../errors.ts';
import { classifyHost } from './network-address.ts';

type GitTransport = 'https' | 'http' | 'file';
/**
 * Addresses that the installation allows beyond `https:` to the network: loopback hosts, and repositories on its own
 * disk.
 */
export type GitUrlRules = { allowLoopback: boolean; allowLocal: boolean };
type ParsedGitUrl =
  | { ok: true; url: string; transport: GitTransport }
  | { ok: false; reason: ArgumentReason; message: string };

const refusals = {
  git_url_not_plain:
    'The Git URL must be absolute, at most 2,048 characters long and without query, fragment, spaces, backslashes or control characters.',
  git_url_credentials: 'The Git URL must not carry a user name or password. Use a connection for a private repository.',
  git_ssh_not_supported: 'Git over SSH is not supported. Use the https:// address of the repository.',
  git_scheme_not_supported: 'This kind of Git URL is not supported. Use an address that starts with https://.',
  git_host_not_allowed:
    'The host of the Git URL is a loopback, link-local, metadata or reserved address, which is not allowed.',
  git_http_not_allowed:
    'Plain http:// is only allowed to a loopback host, and only when loopback Git is enabled. Use https://.',
  git_file_not_allowed: 'A file:// URL needs local Git to be enabled, no host, and the absolute path of a repository.',
} as const satisfies Partial<Record<ArgumentReason, string>>;
type Refusal = keyof typeof refusals;

const maxUrlLength = 2_048;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const notPlain = /[\s\u0000-\u001f\u007f-\u009f\\?#]/;
const scpLike = /^[^/@:]+@[^/@:]+:/;
const sshSchemes = new Set(['ssh:', 'git+ssh:', 'ssh+git:']);
const userinfo = /^[a-z][a-z0-9+.-]*:\/\/[^/]*@/i;
/** A path must not contain an encoded control character, slash or backslash. */
const escapedHostile = /%(?:[01][0-9a-f]|2f|5c|7f)/i;

/**
 * Parses a Git URL. Pure: a host name is judged by its text only, so the address must be judged again on connect. `url`
 * is the canonical form (WHATWG serialization, no trailing slash).
 */
export function parseGitUrl(text: string, rules: GitUrlRules): ParsedGitUrl {
  const refuse = (reason: Refusal): ParsedGitUrl => ({ ok: false, reason, message: refusals[reason] });
  const reason = refusalOfText(text);
  if (reason) return refuse(reason);
  const parsed = URL.parse(text);
  if (!parsed || escapedHostile.test(parsed.pathname)) return refuse('git_url_not_plain');
  const hostReason = findLocationRefusal(parsed, rules);
  if (hostReason) return refuse(hostReason);
  const url = parsed.href.replace(/\/+$/, '');
  return { ok: true, url, transport: parsed.protocol.slice(0, -1) as GitTransport };
}

function refusalOfText(text: string): Refusal | undefined {
  if (text.length > maxUrlLength || !text.isWellFormed()) return 'git_url_not_plain';
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(text)?.[0].toLowerCase();
  if (scpLike.test(text) || (scheme && sshSchemes.has(scheme))) return 'git_ssh_not_supported';
  if (!scheme) return 'git_url_not_plain';
  if (!['https:', 'http:', 'file:'].includes(scheme)) return 'git_scheme_not_supported';
  if (userinfo.test(text)) return 'git_url_credentials';
  return notPlain.test(text) || !text.slice(scheme.length).startsWith('//') ? 'git_url_not_plain' : undefined;
}

function findLocationRefusal(url: URL, rules: GitUrlRules): Refusal | undefined {
  if (url.protocol === 'file:') {
    return rules.allowLocal && url.hostname === '' && url.pathname !== '/' ? undefined : 'git_file_not_allowed';
  }
  const kind = classifyHost(url.hostname);
  if (url.protocol === 'http:') return kind === 'loopback' && rules.allowLoopback ? undefined : 'git_http_not_allowed';
  if (kind === 'refused' || (kind === 'loopback' && !rules.allowLoopback)) return 'git_host_not_allowed';
  return undefined;
}

/** Matches 40 (SHA-1) or 64 (SHA-256) lower- or upper-case hex digits: a whole object id, never an abbreviation. */
export const isCommitId = (text: string): boolean => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i.test(text);

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const forbiddenInRef = /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\//;

/**
 * Reports whether a text names a branch, a tag, `HEAD` or a commit: 1 to 255 characters, a name that `git
 * check-ref-format` accepts below `refs/heads/`, and never one that a command line would read as an option.
 */
export function isGitRef(text: string): boolean {
  if (text.length === 0 || text.length > 255 || !text.isWellFormed()) return false;
  if (text.startsWith('-') || text.startsWith('/') || text.endsWith('/') || text.endsWith('.')) return false;
  if (forbiddenInRef.test(text)) return false;
  return text.split('/').every((part) => !part.startsWith('.') && !part.endsWith('.lock'));
}
