import { createFormPackagesService, createFormPackagesStore } from '../domains/form-packages/index.ts';
import { createFormHost, createFormResourcesStore } from '../domains/form-resources/index.ts';
import type { AppContext } from './app-context.ts';
import type { BaseDomains } from './base.ts';
import type { RecordDomains } from './records.ts';

/** Builds the forms of an operator, whose files are read when the server starts with a form host, and the Resources of them. */
export function buildFormHost(
  { db, log, schemas, settings }: AppContext,
  { shared, activity, unattendedGate }: BaseDomains,
  { interfaces }: Pick<RecordDomains, 'interfaces'>,
) {
  const formPackages = createFormPackagesService({
    ...shared,
    log,
    activity,
    schemas,
    store: createFormPackagesStore(db),
    dataDir: settings.dataDir,
  });
  const formHost = createFormHost({
    ...shared,
    log,
    activity,
    workGate: unattendedGate,
    store: createFormResourcesStore(db),
    packages: formPackages,
    publication: interfaces.resources,
    dataDir: settings.dataDir,
  });
  return { formPackages, formHost };
}
