import { isUtf8 } from 'node:buffer';
import { compareVersions, type ToolIdentity } from '#server/drivers/tofu/index';
import type { JsonObject } from '#shared/kernel/json';

/**
 * What the provider bindings of one Run hand its tool. It travels in the Job alone and is never written to a disk in
 * clear; code of the module that runs during plan and apply can read `env` and `files`, as the provider can.
 */
export type RunCredentials = {
  /** Plain text; for the commands that talk to providers (plan, apply, with destroy and refresh), never for init, get or show. */
  env: Record<string, string>;
  /**
   * `content` is base64, `path` relative to the folder of the Run's credentials, `mode` its permission bits. `envName` is
   * set to the path as the tool sees it.
   */
  files: { path: string; envName?: string; mode: number; content: string }[];
  /**
   * By tuple of the module's root. `arguments` are secret and reach the tuple's own provider block through sensitive
   * ephemeral variables; `config` stands in that block as literal arguments. Neither replaces what the block sets itself.
   */
  providers: { localName: string; alias?: string; arguments: Record<string, string>; config: JsonObject }[];
  /** Every value to redact, in plain text. */
  secrets: string[];
};

/** Ephemeral variables came with these versions; without them a secret argument would stay in the plan. */
const ephemeralSince = { tofu: '1.11.0', terraform: '1.10.0' } as const;

/** Whether secret arguments of provider blocks can be given to this tool; to be asked before a plan. */
export const supportsProviderArguments = ({ name, version }: Pick<ToolIdentity, 'name' | 'version'>): boolean =>
  compareVersions(version, ephemeralSince[name]) >= 0;

/** Every text that must not be persisted: those named, every argument, and files as the texts they are. */
export function secretsIn(credentials: RunCredentials | undefined): string[] {
  if (credentials === undefined) return [];
  const { secrets, files, providers } = credentials;
  return [
    ...secrets,
    ...providers.flatMap((provider) => Object.values(provider.arguments)),
    ...files.flatMap(({ content }) => textsOf(Buffer.from(content, 'base64'))),
  ];
}

/** A file that is no UTF-8 shows up in a text only as an encoding of its bytes. */
function textsOf(bytes: Buffer): string[] {
  if (isUtf8(bytes)) return [bytes.toString('utf8')];
  return [bytes.toString('base64'), bytes.toString('hex')];
}
