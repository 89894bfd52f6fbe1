import { AppError } from '#server/kernel/errors';
import { type Cursors, type ListQueryOf, readPage } from '#server/kernel/page';
import type { formPackagesApi } from '#shared/form-packages/api';
import type { FormIdentity } from '#shared/form-packages/contract';
import type { FormPackage } from '#shared/form-packages/package';
import type { Json } from '#shared/kernel/json';
import { formKeyOf, isActivatedFor, type ListedPackage } from './catalog.ts';
import { createInstaller, type InstallerDeps } from './installer.ts';
import { recordsOf } from './records.ts';

export type FormPackagesService = ReturnType<typeof createFormPackagesService>;

/** Result of the check of a spec by the schema of its form. The message names only facts of the schema. */
type SpecResult = { valid: true } | { valid: false; pointer: string; message: string };

/** State of an exact reference. */
export type PackageState = { state: 'installed'; package: FormPackage } | { state: 'known'; reason: string };

type Deps = InstallerDeps & { cursors: Cursors };

export function createFormPackagesService({ cursors, ...deps }: Deps) {
  const { schemas } = deps;
  const { getCatalog, ...installer } = createInstaller(deps);
  const find = (identity: FormIdentity) => getCatalog().byKey.get(formKeyOf(identity));

  return {
    ...installer,

    /** Finds an exact reference: all five members are compared. Undefined when neither a file nor the ledger knows it. */
    findPackage(identity: FormIdentity): PackageState | undefined {
      const listed = find(identity);
      if (!listed) return undefined;
      return listed.installed
        ? { state: 'installed', package: listed.package }
        : { state: 'known', reason: listed.reason };
    },

    /** Every known reference, in the order of `formKeyOf`. */
    listPackages: (): readonly ListedPackage[] => getCatalog().listed,

    /** The installed packages of a kind that are activated for a Workspace. */
    findActivated: (kind: string, workspaceId: string): FormPackage[] =>
      getCatalog().listed.flatMap((listed) =>
        listed.installed && listed.identity.formRef.kind === kind && isActivatedFor(listed.package, workspaceId)
          ? [listed.package]
          : [],
      ),

    /**
     * Checks a spec by the schema of an installed form, in a worker and with a time limit. Throws 503
     * `feature_unavailable` when the worker ended.
     */
    async validateSpec(identity: FormIdentity, spec: Json): Promise<SpecResult> {
      const found = find(identity);
      if (!found?.installed) return { valid: false, pointer: '', message: 'The form is not installed.' };
      const { desiredSchema: schema, formRef } = found.package;
      const result = await schemas.validate({ digest: formRef.schemaDigest, schema }, spec);
      if ('failure' in result) throw new AppError('feature_unavailable', result.failure);
      return result;
    },

    /** The files and the references without one, for the operator. */
    list({ limit, cursor, ...rest }: ListQueryOf<typeof formPackagesApi.listFormPackages>) {
      const { rows, next } = readPage(
        cursors,
        { limit, cursor, ...rest },
        {
          binding: 'form-packages',
          fetch: (after, most) =>
            recordsOf(getCatalog())
              .filter(({ position }) => position > String(after?.[0] ?? ''))
              .slice(0, most),
          positionOf: ({ position }) => [position],
        },
      );
      return { packages: rows.map(({ record }) => record), ...next };
    },
  };
}
