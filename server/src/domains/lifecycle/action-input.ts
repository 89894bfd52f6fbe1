import { createRunValues } from '#server/domains/execution/index';
import type { InstallConfigsService } from '#server/domains/install-configs/index';
import type { Grants } from '#server/domains/provider-bindings/index';
import type { ApplyRun } from '#server/domains/runs/index';
import type { StateVersionsService } from '#server/domains/state-versions/index';
import { jsonDigest } from '#server/kernel/digest';
import { present } from '#server/kernel/present';
import { type RunCredentials, secretsIn } from '#server/runner/index';
import type { JsonObject } from '#shared/kernel/json';
import { type ProviderConfigurations, providerConfigurationsKind } from '#shared/lifecycle/activation';
import type { Output } from '#shared/state-versions/contract';
import type { ActionEvidence } from './schema.ts';

export type InputPorts = Parameters<typeof createRunValues>[0] & {
  configs: Pick<InstallConfigsService, 'getPrivate'>;
  grants: Pick<Grants, 'open'>;
  states: Pick<StateVersionsService, 'getCurrentOutput' | 'findCurrentHead'>;
};

/** Input of the actions of a Run. */
export type ActionInput = {
  /** The current Output; undefined before the first commit. */
  output: Output | undefined;
  stateVersionId: string | undefined;
  /** Outputs that are not sensitive. */
  outputs: JsonObject;
  /** Absent when the Run has no bindings. */
  providerConfigurations?: ProviderConfigurations;
  credentials: RunCredentials | undefined;
  /** Texts that must never be persisted. */
  secrets: string[];
  evidence: ActionEvidence;
};

/** Collects the input of the actions of a Run. */
export function createActionInput(ports: InputPorts): (run: ApplyRun) => ActionInput {
  const valuesOf = createRunValues(ports);
  return (run) => {
    const output = ports.states.getCurrentOutput(run.capsuleId) ?? undefined;
    const outputs = (output?.workspaceOutputs ?? {}) as JsonObject;
    const credentials = ports.grants.open(run);
    const providerConfigurations = configurationsOf(run, credentials);
    return {
      output,
      stateVersionId: ports.states.findCurrentHead(run.capsuleId)?.id,
      outputs,
      ...(providerConfigurations && { providerConfigurations }),
      credentials,
      secrets: [...valuesOf(run).secrets, ...secretsIn(credentials)],
      evidence: present({
        outputsDigest: jsonDigest(outputs),
        bindingDigest: run.input.bound?.digest,
        environmentDigest: run.facts.runEnvironmentEvidenceDigest,
        providerConfigurationsDigest: providerConfigurations && jsonDigest(providerConfigurations),
      }),
    };
  };
}

/** One entry for each binding; one that uses only defaults has an empty configuration. */
function configurationsOf(
  { input, detail }: ApplyRun,
  credentials: RunCredentials | undefined,
): ProviderConfigurations | undefined {
  if (input.bound === undefined) return undefined;
  const bound = (detail.providerResolutions ?? []).filter(({ status }) => status === 'resolved_provider_connection');
  const providers = bound.map(({ requirement: { providerSource, providerName, alias } }) => ({
    provider: providerSource,
    alias: alias ?? null,
    configuration:
      credentials?.providers.find((one) => one.localName === providerName && one.alias === alias)?.config ?? {},
  }));
  const order = ({ provider, alias }: (typeof providers)[number]) => `${provider}\0${alias ?? ''}`;
  providers.sort((one, other) => (order(one) < order(other) ? -1 : 1));
  return { kind: providerConfigurationsKind, providers };
}
