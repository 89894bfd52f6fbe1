import { digestOf } from '#server/kernel/digest';
import { Secret } from '#server/kernel/secret';
import type { RunCredentials } from '#server/runner/index';
import { type BindingResolution, isInEnvironment, type SupportedProvider } from './resolve.ts';

/**
 * Credentials that the resolved Connections pass to a Run, in cleartext. They go into an execution spec or are sealed,
 * and nowhere else.
 */
export function credentialsOf({ supported, contested }: BindingResolution): RunCredentials {
  const env: RunCredentials['env'] = {};
  const files = new Map<string, RunCredentials['files'][number]>();
  for (const one of supported) {
    for (const [name, value] of Object.entries(one.materials.env))
      if (isInEnvironment(one, name, contested)) env[name] = textOf(value);
    for (const file of one.materials.files) {
      if (file.envName !== undefined && !isInEnvironment(one, file.envName, contested)) continue;
      addFile(files, one, file);
    }
  }
  return { env, files: [...files.values()], providers: supported.flatMap(providerOf), secrets: secretsOf(supported) };
}

/** Adds a file. When two Connections name the same path, the second file goes into a folder of its own. */
function addFile(
  files: Map<string, RunCredentials['files'][number]>,
  { description }: SupportedProvider,
  { path, envName, mode, content }: SupportedProvider['materials']['files'][number],
): void {
  const bytes = content.revealBytes().toString('base64');
  const isTaken = (at: string) => files.has(at) && files.get(at)?.content !== bytes;
  const free = isTaken(path) ? `${description.id}/${path}` : path;
  files.set(free, { path: free, ...(envName !== undefined && { envName }), mode, content: bytes });
}

function providerOf({ requirement, materials, byArguments }: SupportedProvider): RunCredentials['providers'] {
  const argumentEntries = byArguments ? Object.entries(materials.providerArguments) : [];
  const config = materials.providerConfig;
  if (argumentEntries.length + Object.keys(config).length === 0) return [];
  return [
    {
      localName: requirement.providerName,
      ...(requirement.alias !== undefined && { alias: requirement.alias }),
      arguments: Object.fromEntries(argumentEntries.map(([name, value]) => [name, textOf(value)])),
      config,
    },
  ];
}

const textOf = (value: Secret | string): string => (typeof value === 'string' ? value : value.reveal());

/**
 * Returns all secrets of every Connection, including those this Run was not issued: its code may know them from
 * elsewhere.
 */
function secretsOf(supported: readonly SupportedProvider[]): string[] {
  const texts = new Map<string, string>();
  const add = (value: Secret | string) => {
    if (value instanceof Secret) texts.set(digestOf(value.revealBytes()), value.reveal());
  };
  for (const { materials } of supported) {
    Object.values(materials.env).forEach(add);
    Object.values(materials.providerArguments).forEach(add);
    for (const { content } of materials.files) add(content);
    materials.hiddenSecrets.forEach(add);
  }
  return [...texts.values()].filter((text) => text !== '');
}
