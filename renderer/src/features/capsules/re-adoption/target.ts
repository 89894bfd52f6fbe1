import type { CapsuleConfiguration } from '#shared/configuration-plans/configuration';
import { checkForInstall } from '#shared/install-configs/checked-module';
import type { Json } from '#shared/kernel/json';
import type { CompatibilityReport } from '#shared/sources/report';
import { api } from '../../../api/client.ts';
import { type Entries, entryOf, type Input } from '../../../components/inputs/entry.ts';
import { listInputs } from '../../../components/inputs/list-inputs.ts';
import { findManifestForm, isUserInput, type ManifestForm } from '../../../components/inputs/presented-form.ts';

/** The inputs that a snapshot asks for; secret ones keep their sealed values and are not among them. */
export type Target = { report: CompatibilityReport; form: ManifestForm | undefined; fields: Input[] };

type TargetLocation = { sourceId: string; snapshotId: string; modulePath: string; capsuleName: string };

/** Checks the module of a snapshot and, for a Capsule with a manifest, compiles the manifest of that snapshot. */
export async function loadTarget(location: TargetLocation, isFromManifest: boolean): Promise<Target> {
  const { report, ux } = await checkForInstall(api, location);
  const form = isFromManifest && ux.status === 'accepted' ? await loadForm(ux.installConfigId) : undefined;
  const isSecret = (name: string) =>
    form?.fields.some((field) => field.name === name && field.secret === true) === true;
  const declarations = (report.rootModuleVariableDeclarations ?? []).filter(
    ({ name, sensitive }) => !sensitive && !isSecret(name),
  );
  const userForm = form && { ...form, fields: form.fields.filter(isUserInput) };
  return { report, form: userForm, fields: listInputs(declarations, { sealedNames: [], form: userForm }) };
}

async function loadForm(capsuleConfigId: string): Promise<ManifestForm | undefined> {
  return findManifestForm((await api.getInstallConfig({ params: { capsuleConfigId } })).body.installConfig);
}

/** Returns the current values of the inputs that the snapshot still asks for. */
export function currentEntries({ inputs }: CapsuleConfiguration, fields: readonly Input[]): Entries {
  const known = new Map(inputs.map((input) => [input.name, input]));
  return Object.fromEntries(
    fields.flatMap((field) => {
      const input = known.get(field.declared.name);
      const isSet = input?.configured === true && input.changeable && !input.secret && input.value.status === 'shown';
      return isSet && input.value.status === 'shown'
        ? [[field.declared.name, entryOf(field, input.value.value as Json)]]
        : [];
    }),
  );
}
