import {
  ModuleRegistrySettings,
  moduleRegistryKind,
  moduleRegistryProvider,
  moduleRegistryToken,
} from '#shared/connections/module-registry';
import type { TextId } from '../../i18n/text.ts';
import { refusedFieldIn } from './new-connection.ts';

/** Content of the form. It is held in memory only and never written to browser storage. */
export type RegistryDraft = Record<RegistryField, string>;
export const registryFields = ['host', 'token', 'module', 'name'] as const;
export type RegistryField = (typeof registryFields)[number];

export const emptyRegistryDraft: RegistryDraft = { host: '', token: '', module: '', name: '' };

const plainToken = /^[\x21-\x7e]+$/;
const plainHost = /^[a-z0-9.-]+\.[a-z0-9-]+(?::[0-9]{1,5})?$/;
const { shape } = ModuleRegistrySettings;

/** Returns the problems that prevent the draft from being sent. */
export function findRegistryProblems(draft: RegistryDraft): Partial<Record<RegistryField, TextId>> {
  const { host, token, module, name } = trimmed(draft);
  const checks: [RegistryField, boolean, TextId][] = [
    ['host', plainHost.test(host), 'registry.host.wrong'],
    ['token', plainToken.test(token), 'registry.token.wrong'],
    ['module', module === '' || shape.module.safeParse(module).success, 'registry.module.wrong'],
    ['name', name.length <= 120, 'token.name.wrong'],
  ];
  return Object.fromEntries(checks.flatMap(([field, isRight, text]) => (isRight ? [] : [[field, text]])));
}

const trimmed = ({ host, token, module, name }: RegistryDraft): RegistryDraft => ({
  host: host.trim().toLowerCase(),
  token: token.trim(),
  module: module.trim(),
  name: name.trim(),
});

/** Returns the body that creates the Connection. */
export function registryBody(draft: RegistryDraft, workspaceId: string) {
  const { host, token, module, name } = trimmed(draft);
  return {
    workspaceId,
    provider: moduleRegistryProvider,
    kind: moduleRegistryKind,
    values: { [moduleRegistryToken]: token },
    scopeHints: { providerConfig: { host, ...(module !== '' && { module }) } },
    ...(name !== '' && { displayName: name }),
  } as const;
}

const fieldOf: Readonly<Record<string, RegistryField>> = {
  '/scopeHints/providerConfig/host': 'host',
  '/scopeHints/providerConfig/module': 'module',
  [`/values/${moduleRegistryToken}`]: 'token',
  '/displayName': 'name',
};

/** Returns the problem of the field that a refusal names; undefined when it names none. */
export const refusedRegistryField = refusedFieldIn(fieldOf);
