import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

type Env = Readonly<Record<string, string | undefined>>;
/** Statement of a package about its signature, in `signing.json` of its resources. */
export type Signing = { signed: boolean; notarized: boolean; reason: string };

const has = (env: Env, ...names: string[]): boolean => names.every((name) => (env[name] ?? '') !== '');

/** Reads from the environment which signatures the packages of a system get. docs/releasing.md names the secrets. */
export function readSigning(env: Env, platform: NodeJS.Platform): Signing {
  if (platform === 'darwin' && has(env, 'CSC_LINK', 'CSC_KEY_PASSWORD')) {
    const notarized = has(env, 'APPLE_API_KEY', 'APPLE_API_KEY_ID', 'APPLE_API_ISSUER');
    return { signed: true, notarized, reason: '' };
  }
  if (platform === 'win32' && has(env, 'WIN_CSC_LINK', 'WIN_CSC_KEY_PASSWORD'))
    return { signed: true, notarized: false, reason: '' };
  const reason =
    platform === 'linux'
      ? 'Packages for Linux carry no signature of their own. Check SHA256SUMS and the provenance of the release.'
      : 'The build had no certificate. Check SHA256SUMS and the provenance of the release.';
  return { signed: false, notarized: false, reason };
}

/**
 * Options of electron-builder for a build. A build that should be signed fails when it cannot be. The name of one that
 * is not ends in `unsigned`.
 */
export function builderOptions({ signed, notarized }: Signing, platform: NodeJS.Platform): string[] {
  const [version, os, arch, ext] = ['version', 'os', 'arch', 'ext'].map((name) => `$\{${name}}`);
  const mark = signed ? '' : '-unsigned';
  return [
    `-c.artifactName=Ground-Control-${version}-${os}-${arch}${mark}.${ext}`,
    `-c.forceCodeSigning=${signed}`,
    ...(platform === 'darwin' ? [`-c.mac.notarize=${notarized}`] : []),
  ];
}

/**
 * Options that name the channel of later releases. A package has one only when its updates can be checked: on macOS and
 * Windows it has to be signed, on Linux the signed record of the release is what counts.
 */
export function channelOptions(env: Env, { signed }: Signing, platform: NodeJS.Platform): string[] {
  const { GROUNDCTL_RELEASES_URL: url, GROUNDCTL_RELEASE_PUBLIC_KEY: publicKey } = env;
  if (!url || !publicKey || !(signed || platform === 'linux')) return [];
  return [
    '-c.publish.provider=generic',
    `-c.publish.url=${url}`,
    `-c.extraMetadata.releases.url=${url}`,
    `-c.extraMetadata.releases.publicKey=${publicKey}`,
  ];
}

/** Writes the statement that electron-builder puts into the resources of a package. */
export function writeSigning(root: string, signing: Signing): void {
  const folder = path.join(root, 'dist/signing');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'signing.json'), `${JSON.stringify(signing, null, 2)}\n`);
}
