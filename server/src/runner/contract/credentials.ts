import { isUtf8 } from 'node:buffer';
import { compareVersions, type ToolIdentity } from '#server/drivers/tofu/index';
import type { JsonObject } from '#shared/kernel/json';

/**
 * Credentials that the provider bindings of one Run give to its tool. They travel only in the spec and are never written
 * to a disk unencrypted. Module code that runs during plan and apply can read `env` and `files`, as the provider can.
 */
export type RunCredentials = {
  /** Plain text, for the commands that talk to providers (plan, apply, with destroy and refresh); never for init, get or show. */
  env: Record<string, string>;
  /**
   * `content` is base64, `path` relative to the folder of the Run's credentials, `mode` its permission bits. `envName`
   * is set to the path as the tool sees it.
   */
  files: { path: string; envName?: string; mode: number; content: string }[];
  /**
   * By tuple of the root module. `arguments` are secret and reach the tuple's own provider block through sensitive
   * ephemeral variables; `config` is written into that block as literal arguments. Neither replaces what the block sets
   * itself.
   */
  providers: { localName: string; alias?: string; arguments: Record<string, string>; config: JsonObject }[];
  /** All values to redact, in plain text. */
  secrets: string[];
};

/** First versions with ephemeral variables; without them a secret argument would stay in the plan. */
const ephemeralSince = { tofu: '1.11.0', terraform: '1.10.0' } as const;

/** Reports whether secret arguments of provider blocks can be given to this tool. Call it before a plan. */
export const supportsProviderArguments = ({ name, version }: Pick<ToolIdentity, 'name' | 'version'>): boolean =>
  compareVersions(version, ephemeralSince[name]) >= 0;

/** Returns every text that must not be persisted: the named secrets, all arguments, and the texts of files. */
export function secretsIn(credentials: RunCredentials | undefined): string[] {
  if (credentials === undefined) return [];
  const { secrets, files, providers } = credentials;
  return [
    ...secrets,
    ...providers.flatMap((provider) => Object.values(provider.arguments)),
    ...files.flatMap(({ content }) => textsOf(Buffer.from(content, 'base64'))),
  ];
}

/** Returns the texts of a file. A file that is not UTF-8 appears in a text only as an encoding of its bytes. */
function textsOf(bytes: Buffer): string[] {
  if (isUtf8(bytes)) return [bytes.toString('utf8')];
  return [bytes.toString('base64'), bytes.toString('hex')];
}
