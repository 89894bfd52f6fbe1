import type { InstallConfig } from '#shared/install-configs/contract';
import type { Projection, VariablePresentation } from '#shared/install-configs/presentation';
import type { Input } from './entry.ts';

/** Form description of the repository's manifest, as accepted by the server. */
export type ManifestForm = {
  /** In the order of the manifest. */
  fields: readonly VariablePresentation[];
  groups: readonly { id: string; label: { en: string; ja: string }; optional: boolean; inputs: readonly string[] }[];
  projections: readonly Projection[];
};

/** The form of an accepted configuration; undefined for one of a plain module. */
export function findManifestForm({ variablePresentation, installExperience }: InstallConfig): ManifestForm | undefined {
  if (!installExperience?.repositoryInstallUx) return undefined;
  const { features = [], projections = [] } = installExperience;
  return { fields: variablePresentation ?? [], groups: features, projections };
}

export const isUserInput = ({ source = 'user' }: VariablePresentation): boolean => source === 'user';
export const hasRole = (form: ManifestForm, kind: 'service_name' | 'initial_secret', name: string): boolean =>
  form.projections.some((one) => one.kind === kind && one.variable === name);
const endpointOf = ({ projections }: ManifestForm) => projections.find((one) => one.kind === 'public_endpoint');
export const isAddress = (form: ManifestForm, name: string): boolean => endpointOf(form)?.variables.url === name;

/** Origin of a value that is not asked for; a key of the texts that explain it. */
type Giver =
  | 'generated'
  | 'capsule_name'
  | 'workspace_scoped_capsule_name'
  | 'module_default'
  | 'endpoint'
  | 'assigned'
  | 'host';

export function giverOf(form: ManifestForm, { name, source, generated }: VariablePresentation): Giver {
  if (source !== undefined && source !== 'user' && source !== 'host') return source;
  if (generated) return 'generated';
  const endpoint = endpointOf(form);
  if (!endpoint || !Object.values(endpoint.variables).includes(name)) return 'host';
  return endpoint.baseDomain === undefined ? 'endpoint' : 'assigned';
}

type Sections = {
  plain: Input[];
  groups: { group: ManifestForm['groups'][number]; inputs: Input[] }[];
  advanced: Input[];
};

/** Returns the sections of the form: ungrouped inputs, then the groups, then the advanced inputs. */
export function sectionsOf(form: ManifestForm, inputs: readonly Input[]): Sections {
  const isFolded = (input: Input) => input.presentation?.advanced === true && !input.isRequired;
  const advanced = inputs.filter(isFolded);
  const open = inputs.filter((input) => !isFolded(input));
  const groups = form.groups
    .map((group) => ({ group, inputs: open.filter(({ declared }) => group.inputs.includes(declared.name)) }))
    .filter((one) => one.inputs.length > 0);
  const grouped = new Set(groups.flatMap((one) => one.inputs));
  return { plain: open.filter((input) => !grouped.has(input)), groups, advanced };
}

/** Returns the inputs in the order of the page. */
export function inOrder(form: ManifestForm, inputs: readonly Input[]): Input[] {
  const { plain, groups, advanced } = sectionsOf(form, inputs);
  return [...plain, ...groups.flatMap((one) => one.inputs), ...advanced];
}
