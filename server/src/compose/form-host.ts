import { createFormPackagesService, createFormPackagesStore } from '../domains/form-packages/index.ts';
import type { AppContext } from './app-context.ts';
import type { BaseDomains } from './base.ts';

/** Builds the forms of an operator. Their files are read when the server starts with a form host. */
export function buildFormHost({ db, log, schemas, settings }: AppContext, { shared, activity }: BaseDomains) {
  const formPackages = createFormPackagesService({
    ...shared,
    log,
    activity,
    schemas,
    store: createFormPackagesStore(db),
    dataDir: settings.dataDir,
  });
  return { formPackages };
}
