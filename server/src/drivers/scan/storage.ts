import { blocksOf, type LocatedBlock, type Problem } from './blocks.ts';

/** Backend and encryption settings that a module declares, all of which are replaced when it runs here. */
export type Storage = {
  backendFile: string | undefined;
  cloudFile: string | undefined;
  encryptionFile: string | undefined;
  /** A file that declares a key provider which starts a program. */
  keyProgramFile: string | undefined;
  remoteTargets: readonly string[];
  remoteDefault: boolean;
};

type StorageBlock = { file: string; override: boolean };
type Kind = 'backend' | 'cloud' | 'encryption';

const labelCounts: Readonly<Record<Kind, number>> = { backend: 1, cloud: 0, encryption: 0 };

/**
 * Reads the `backend`, `cloud` and `encryption` blocks of one folder; the tool rejects a second primary one of each.
 */
export function readStorage(settings: readonly LocatedBlock[], problems: Problem[]): Storage {
  const of = (kind: Kind): StorageBlock[] =>
    settings.flatMap(({ body, file, override }) =>
      blocksOf(body, kind, labelCounts[kind]).map(() => ({ file, override })),
    );
  const backends = of('backend');
  const clouds = of('cloud');
  const encryptions = of('encryption');
  for (const [kind, blocks] of Object.entries({ backend: backends, cloud: clouds, encryption: encryptions })) {
    refuseTwice(kind, blocks, problems);
  }
  const cloud = clouds.find(({ override }) => !override);
  if (cloud && backends.some(({ override }) => !override)) {
    problems.push({ path: cloud.file, message: 'A module may have a cloud block or a backend block. Remove one.' });
  }
  return {
    backendFile: backends[0]?.file,
    cloudFile: clouds[0]?.file,
    encryptionFile: encryptions[0]?.file,
    ...readEncryption(settings),
  };
}

/** Reports duplicates: only one is allowed among the primary files, and one in each override file. */
function refuseTwice(kind: string, blocks: readonly StorageBlock[], problems: Problem[]): void {
  const seen = new Set<string>();
  for (const { file, override } of blocks) {
    const slot = override ? file : 'primary';
    if (seen.has(slot)) {
      problems.push({ path: file, message: `A module may have only one ${kind} block. Remove the others.` });
    }
    seen.add(slot);
  }
}

function readEncryption(
  settings: readonly LocatedBlock[],
): Pick<Storage, 'keyProgramFile' | 'remoteTargets' | 'remoteDefault'> {
  const blocks = settings.flatMap(({ body, file }) =>
    blocksOf(body, 'encryption', 0).map((block) => ({ body: block.body, file })),
  );
  const remotes = blocks.flatMap(({ body }) => blocksOf(body, 'remote_state_data_sources', 0));
  const targets = remotes.flatMap(({ body }) => blocksOf(body, 'remote_state_data_source', 1));
  const program = blocks.find(({ body }) =>
    blocksOf(body, 'key_provider', 2).some(({ labels }) => labels[0] === 'external'),
  );
  return {
    keyProgramFile: program?.file,
    remoteTargets: [...new Set(targets.map(({ labels }) => labels[0] as string))].sort(),
    remoteDefault: remotes.some(({ body }) => blocksOf(body, 'default', 0).length > 0),
  };
}
