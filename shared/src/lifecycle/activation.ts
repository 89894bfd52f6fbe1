import { z } from 'zod';
import type { JsonObject } from '../kernel/json.ts';

export const activationKind = 'svc.operator.release-activation@v2';
export const providerConfigurationsKind = 'svc.provider-configurations@v1';

/** Configurations of the bound providers of a Run; none is secret. */
export type ProviderConfigurations = {
  kind: typeof providerConfigurationsKind;
  /** Sorted by provider and alias; the default block has the alias null. */
  providers: { provider: string; alias: string | null; configuration: JsonObject }[];
};

/** Body of a request to the release activator of the operator. */
export type ActivationRequest = {
  kind: typeof activationKind;
  workspaceId: string;
  capsuleId: string;
  capsuleName: string;
  environment: string;
  stateVersionId: string;
  stateGeneration: number;
  outputId: string;
  outputDigest: string;
  runId: string;
  planRunId: string;
  sourceSnapshotId: string;
  resolvedCommit: string;
  action: { id: string; phase: string; command: string[]; workingDirectory?: string; timeoutSeconds: number };
  outputs: JsonObject;
  providerConfigurations?: ProviderConfigurations;
};

const isHealthUrl = (text: string): boolean => {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === '';
};
const message = z.string().max(8_192).optional();

/** Answer of a release activator. Everything else counts as a failure. */
export const ActivationAnswer = z.discriminatedUnion('status', [
  z.strictObject({ status: z.literal('succeeded'), healthUrl: z.string().max(2_048).refine(isHealthUrl).optional() }),
  z.strictObject({ status: z.literal('pending'), message }),
  z.strictObject({ status: z.literal('skipped'), message }),
  z.strictObject({ status: z.literal('failed'), message }),
]);
export type ActivationAnswer = z.infer<typeof ActivationAnswer>;
