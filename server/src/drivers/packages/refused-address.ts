/** Hosts that serve each repository over SSH and under the same path over HTTPS. */
const sameOverHttps = new Set(['github.com', 'gitlab.com', 'bitbucket.org', 'codeberg.org']);

const transports: { readonly [scheme: string]: string } = {
  s3: 'The module comes from an Amazon S3 bucket (s3::), which is not supported. Use a Git repository or an HTTPS archive.',
  gcs: 'The module comes from a Google Cloud Storage bucket (gcs::), which is not supported. Use a Git repository or an HTTPS archive.',
  hg: 'The module comes from a Mercurial repository (hg::), which is not supported. Use a Git repository or an HTTPS archive.',
  oci: 'The module comes from an OCI registry (oci://), which is not supported. Use a Git repository or an HTTPS archive.',
  file: 'The module comes from a folder of one machine, which is not supported. Use a path that begins with ./ or ../.',
};
const ssh = 'The module comes from Git over SSH, which is not supported. Use the https:// address of the repository.';
const plainHttp = 'The module comes over http://, which anyone on the way may change. Use the https:// address.';
const unknown = 'The module address is not of a kind that the tool knows. Begin a path with ./ or ../.';

/** Returns why an address with this scheme is not fetched, or undefined when it is. `url` is the part after `scheme::`. */
export function refusedSchemes(scheme: string | undefined, url: string): string | undefined {
  const isOnDisk = url.startsWith('/');
  if (scheme === undefined) return isOnDisk ? transports['file'] : unknown;
  if (transports[scheme]) return transports[scheme];
  if (scheme === 'ssh') return ssh;
  if (!['git', 'http', 'https'].includes(scheme)) return unknown;
  const inner = /^([a-z][a-z0-9+.-]*):\/\//i.exec(url)?.[1]?.toLowerCase() ?? (isOnDisk ? 'file' : innerScp(url));
  return inner in inners ? inners[inner] : unknown;
}

const innerScp = (url: string): string => (/^[^/@]+@[^/:]+:/.test(url) ? 'ssh' : '');

/** Answers for the scheme of the URL itself. */
const inners: { readonly [scheme: string]: string | undefined } = {
  https: undefined,
  http: plainHttp,
  ssh,
  file: transports['file'],
};

/** Returns the HTTPS form of an SSH address whose host is known to have it, or undefined. */
export function httpsFormOf(url: string, sub: string): string | undefined {
  const [, host = '', location = '', query = ''] =
    /^ssh:\/\/(?:[^@/]+@)?([^:/]+)(?::\d+)?\/([^?]+)(\?.*)?$/.exec(url) ?? [];
  const folder = sub === '.' ? '' : `//${sub}`;
  const ref = /[?&](ref=[^&]*)/.exec(query)?.[1];
  const end = `${folder}${ref ? `?${ref}` : ''}`;
  if (sameOverHttps.has(host)) return `git::https://${host}/${location}${end}`;
  const azure = host === 'ssh.dev.azure.com' ? /^v3\/([^/]+)\/([^/]+)\/([^/]+)$/.exec(location) : null;
  return azure ? `git::https://dev.azure.com/${azure[1]}/${azure[2]}/_git/${azure[3]}${end}` : undefined;
}
