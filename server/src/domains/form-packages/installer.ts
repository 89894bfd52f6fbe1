import type { ActivityService } from '#server/domains/activity/index';
import type { JsonSchemas } from '#server/drivers/json-schema/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import type { Log } from '#server/kernel/log';
import type { FormIdentity, FormPackageRecord } from '#shared/form-packages/contract';
import type { Json } from '#shared/kernel/json';
import { type Catalog, createCatalog, formKeyOf, type PackageFile } from './catalog.ts';
import { formsDirOf } from './form-folder.ts';
import { type Candidate, checkCandidate, checkFolder, writeCandidate } from './install.ts';
import { recordOf } from './records.ts';
import type { FormPackagesStore } from './store.ts';

export type InstallerDeps = {
  db: Db;
  clock: Clock;
  log: Pick<Log, 'warn'>;
  activity: Pick<ActivityService, 'record'>;
  store: FormPackagesStore;
  schemas: Pick<JsonSchemas, 'check' | 'validate'>;
  dataDir: string;
};

/** Reports whether a file was installed under a reference; when it is written again, that file has lost its content. */
const claims = (file: PackageFile, identity: FormIdentity): boolean =>
  file.package !== undefined && file.identity !== undefined && formKeyOf(file.identity) === formKeyOf(identity);

/** Keeps the catalog equal to the folder: read at the start, and changed by each installation. */
export function createInstaller({ db, clock, log, activity, store, schemas, dataDir }: InstallerDeps) {
  const folder = formsDirOf(dataDir);
  let catalog: Catalog = createCatalog([], []);

  /** Remembers new references, and publishes the catalog after an open transaction. A start without new ones writes nothing. */
  function publish(files: Catalog['files']): void {
    const known = store.list();
    const remembered = new Set(known.map(formKeyOf));
    const next = createCatalog(files, known);
    const added = next.listed.filter(({ installed, identity }) => installed && !remembered.has(formKeyOf(identity)));
    if (added.length > 0)
      db.write(() => {
        for (const { identity } of added) store.insert(identity, clock.now());
      });
    db.afterCommit(() => {
      catalog = next;
    });
  }

  function install(candidate: Candidate, actorId: string): { record: FormPackageRecord; isNew: boolean } {
    const { identity } = candidate;
    const { file, isNew } = writeCandidate(candidate, folder, catalog);
    const entry = { file, identity, package: candidate.package };
    if (isNew) {
      publish([...catalog.files.filter((other) => other.file !== file && !claims(other, identity)), entry]);
      const { kind, definitionVersion } = identity.formRef;
      activity.record({
        actorId,
        action: 'form_package.installed',
        targetType: 'form_package',
        targetId: identity.packageDigest,
        metadata: { kind, definitionVersion },
      });
    }
    return { record: recordOf(entry), isNew };
  }

  /** Reads the folder. Every file that is not installed is logged with its reason. */
  async function reread(): Promise<void> {
    const before = catalog;
    const files = await checkFolder(folder, schemas);
    // A package was installed concurrently, and may not be among them.
    if (catalog !== before) return reread();
    publish(files);
    for (const { file, reason } of catalog.files)
      if (reason !== undefined) log.warn({ file, reason }, 'a form package is not installed');
  }

  return {
    getCatalog: (): Catalog => catalog,

    reread,

    /**
     * Checks a package and returns the work that installs it inside a transaction. Throws 400 `form_package_invalid`;
     * the work throws 409 `conflict`.
     */
    async prepareInstall(input: { file: string; json: Json }) {
      const candidate = await checkCandidate(input, schemas);
      return (actorId: string) => install(candidate, actorId);
    },
  };
}
