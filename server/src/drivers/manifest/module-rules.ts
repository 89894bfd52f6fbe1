import { manifestLimits } from '#shared/limits';
import { manifestApiVersion } from '#shared/vendor';
import { interfaceRules } from './interface-rules.ts';
import type { JsonPath, Report } from './problems.ts';
import { reportPublicText } from './public-text.ts';
import { requirementRules } from './requirement-rules.ts';
import { reportRepeated } from './unique.ts';
import type { ManifestDocument, ManifestInput, ManifestModule } from './versions.ts';

/** Checks the rules beyond the shape that a document can be checked against on its own. */
export function checkRules({ apiVersion, install }: ManifestDocument, report: Report): void {
  const { modules, defaultModule } = install;
  const runtimeBindings = apiVersion === manifestApiVersion('v2.4');
  if (defaultModule !== undefined && !Object.hasOwn(modules, defaultModule))
    report(['install', 'defaultModule'], 'default_module_unknown', 'It must be one of the keys of modules.');
  for (const [path, module] of Object.entries(modules)) {
    const jsonPath = ['install', 'modules', path];
    checkModule(module, jsonPath, report);
    requirementRules({ requires: module.requires ?? [], runtimeBindings }, [...jsonPath, 'requires'], report);
  }
}

function checkModule(module: ManifestModule, path: JsonPath, report: Report): void {
  const at = (name: string): JsonPath => [...path, name];
  for (const [index, input] of module.inputs.entries()) inputRules(input, [...at('inputs'), index], report);
  reportRepeated(module.inputs, { path: at('inputs'), field: 'name' }, report);
  reportRepeated(module.inputs, { path: at('inputs'), field: 'role' }, report);
  featureRules(module, at('features'), report);
  interfaceRules(module.interfaces ?? [], at('interfaces'), report);
  for (const [index, command] of (module.sourceBuild?.commands ?? []).entries()) {
    for (const [position, argument] of command.argv.entries())
      reportPublicText(argument, [...at('sourceBuild'), 'commands', index, 'argv', position], report);
  }
}

function inputRules(input: ManifestInput, path: JsonPath, report: Report): void {
  const { kind } = input.source;
  if (input.secret && kind !== 'user')
    report([...path, 'secret'], 'input_secret_invalid', 'Only an input whose source is user can be secret.');
  if (input.required && kind === 'module_default')
    report([...path, 'required'], 'input_default_required', 'An input that keeps the default cannot be required.');
  if (input.name === 'env' && (input.secret || input.role === 'initial_secret'))
    report(path, 'input_env_secret', 'The input env cannot be secret or an initial secret.');
  for (const field of ['label', 'helper', 'placeholder'] as const)
    if (input[field] !== undefined) reportPublicText(input[field], [...path, field], report);
}

/** Checks features. A feature groups inputs that a person fills in; each belongs to at most one group. */
function featureRules({ inputs, features = [] }: ManifestModule, path: JsonPath, report: Report): void {
  const users = new Set(inputs.filter(({ source }) => source.kind === 'user').map(({ name }) => name));
  const claimed = new Set<string>();
  reportRepeated(features, { path, field: 'id' }, report);
  for (const [index, feature] of features.entries()) {
    reportPublicText(feature.label, [...path, index, 'label'], report);
    for (const [position, name] of feature.inputs.entries()) {
      const at = [...path, index, 'inputs', position];
      if (!users.has(name))
        report(at, 'feature_input_invalid', 'It must name an input of this module whose source is user.');
      if (claimed.has(name)) report(at, 'not_unique', 'Another feature has this input already.');
    }
    for (const name of feature.inputs) claimed.add(name);
  }
}

/** Returns the module paths of a document, in its order. */
export const modulePaths = ({ install }: ManifestDocument): string[] =>
  Object.keys(install.modules).slice(0, manifestLimits.modules);
