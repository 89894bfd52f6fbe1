import type { VariableDeclaration } from '../sources/module-scan.ts';
import type { InstallConfig } from './contract.ts';

type Base = Pick<
  InstallConfig,
  'variableMapping' | 'installContextVariableMapping' | 'variablePresentation' | 'installExperience'
>;

/**
 * Returns the declared variables that a person may set when a module is installed from a configuration of the operator.
 * Variables that the configuration fixes are left out; its labels, secrets, defaults and required marks are applied.
 */
export function listPresentedVariables(
  declarations: readonly VariableDeclaration[],
  { variableMapping, installContextVariableMapping = {}, variablePresentation = [], installExperience }: Base,
): VariableDeclaration[] {
  const fixed = new Set([...Object.keys(variableMapping), ...Object.keys(installContextVariableMapping)]);
  const generated = (installExperience?.projections ?? []).flatMap((one) =>
    one.kind === 'initial_secret' ? [one.variable] : [],
  );
  return declarations.flatMap((declared) => {
    const field = variablePresentation.find(({ name }) => name === declared.name);
    if (fixed.has(declared.name) || (field?.source ?? 'user') !== 'user') return [];
    const isSupplied = field?.defaultValue !== undefined || generated.includes(declared.name);
    const description = field?.helper?.en ?? field?.label.en;
    return [
      {
        ...declared,
        hasDefault: isSupplied || (declared.hasDefault && field?.required !== true),
        ...(field?.secret && { sensitive: true }),
        ...(description !== undefined && description !== declared.name && { description }),
      },
    ];
  });
}
