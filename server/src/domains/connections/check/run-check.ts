import path from 'node:path';
import type { ConnectionMaterials } from '../materials.ts';
import type { CheckAnswer, CheckTask, Ending, FileFormat, Problem } from './task.ts';

/** Starts a program and returns its output; it does not reject when the program fails. */
type RunProgram = (program: {
  file: string;
  argv: readonly string[];
  env: Record<string, string>;
  input: string;
  timeoutMs: number;
}) => Promise<{ code: number | null; stdout: string }>;

export type CheckHost = {
  run: RunProgram;
  /** Absolute paths of Node and of the child's entry. */
  nodePath: string;
  entry: string;
  /**
   * Wraps a command in the sandbox of this machine; undefined where no sandbox is available. `binds` are read-only pairs of source and
   * target.
   */
  wallIn: (
    binds: readonly (readonly [from: string, to: string])[],
    command: readonly string[],
  ) => { file: string; argv: readonly string[] } | undefined;
  /** Refuses to check anything outside of a sandbox. */
  requireSandbox: boolean;
};

/** Result of a test: `unknown` when it could not be run. `detail` is a sentence without any value. */
export type Verdict = { outcome: 'pass' | 'fail' | 'expire' | 'unknown'; detail?: string; endsAt?: number };

const timeoutMs = 20_000;
const inside = { node: '/svc/node', code: '/svc/check', files: '/tmp/credentials' };

/** Writes the material into a child without network or provider and checks that it parses. `now` in ms. */
export function createMaterialCheck(host: CheckHost) {
  const command = (nodePath: string, folder: string) => [nodePath, path.posix.join(folder, path.basename(host.entry))];
  const runChild = async (
    task: CheckTask,
    env: Record<string, string>,
    how: { file: string; argv: readonly string[] },
  ) => {
    const { code, stdout } = await host.run({ ...how, env, input: JSON.stringify(task), timeoutMs });
    return code === 0 ? answerOf(stdout) : undefined;
  };

  return async (materials: Pick<ConnectionMaterials, 'env' | 'files'>, now: number): Promise<Verdict> => {
    const env = Object.fromEntries(Object.entries(materials.env).map(([name, value]) => [name, textOf(value)]));
    const task: CheckTask = { env: Object.keys(env), files: materials.files.map(taskFile) };
    const walled = host.wallIn(
      [
        [host.nodePath, inside.node],
        [path.dirname(host.entry), inside.code],
      ],
      command(inside.node, inside.code),
    );
    const answer =
      (walled && (await runChild({ ...task, folder: inside.files }, env, walled))) ??
      (host.requireSandbox ? undefined : await runChild(task, env, { file: host.nodePath, argv: [host.entry] }));
    if (!answer)
      return {
        outcome: 'unknown',
        detail: 'The check could not be run on this machine. Plan with the Connection to see whether it works.',
      };
    return verdictOf(answer, now);
  };
}

const textOf = (value: string | { reveal(): string }): string => (typeof value === 'string' ? value : value.reveal());

function taskFile({
  path: name,
  envName,
  mode,
  content,
}: ConnectionMaterials['files'][number]): CheckTask['files'][number] {
  return { path: name, mode, content: content.reveal(), format: formatOf(name, envName) };
}

/** Takes the format from the variable that names the file, otherwise from the file name. */
export function formatOf(name: string, envName: string | undefined): FileFormat {
  if (envName === 'KUBE_CONFIG_PATH' || envName === 'KUBECONFIG') return 'kubeconfig';
  if (/^AWS_(?:SHARED_CREDENTIALS|CONFIG)_FILE$/.test(envName ?? '') || /\.ini$/.test(name)) return 'ini';
  if (envName === 'GOOGLE_APPLICATION_CREDENTIALS' || /\.json$/.test(name)) return 'json';
  if (/\.ya?ml$/.test(name)) return 'yaml';
  return /\.(?:pem|crt|cer|key)$/.test(name) ? 'pem' : 'text';
}

function answerOf(stdout: string): CheckAnswer | undefined {
  try {
    return JSON.parse(stdout) as CheckAnswer;
  } catch {
    return undefined;
  }
}

const messages: Readonly<Record<Problem['what'], string>> = {
  missing: 'is empty',
  unreadable: 'is not valid for its format',
  not_whole: 'lacks required parts',
  outside_file: 'refers to files that are not available here; use a file that contains everything itself',
  encrypted: 'is protected by a passphrase, which cannot be entered in a Run',
};

function verdictOf({ problems, notes, ending }: CheckAnswer, now: number): Verdict {
  const endsAt = ending && { endsAt: ending.at };
  if (problems.length > 0) return { outcome: 'fail', detail: problems.map(problemMessage).join(' ') };
  if (ending && ending.at <= now) return { outcome: 'expire', detail: expiryMessage(ending), ...endsAt };
  const [note] = notes;
  return {
    outcome: 'pass',
    ...(note && { detail: `${note.name} starts a program to sign in, which is not available in a Run.` }),
    ...endsAt,
  };
}

const problemMessage = ({ name, what, line }: Problem): string =>
  `${name} ${messages[what]}${line === undefined ? '' : ` (line ${line})`}.`;
const expiryMessage = ({ name, at }: Ending): string =>
  `${name} expired on ${new Date(at).toISOString().slice(0, 10)}.`;
