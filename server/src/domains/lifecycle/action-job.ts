import { randomBytes } from 'node:crypto';
import { actionJobId, type ToolManager } from '#server/domains/execution/index';
import type { InstallConfigsService } from '#server/domains/install-configs/index';
import type { SourcesService } from '#server/domains/sources/index';
import type { Allowances, Job } from '#server/runner/index';
import { lifecycleDefaultSeconds } from '#shared/install-configs/lifecycle';
import { limits } from '#shared/limits';
import { localPool } from '#shared/runs/contract';
import type { RunAction } from './action-end.ts';
import type { ActionInput } from './action-input.ts';

export type JobPorts = {
  toolManager: Pick<ToolManager, 'current' | 'require'>;
  configs: Pick<InstallConfigsService, 'getPrivate'>;
  sources: Pick<SourcesService, 'findSnapshot'>;
  /** Digest of the archive of the files that were built for a plan; undefined without a build. */
  findBuiltDigest: (planRunId: string) => string | undefined;
  allowances: Partial<Allowances>;
};

/** Maximum length of one variable of a process (execve(2)), with room for its name. */
export const variableMaxBytes = 131_000;

/** Lines that the actions of one Run may write together, shared between them. */
const logBytes = Math.floor(limits.logBytes / 20);

/** Returns the tool of this machine, or for a Run of a pool the one that it was started with. */
async function toolOf({ runnerPool, facts }: RunAction['run'], toolManager: JobPorts['toolManager']) {
  if (runnerPool === localPool) return ((await toolManager.current()) ?? (await toolManager.require())).tool;
  const { toolName: name, toolVersion: version } = facts;
  if (name === undefined || version === undefined) throw new Error('The Run has no tool yet.');
  return { name, version };
}

/** Builds the job of an action: neither state nor plan, and credentials only for an action that opted in. */
export function createActionJobs(ports: JobPorts) {
  const { toolManager, configs, sources } = ports;
  return async ({ run, action, key }: RunAction, input: ActionInput): Promise<Job> => {
    const { name, version } = await toolOf(run, toolManager);
    const config = configs.getPrivate(run.input.installConfigId);
    const snapshot = sources.findSnapshot(run.input.sourceSnapshotId);
    if (!snapshot) throw new Error(`snapshot ${run.input.sourceSnapshotId} is gone`);
    const builtDigest = ports.findBuiltDigest(run.planRunId);
    // Nothing of an action is sealed, and it must not know the key of the Capsule.
    const unusedKey = randomBytes(32).toString('base64');
    const mayHaveCredentials =
      action.useProviderCredentials === true && config.policy.lifecycleActions?.allowProviderCredentials === true;
    return {
      formatVersion: 1,
      mode: 'run',
      operation: 'action',
      id: actionJobId(key),
      runId: run.id,
      capsuleId: run.capsuleId,
      archiveDigest: snapshot.archiveDigest,
      modulePath: config.modulePath,
      tool: { name, version },
      ...(mayHaveCredentials && input.credentials && { credentials: input.credentials }),
      variables: {},
      ephemeralVariables: [],
      secrets: input.secrets,
      sealing: { keyVersion: 0, encryptionKey: unusedKey, decryptionKey: unusedKey },
      state: null,
      lock: null,
      plan: null,
      action: {
        id: action.id,
        command: action.command,
        workingDirectory: action.workingDirectory ?? '.',
        env: action.env ?? {},
        hostEnv: hostVariables(input),
        seconds: action.timeoutSeconds ?? lifecycleDefaultSeconds,
        ...(builtDigest !== undefined && { built: { planRunId: run.planRunId, digest: builtDigest } }),
      },
      limits: { initSeconds: limits.initSeconds, planSeconds: limits.planSeconds, ...ports.allowances, logBytes },
    };
  };
}

/** Variables that the host sets for an action. */
export const hostVariables = ({ outputs, providerConfigurations }: ActionInput): Record<string, string> => ({
  SVC_OUTPUTS_JSON: JSON.stringify(outputs),
  ...(providerConfigurations && { SVC_PROVIDER_CONFIGS_JSON: JSON.stringify(providerConfigurations) }),
});
