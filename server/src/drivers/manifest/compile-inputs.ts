import type { Projection, VariablePresentation } from '#shared/install-configs/presentation';
import type { VariableDeclaration } from '#shared/sources/module-scan';
import type { Declared, Target } from './compile-known.ts';
import { named, Refusal } from './refusal.ts';
import type { ManifestInput, ManifestModule } from './versions.ts';

type Known = {
  declared: Declared;
  /** Values that requirements deliver, by receiving variable. */
  targets: ReadonlyMap<string, Target>;
};

/**
 * Builds the form of each variable: the inputs in their order, then the values the server delivers, then the variables
 * that the module needs and the manifest does not mention. Every input is checked against the variable that the module
 * declares.
 */
export function compileInputs({ inputs }: ManifestModule, known: Known): VariablePresentation[] {
  const mentioned = new Set(inputs.map(({ name }) => name));
  const delivered = [...known.targets].filter(([name]) => !mentioned.has(name));
  const left = [...known.declared.values()].filter(
    ({ name, hasDefault }) => !hasDefault && !mentioned.has(name) && !known.targets.has(name),
  );
  return [
    ...inputs.map((input) => presentInput(input, known)),
    ...delivered.map(([name, target]) => presentTarget(name, target, known)),
    ...left.map((declaration) => ({ ...plain(declaration), source: 'user' as const, required: true })),
  ];
}

function presentInput(input: ManifestInput, { declared, targets }: Known): VariablePresentation {
  const { name, source, label, format, helper, placeholder, advanced } = input;
  const declaration = declared.get(name);
  if (!declaration) throw new Refusal('variable_missing', `The module has no ${named('variable', name)}.`);
  checkType(input, declaration);
  const target = targets.get(name);
  const isCovered = target !== undefined && (target.kind === 'secret.generated' || target.isDerived);
  checkDefault(input, declaration, isCovered);
  const isNeeded = (!declaration.hasDefault || target?.isNeeded === true) && !isCovered;
  const isSecret = isSecretInput(input, declaration) || target?.kind === 'secret.generated';
  return {
    name,
    source: source.kind,
    ...typeOf(declaration),
    label: { ja: label.ja, en: label.en },
    ...(format !== undefined && { format }),
    ...(source.kind === 'user' && { required: input.required ?? isNeeded }),
    ...(helper && { helper: { ja: helper.ja, en: helper.en } }),
    ...(placeholder !== undefined && { placeholder }),
    ...(advanced !== undefined && { advanced }),
    ...(isSecret && { secret: true }),
    ...(target?.kind === 'secret.generated' && { generated: true as const }),
    ...defaultOf(input, declaration),
  };
}

function checkType({ name, type, source, role }: ManifestInput, declaration: VariableDeclaration): void {
  const isText =
    source.kind === 'capsule_name' || source.kind === 'workspace_scoped_capsule_name' || role !== undefined;
  if (type !== undefined && type !== declaration.type)
    throw new Refusal(
      'variable_type_mismatch',
      `The ${named('variable', name)} is not declared with the type that the manifest gives it.`,
    );
  if (isText && declaration.type !== 'string')
    throw new Refusal(
      'variable_type_mismatch',
      `The ${named('variable', name)} has a source or a role that needs a variable of type string.`,
    );
}

function checkDefault(
  { name, source, required }: ManifestInput,
  { hasDefault }: VariableDeclaration,
  isCovered: boolean,
): void {
  if (hasDefault || isCovered) return;
  if (source.kind === 'module_default')
    throw new Refusal(
      'variable_default_mismatch',
      `The ${named('variable', name)} keeps the module's default, but it has none.`,
    );
  if (source.kind === 'user' && required === false)
    throw new Refusal(
      'variable_default_mismatch',
      `The ${named('variable', name)} has no default, so it cannot be left out.`,
    );
}

const isSecretInput = ({ secret, role }: ManifestInput, { sensitive }: VariableDeclaration): boolean =>
  secret === true || role === 'initial_secret' || sensitive === true;

function defaultOf(
  { source }: ManifestInput,
  { default: value }: VariableDeclaration,
): Pick<VariablePresentation, 'defaultValue'> {
  if (source.kind === 'capsule_name' || source.kind === 'workspace_scoped_capsule_name')
    return { defaultValue: { source: source.kind } };
  return source.kind === 'module_default' && value !== undefined ? { defaultValue: { source: 'literal', value } } : {};
}

const typeOf = ({ type }: VariableDeclaration): Pick<VariablePresentation, 'type'> =>
  type === 'unknown' ? {} : { type };

const plain = (declaration: VariableDeclaration): VariablePresentation => ({
  name: declaration.name,
  ...typeOf(declaration),
  label: { ja: declaration.name, en: declaration.name },
  ...(declaration.sensitive && { secret: true }),
});

/**
 * Builds the form of a variable that only a requirement mentions. Without a base domain the installer enters the
 * address of the service.
 */
function presentTarget(name: string, target: Target, { declared }: Known): VariablePresentation {
  const shown = plain(declared.get(name) as VariableDeclaration);
  if (target.kind === 'secret.generated') return { ...shown, source: 'host', secret: true, generated: true };
  if (target.kind === 'http.endpoint' && target.slot === 'url' && !target.isDerived)
    return { ...shown, source: 'user', format: 'url', required: target.isNeeded };
  const isNeeded = target.kind === 'http.endpoint' && declared.get(name)?.hasDefault === false;
  return { ...shown, source: 'host', ...(isNeeded && { required: true }) };
}

/** Projects roles of inputs other than their values. */
export function projectInputs({ inputs }: ManifestModule, presented: readonly VariablePresentation[]): Projection[] {
  const required = new Set(presented.filter((one) => one.required).map(({ name }) => name));
  return inputs.flatMap(({ name, role }): Projection[] => {
    if (role === 'service_name') return [{ kind: 'service_name', variable: name }];
    if (role !== 'initial_secret') return [];
    return [{ kind: 'initial_secret', variable: name, ...(!required.has(name) && { optional: true }) }];
  });
}
