import { failedPrecondition, invalidArgument } from '#server/kernel/errors';
import type { GeneratedSecret, InstallParts } from '#shared/install-configs/parts';
import type { Projection, VariablePresentation } from '#shared/install-configs/presentation';
import type { Json, JsonObject } from '#shared/kernel/json';
import type { VariableDeclaration } from '#shared/sources/module-scan';
import type { CompatibilityReport } from '#shared/sources/report';
import { findMisfit } from './misfit.ts';

/** Declarations of the operator, written before any module was known. */
type OperatorBase = { workspaceId: string | null; parts: InstallParts; variableMapping: JsonObject };
type Module = Pick<CompatibilityReport, 'rootModuleVariableDeclarations' | 'rootModuleOutputs'>;
type Declared = ReadonlyMap<string, VariableDeclaration>;

const secretShape = { bytes: 32, encoding: 'base64url' } as const;

/**
 * Returns the parts of a base as they apply to one checked module: parts for variables that the module does not declare are left out where
 * the row names no repository, and variables that the operator or the host sets are not inputs. Throws 400 `install_config_patch_invalid`
 * for a declaration that contradicts the module, and 409 with `diagnosticCode` `install_compilation_identity_changed` for a required
 * Output that the module lacks.
 */
export function fitBase(base: OperatorBase, module: Module, baseDomain: string | undefined): InstallParts {
  const { store: _store, sourceSelector, installExperience, outputAllowlist, ...rest } = base.parts;
  const declared: Declared = new Map((module.rootModuleVariableDeclarations ?? []).map((one) => [one.name, one]));
  const isOpen = sourceSelector === undefined;
  const fixed = fitFixed(base, declared, isOpen && base.workspaceId === null);
  const projections = (installExperience?.projections ?? []).flatMap((one) =>
    requireDeclared(namesOf(one), { declared, isOpen, member: 'installExperience' }) ? [atDomain(one, baseDomain)] : [],
  );
  const generatedSecrets = projections.flatMap(secretOf).filter(({ variable }) => !fixed.includes(variable));
  const host = [...fixed, ...projections.flatMap(derivedNames)];
  const variablePresentation = fitPresentation(rest.variablePresentation ?? [], {
    declared,
    isOpen,
    host,
    generated: generatedSecrets.map(({ variable }) => variable),
  });
  const shown = new Set(variablePresentation.map(({ name }) => name));
  const features = installExperience?.features?.map((one) => ({
    ...one,
    inputs: one.inputs.filter((name) => shown.has(name)),
  }));
  return {
    ...rest,
    ...(variablePresentation.length > 0 && { variablePresentation }),
    ...(generatedSecrets.length > 0 && { generatedSecrets }),
    ...(installExperience && {
      installExperience: { ...installExperience, projections, ...(features && { features }) },
    }),
    ...(outputAllowlist && { outputAllowlist: fitOutputs(outputAllowlist, module) }),
  };
}

type Fit = { declared: Declared; isOpen: boolean; member: string };

function requireDeclared(names: readonly string[], { declared, isOpen, member }: Fit): boolean {
  const unknown = names.find((name) => !declared.has(name));
  if (unknown === undefined) return true;
  if (isOpen) return false;
  throw invalid(member, `names the variable "${unknown}", which the module does not declare`);
}

const invalid = (member: string, fault: string) =>
  invalidArgument(
    'install_config_patch_invalid',
    `The ${member} of this configuration ${fault}. Ask the operator to correct the configuration.`,
    { field: `/${member}` },
  );

/** Names whose values the operator or the installation sets; checks values against declared types. */
function fitFixed({ variableMapping, parts }: OperatorBase, declared: Declared, isOpen: boolean): string[] {
  const contexts = Object.keys(parts.installContextVariableMapping ?? {});
  const mapped = Object.keys(variableMapping).filter((name) =>
    requireDeclared([name], { declared, isOpen, member: 'variableMapping' }),
  );
  const received = contexts.filter((name) =>
    requireDeclared([name], { declared, isOpen, member: 'installContextVariableMapping' }),
  );
  for (const name of mapped) {
    const misfit = findMisfit(declared.get(name) as VariableDeclaration, variableMapping[name] as Json);
    if (misfit) throw invalid('variableMapping', `has a value that does not fit the type of "${name}"`);
  }
  for (const name of received)
    if (findMisfit(declared.get(name) as VariableDeclaration, 'id'))
      throw invalid('installContextVariableMapping', `names "${name}", which does not accept a string`);
  return [...mapped, ...received];
}

type Marks = { declared: Declared; isOpen: boolean; host: readonly string[]; generated: readonly string[] };

function fitPresentation(presented: readonly VariablePresentation[], marks: Marks): VariablePresentation[] {
  const { declared, host, generated } = marks;
  const remaining = presented.filter((one) => {
    const isKnown = requireDeclared([one.name], { ...marks, member: 'variablePresentation' });
    if (isKnown) requireType(one, declared.get(one.name) as VariableDeclaration);
    return isKnown;
  });
  const listed = new Set(remaining.map(({ name }) => name));
  const added = [...new Set([...host, ...generated])]
    .filter((name) => !listed.has(name))
    .map((name) => ({ name, label: { ja: name, en: name } }));
  return [...remaining, ...added].map((one) => {
    if (host.includes(one.name)) return asDelivered(one);
    return generated.includes(one.name) ? asGenerated(one) : one;
  });
}

/** Makes a variable one that no installer sets. */
function asDelivered({ required: _required, defaultValue: _default, ...one }: VariablePresentation) {
  return { ...one, source: 'host' as const };
}

/** Makes a variable one whose missing value is generated. */
function asGenerated({ required: _required, defaultValue: _default, ...one }: VariablePresentation) {
  return { ...one, secret: true, generated: true as const };
}

function requireType({ name, type, defaultValue }: VariablePresentation, declaration: VariableDeclaration): void {
  const differs = type !== undefined && declaration.type !== 'unknown' && type !== declaration.type;
  const value = defaultValue?.source === 'literal' ? (defaultValue.value as Json) : 'name';
  if (differs || (defaultValue && findMisfit(declaration, value)))
    throw invalid('variablePresentation', `does not fit the type of the variable "${name}"`);
}

function namesOf(projection: Projection): string[] {
  if ('variable' in projection) return [projection.variable];
  return Object.values(projection.variables).filter((name) => name !== undefined);
}

const atDomain = (projection: Projection, baseDomain: string | undefined): Projection =>
  projection.kind === 'public_endpoint' && baseDomain !== undefined ? { baseDomain, ...projection } : projection;

const secretOf = (projection: Projection): GeneratedSecret[] =>
  projection.kind === 'initial_secret' ? [{ variable: projection.variable, ...secretShape }] : [];

/** Variables that follow from the address of the service. */
function derivedNames(projection: Projection): string[] {
  if (projection.kind !== 'public_endpoint') return [];
  const { url } = projection.variables;
  return namesOf(projection).filter(
    (name) => projection.baseDomain !== undefined || (url !== undefined && name !== url),
  );
}

function fitOutputs(
  allowlist: NonNullable<InstallParts['outputAllowlist']>,
  { rootModuleOutputs: outputs }: Module,
): NonNullable<InstallParts['outputAllowlist']> {
  if (!outputs) return allowlist;
  const isThere = (from: string) => outputs.some(({ name }) => name === from);
  const missing = Object.values(allowlist).find(({ from, required }) => required && !isThere(from));
  if (missing)
    throw failedPrecondition(
      'capsule_configuration_identity_conflict',
      `The configuration requires the Output "${missing.from}", which the module does not have. Choose another module or ask the operator.`,
      { diagnosticCode: 'install_compilation_identity_changed' },
    );
  return Object.fromEntries(Object.entries(allowlist).filter(([, { from }]) => isThere(from)));
}

/**
 * Combines a compiled manifest with the fitted parts of a base. Variables that the operator declares as secret, required or fixed stay so,
 * and inputs that only the operator declares are added.
 */
export function overBase(compiled: InstallParts, base: InstallParts): InstallParts {
  const fitted = new Map((base.variablePresentation ?? []).map((one) => [one.name, one]));
  const own = (compiled.variablePresentation ?? []).map((one) => combine(one, fitted.get(one.name)));
  const names = new Set(own.map(({ name }) => name));
  const added = [...fitted.values()].filter(({ name }) => !names.has(name));
  const generated = compiled.generatedSecrets ?? [];
  const secrets = [
    ...generated,
    ...(base.generatedSecrets ?? []).filter(({ variable }) => !generated.some((one) => one.variable === variable)),
  ];
  const projections = compiled.installExperience?.projections ?? [];
  const more = (base.installExperience?.projections ?? []).filter(
    ({ kind }) => !projections.some((one) => one.kind === kind),
  );
  const { installContextVariableMapping, managedPublicHostname, lifecycleActions } = base;
  return {
    ...compiled,
    variablePresentation: [...own, ...added],
    ...(secrets.length > 0 && { generatedSecrets: secrets }),
    ...(more.length > 0 && {
      installExperience: { ...compiled.installExperience, projections: [...projections, ...more] },
    }),
    ...(installContextVariableMapping && { installContextVariableMapping }),
    ...(managedPublicHostname && { managedPublicHostname }),
    ...(lifecycleActions && { lifecycleActions }),
  };
}

function combine(one: VariablePresentation, fitted: VariablePresentation | undefined): VariablePresentation {
  if (!fitted) return one;
  const secret = { ...((one.secret || fitted.secret) && { secret: true }) };
  if (fitted.source === 'host') return { ...asDelivered(one), ...secret };
  if (fitted.generated && one.source === 'user') return asGenerated(one);
  const isInput = one.source === undefined || one.source === 'user';
  return {
    ...one,
    ...secret,
    ...(isInput && fitted.required && { required: true }),
    ...(isInput && fitted.defaultValue && { defaultValue: fitted.defaultValue }),
  };
}
