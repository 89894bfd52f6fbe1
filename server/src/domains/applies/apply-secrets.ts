import type { DependenciesService } from '#server/domains/dependencies/index';
import { createRunValues } from '#server/domains/execution/index';
import type { InstallConfigsService } from '#server/domains/install-configs/index';
import type { Grants } from '#server/domains/provider-bindings/index';
import type { ApplyRun } from '#server/domains/runs/index';
import { createSecretTest, type SecretTest } from '#server/drivers/tofu/index';
import { createRedactor, secretsIn } from '#server/runner/index';

export type SecretPorts = {
  configs: Pick<InstallConfigsService, 'getPrivate'>;
  dependencies: Pick<DependenciesService, 'openSnapshot'>;
  grants: Pick<Grants, 'open'>;
};

/** Finds the secret texts of an apply: values of variables, and credentials. */
export function createApplySecrets(deps: SecretPorts) {
  const valuesOf = createRunValues(deps);
  const secretsOf = (run: ApplyRun): string[] => [...valuesOf(run).secrets, ...secretsIn(deps.grants.open(run))];

  return { secretsOf };
}

/** A value is secret when it is a secret value, or contains one in any encoding. */
export function secretTestOf(secrets: readonly string[]): SecretTest {
  const isPlain = createSecretTest(secrets);
  const { address: withoutLong } = createRedactor(secrets);
  return (text) => isPlain(text) || withoutLong(text) !== text;
}
