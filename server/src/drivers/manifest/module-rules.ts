import { manifestLimits } from '#shared/limits';
import { manifestApiVersion } from '#shared/vendor';
import { interfaceRules } from './interface-rules.ts';
import type { Place, Tell } from './problems.ts';
import { tellPublicText } from './public-text.ts';
import { requirementRules } from './requirement-rules.ts';
import { tellRepeated } from './unique.ts';
import type { ManifestDocument, ManifestInput, ManifestModule } from './versions.ts';

/** What a document must keep to beyond its shape, as far as it decides that alone (Manifest 2.2 to 2.9). */
export function checkRules({ apiVersion, install }: ManifestDocument, tell: Tell): void {
  const { modules, defaultModule } = install;
  const runtimeBindings = apiVersion === manifestApiVersion('v2.4');
  if (defaultModule !== undefined && !Object.hasOwn(modules, defaultModule))
    tell(['install', 'defaultModule'], 'default_module_unknown', 'It must be one of the keys of modules.');
  for (const [path, module] of Object.entries(modules)) {
    const place = ['install', 'modules', path];
    checkModule(module, place, tell);
    requirementRules({ requires: module.requires ?? [], runtimeBindings }, [...place, 'requires'], tell);
  }
}

function checkModule(module: ManifestModule, place: Place, tell: Tell): void {
  const at = (name: string): Place => [...place, name];
  for (const [index, input] of module.inputs.entries()) inputRules(input, [...at('inputs'), index], tell);
  tellRepeated(module.inputs, { place: at('inputs'), field: 'name' }, tell);
  tellRepeated(module.inputs, { place: at('inputs'), field: 'role' }, tell);
  featureRules(module, at('features'), tell);
  interfaceRules(module.interfaces ?? [], at('interfaces'), tell);
  for (const [index, command] of (module.sourceBuild?.commands ?? []).entries()) {
    for (const [position, argument] of command.argv.entries())
      tellPublicText(argument, [...at('sourceBuild'), 'commands', index, 'argv', position], tell);
  }
}

function inputRules(input: ManifestInput, place: Place, tell: Tell): void {
  const { kind } = input.source;
  if (input.secret && kind !== 'user')
    tell([...place, 'secret'], 'input_secret_invalid', 'Only an input whose source is user can be secret.');
  if (input.required && kind === 'module_default')
    tell([...place, 'required'], 'input_default_required', 'An input that keeps the default cannot be required.');
  if (input.name === 'env' && (input.secret || input.role === 'initial_secret'))
    tell(place, 'input_env_secret', 'The input env cannot be secret or an initial secret.');
  for (const field of ['label', 'helper', 'placeholder'] as const)
    if (input[field] !== undefined) tellPublicText(input[field], [...place, field], tell);
}

/** A feature groups inputs that a person fills in; each belongs to one group at most. */
function featureRules({ inputs, features = [] }: ManifestModule, place: Place, tell: Tell): void {
  const users = new Set(inputs.filter(({ source }) => source.kind === 'user').map(({ name }) => name));
  const claimed = new Set<string>();
  tellRepeated(features, { place, field: 'id' }, tell);
  for (const [index, feature] of features.entries()) {
    tellPublicText(feature.label, [...place, index, 'label'], tell);
    for (const [position, name] of feature.inputs.entries()) {
      const at = [...place, index, 'inputs', position];
      if (!users.has(name))
        tell(at, 'feature_input_invalid', 'It must name an input of this module whose source is user.');
      if (claimed.has(name)) tell(at, 'not_unique', 'Another feature has this input already.');
    }
    for (const name of feature.inputs) claimed.add(name);
  }
}

/** The paths that a document has modules for, in its order. */
export const modulePaths = ({ install }: ManifestDocument): string[] =>
  Object.keys(install.modules).slice(0, manifestLimits.modules);
