import type { DependenciesService } from '#server/domains/dependencies/index';
import type { InstallConfigsService } from '#server/domains/install-configs/index';
import type { CapsuleRun } from '#server/domains/runs/index';
import type { InspectionService } from '#server/domains/sources/index';
import type { Json, JsonObject } from '#shared/kernel/json';
import type { InputOrigin } from '#shared/plans/comparison';

export type RunInputPorts = {
  configs: Pick<InstallConfigsService, 'getPrivate'>;
  dependencies: Pick<DependenciesService, 'listSnapshotValues'>;
  inspection: Pick<InspectionService, 'findReport'>;
};
/** Value of one variable in a Run, in clear. */
export type RunInput = { value: Json; origin: InputOrigin; isSecret: boolean };
export type RunInputs = ReadonlyMap<string, RunInput>;

/**
 * Returns the variables that a plan passes to its module. Lowest precedence first: defaults of bound Connections, the
 * configuration, values from other Capsules, and those of a sign-in. A variable is secret when any of them, or the module, says so.
 */
export function readRunInputs({ input }: Pick<CapsuleRun, 'input'>, ports: RunInputPorts): RunInputs {
  const config = readConfigInputs(input.installConfigId, ports);
  const injected =
    input.dependencySnapshotId === undefined
      ? []
      : [...ports.dependencies.listSnapshotValues(input.dependencySnapshotId)];
  const declared = ports.inspection.findReport(input.reportId)?.report.rootModuleVariableDeclarations ?? [];
  const sensitive = new Set(declared.filter((one) => one.sensitive).map(({ name }) => name));
  const fromConnections = Object.entries((input.bound?.inputs ?? {}) as JsonObject).map(
    ([name, value]): [string, RunInput] => [name, { value, origin: { source: 'connection' }, isSecret: false }],
  );
  const fromCapsules = injected.map(([name, one]): [string, RunInput] => {
    const origin = { source: 'capsule' as const, capsuleId: one.producerCapsuleId, outputName: one.outputName };
    return [name, { value: one.value, origin, isSecret: one.isSecret || config.get(name)?.isSecret === true }];
  });
  const fromIssuer = Object.entries(input.oidcAuthority?.variables ?? {}).map(([name, value]): [string, RunInput] => [
    name,
    { value, origin: { source: 'issuer' }, isSecret: false },
  ]);
  const inputs = new Map([...fromConnections, ...config, ...fromCapsules, ...fromIssuer]);
  for (const [name, one] of inputs) if (sensitive.has(name)) inputs.set(name, { ...one, isSecret: true });
  return inputs;
}

/** Returns the values of a configuration alone. */
export function readConfigInputs(id: string, { configs }: Pick<RunInputPorts, 'configs'>): Map<string, RunInput> {
  const { variables, secretVariables } = configs.getPrivate(id);
  const secret = new Set(secretVariables);
  return new Map(
    Object.entries(variables).map(([name, value]): [string, RunInput] => [
      name,
      { value, origin: { source: 'configuration' }, isSecret: secret.has(name) },
    ]),
  );
}
