import { ArchiveError } from '#server/drivers/archive/index';
import { commandText } from '#shared/install-configs/build-text';
import { allowancesOf } from '../../os/allowances.ts';
import { builtArchive, builtFolder } from '../../runner/contract/built-archive.ts';
import type { BuildCommand, ExecutionSpec, SourceBuild } from '../../runner/contract/execution-spec.ts';
import { runCommand } from '../command/command.ts';
import { failureOf, RunFailure } from '../failure.ts';
import type { Built } from '../launch-context.ts';
import { type CommandRequest, hasSucceeded, type SupervisedRun } from '../run.ts';
import { packOutputs } from './build-outputs.ts';
import { findBrokenStep, isTreeThere, makeScratch, removeScratchLater, type Scratch } from './scratch.ts';

/** Returns the archive of the build for the plan of an apply; undefined without a build. Reading it verifies that it is unchanged. */
export function builtForPlan({ plan }: ExecutionSpec): Built | undefined {
  if (plan?.builtDigest === undefined) return undefined;
  return { path: builtArchive(plan.runDir, plan.builtDigest), digest: plan.builtDigest };
}

/**
 * Runs the commands of a build once, in order, in a copy of the snapshot and a sandbox without network, and packs the
 * declared outputs into the folder of the Run. Returns undefined when nothing is to be built. Throws `RunFailure`; the
 * copy is removed in either case.
 */
export async function buildSource(run: SupervisedRun): Promise<Built | undefined> {
  const { spec, report } = run;
  const { build } = spec;
  if (build === undefined) return undefined;
  report.phase('build', 'started');
  if (spec.sandbox === 'none') checkPermission(run, build);
  try {
    const scratch = prepareScratch(spec);
    for (const [index, command] of build.commands.entries()) {
      report.say('build', 'info', `Command ${index + 1} of ${build.commands.length}: ${commandText(command)}`);
      await runBuildCommand(run, { build, command, index, scratch });
    }
    const packed = packOutputs({
      tree: scratch.tree,
      outputs: build.outputs,
      snapshot: spec.archive.path,
      dir: builtFolder(spec.runDir),
    });
    report.say('build', 'info', `Built: ${filesText(packed.files)}, ${packed.bytes.toLocaleString('en-US')} bytes.`);
    report.phase('build', 'finished');
    return { path: packed.path, digest: packed.digest };
  } finally {
    run.cleared = removeScratchLater(spec);
  }
}

/** Requires the operator's permission to build without a sandbox, because a build is an untrusted program. */
function checkPermission({ report }: SupervisedRun, { withoutSandbox }: SourceBuild): void {
  if (!withoutSandbox)
    throw new RunFailure(
      'source_build_failed',
      'build',
      'Builds do not run without a sandbox. Install bubblewrap and restart the server, or set GROUNDCTL_ALLOW_BUILDS_WITHOUT_SANDBOX=1 to build with the rights of the server.',
    );
  report.say('build', 'warn', 'The build runs without a sandbox: with the rights of the server and its network.');
}

function prepareScratch(spec: ExecutionSpec): Scratch {
  try {
    return makeScratch(spec);
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    throw new RunFailure('plan_failed', 'source', error.message);
  }
}

type Step = { build: SourceBuild; command: BuildCommand; index: number; scratch: Scratch };

async function runBuildCommand(run: SupervisedRun, { build, command, index, scratch }: Step): Promise<void> {
  if (run.cancel.isRequested) throw new RunFailure('cancelled', 'build', 'The Run was cancelled.');
  const { workingDirectory = '.' } = command;
  const broken = isTreeThere(scratch.tree) ? findBrokenStep(scratch.tree, workingDirectory) : '.';
  if (broken !== undefined)
    throw failed(`Command ${index + 1} of the build has no working folder: "${broken}" is not a folder.`);
  const request: CommandRequest = {
    name: 'build',
    phase: 'build',
    argv: programOf(command.argv, index),
    sink: run.report.listenLines('build'),
    network: false,
    writable: { state: false, data: false },
    variables: undefined,
    hasPlan: false,
    outlives: false,
    cliConfig: '',
    build: { ...scratch, workDir: workingDirectory },
  };
  const end = await runCommand(run, request, { limitSeconds: build.commandSeconds });
  if (hasSucceeded(end)) return;
  const names = {
    errorCode: 'source_build_failed' as const,
    phase: 'build' as const,
    what: 'build',
    seconds: build.commandSeconds,
    allowances: allowancesOf(run.spec),
  };
  const why = exitReasons[end.exitCode] ?? '';
  throw failureOf(
    end,
    names,
    `Command ${index + 1} of ${build.commands.length} ended with exit code ${end.exitCode}${why}. Its lines are in the log.`,
  );
}

/** Exit codes of a shell that cannot execute a program. */
const exitReasons: { readonly [code: number]: string } = {
  126: ' (permission denied)',
  127: ' (command not found)',
};

/** Returns the program. A shell would parse a name with a leading dash as its own option. */
function programOf(argv: readonly string[], index: number): readonly string[] {
  const [program = '', ...rest] = argv;
  if (!program.startsWith('-')) return argv;
  if (!program.includes('/'))
    throw failed(`Command ${index + 1} of the build names no program: it begins with a dash.`);
  return [`./${program}`, ...rest];
}

const failed = (message: string): RunFailure => new RunFailure('source_build_failed', 'build', message);

const shownFiles = 5;

function filesText(files: readonly string[]): string {
  const shown = files.slice(0, shownFiles).join(', ');
  return files.length > shownFiles ? `${files.length.toLocaleString('en-US')} files (${shown}, …)` : shown;
}
