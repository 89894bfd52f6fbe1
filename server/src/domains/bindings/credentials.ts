import { digestOf } from '#server/kernel/digest';
import { Secret } from '#server/kernel/secret';
import type { RunCredentials } from '#server/runner/index';
import { type Arrangement, isInEnvironment, type Served } from './arrange.ts';

/** What the arranged Connections hand to a Run, in clear: it goes into a Job or is sealed, and nowhere else. */
export function credentialsOf({ served, contested }: Arrangement): RunCredentials {
  const env: RunCredentials['env'] = {};
  const files = new Map<string, RunCredentials['files'][number]>();
  for (const one of served) {
    for (const [name, given] of Object.entries(one.materials.env))
      if (isInEnvironment(one, name, contested)) env[name] = textOf(given);
    for (const file of one.materials.files) {
      if (file.envName !== undefined && !isInEnvironment(one, file.envName, contested)) continue;
      addFile(files, one, file);
    }
  }
  return { env, files: [...files.values()], providers: served.flatMap(providerOf), secrets: secretsOf(served) };
}

/** Two Connections may name the same path: the second one's file then lies in a folder of its own. */
function addFile(
  files: Map<string, RunCredentials['files'][number]>,
  { description }: Served,
  { path, envName, mode, content }: Served['materials']['files'][number],
): void {
  const bytes = content.revealBytes().toString('base64');
  const isTaken = (at: string) => files.has(at) && files.get(at)?.content !== bytes;
  const free = isTaken(path) ? `${description.id}/${path}` : path;
  files.set(free, { path: free, ...(envName !== undefined && { envName }), mode, content: bytes });
}

function providerOf({ requirement, materials, byArguments }: Served): RunCredentials['providers'] {
  const given = byArguments ? Object.entries(materials.providerArguments) : [];
  const config = materials.providerConfig;
  if (given.length + Object.keys(config).length === 0) return [];
  return [
    {
      localName: requirement.providerName,
      ...(requirement.alias !== undefined && { alias: requirement.alias }),
      arguments: Object.fromEntries(given.map(([name, value]) => [name, textOf(value)])),
      config,
    },
  ];
}

const textOf = (given: Secret | string): string => (typeof given === 'string' ? given : given.reveal());

/** All that is secret of every Connection, also what this Run was not given: its code may know it from elsewhere. */
function secretsOf(served: readonly Served[]): string[] {
  const texts = new Map<string, string>();
  const add = (given: Secret | string) => {
    if (given instanceof Secret) texts.set(digestOf(given.revealBytes()), given.reveal());
  };
  for (const { materials } of served) {
    Object.values(materials.env).forEach(add);
    Object.values(materials.providerArguments).forEach(add);
    for (const { content } of materials.files) add(content);
  }
  return [...texts.values()].filter((text) => text !== '');
}
