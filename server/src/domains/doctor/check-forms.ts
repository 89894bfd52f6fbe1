import { existsSync } from 'node:fs';
import path from 'node:path';
import { formKeyOf, formsDirOf, readCatalog, recordsOf } from '#server/domains/form-packages/index';
import {
  createFormResourcesStore,
  createNativeObjects,
  listNativeFaults,
  type NativeFault,
} from '#server/domains/form-resources/index';
import { createDeletionsStore } from '#server/domains/workspace-deletions/index';
import { createJsonSchemas } from '#server/drivers/json-schema/index';
import { listFolder } from './files.ts';
import { atMost, type Check, type Finding, note, problem } from './finding.ts';

/** Checks that the packages of forms are installed: their files, and the forms that Resources use. */
export const formsCheck: Check = {
  name: 'forms',
  needs: ['tables'],
  async examine({ ledger, folders: { dataDir } }) {
    const folder = formsDirOf(dataDir);
    const schemas = createJsonSchemas();
    try {
      const catalog = await readCatalog(folder, schemas);
      const files = recordsOf(catalog).flatMap(({ record: { file = '', reason } }) =>
        reason === undefined ? [] : [notInstalled(path.join(folder, file), reason)],
      );
      const missing = createFormResourcesStore(ledger)
        .listForms()
        .filter((form) => catalog.byKey.get(formKeyOf(form))?.installed !== true)
        .map(({ formRef: { kind, definitionVersion } }) => withoutPackage(`${kind} ${definitionVersion}`));
      return [...atMost(files, 'files that are not installed'), ...atMost(missing, 'forms without their package')];
    } finally {
      await schemas.close();
    }
  },
};

const notInstalled = (subject: string, reason: string): Finding =>
  problem({
    subject,
    message: `This file in forms/ is not an installed package. ${reason}`,
    remedy: 'Correct it, or move it elsewhere. Run groundctl forms lint on it for every problem.',
  });

const withoutPackage = (subject: string): Finding =>
  problem({
    subject,
    message: 'Resources use this form, and its package is not installed: they cannot be changed.',
    remedy: 'Put its file back into forms/ and start the server again.',
  });

/** Compares the Resources of the form host with their native objects. */
export const formResourcesCheck: Check = {
  name: 'form-resources',
  needs: ['tables'],
  examine({ ledger, folders: { dataDir } }) {
    const native = createNativeObjects(dataDir);
    const leaving = new Set(createDeletionsStore(ledger).listOpenDeletions());
    const faults = listNativeFaults({
      native,
      store: createFormResourcesStore(ledger),
      isLeaving: (id) => leaving.has(id),
    });
    const findings = Array.from(faults, ({ nativeId, row, fault }) =>
      faultFinding(
        row?.id ?? native.pathOf(nativeId),
        row === undefined && fault === 'unreadable' ? 'unusable' : fault,
      ),
    );
    return [...atMost(findings, 'Resources or native objects'), ...unfinishedWrites(dataDir)];
  },
};

const faultTexts: Readonly<Record<NativeFault['fault'] | 'unusable', { message: string; remedy: string }>> = {
  missing: {
    message: 'The native object of this Resource is missing.',
    remedy: 'Apply the Resource again, put the file back from a backup, or delete the Resource.',
  },
  unreadable: {
    message: 'The native object of this Resource cannot be read, so the Resource cannot be changed.',
    remedy: 'Put the file back from a backup, or remove it and apply the Resource again.',
  },
  foreign: {
    message: 'The native object of this Resource does not name it as its owner.',
    remedy: 'Put its own file back from a backup, or apply the Resource again.',
  },
  other_version: {
    message: 'The native object of this Resource is of another version than the ledger.',
    remedy: 'Apply the Resource again. If an older ledger was put in place, put the newer one back.',
  },
  orphan: {
    message: 'This native object names a Resource that is not in the ledger.',
    remedy: 'Remove the member owner to import it, or remove the file. Put the newer ledger back if this one is older.',
  },
  unusable: {
    message: 'This file in forms/native cannot be read as a native object, so it cannot be imported.',
    remedy: 'Correct it, or move it elsewhere.',
  },
};

const faultFinding = (subject: string, fault: NativeFault['fault'] | 'unusable'): Finding =>
  (fault === 'unusable' ? note : problem)({ subject, ...faultTexts[fault] });

function unfinishedWrites(dataDir: string): Finding[] {
  const folder = formsDirOf(dataDir);
  const names = ['', 'native'].flatMap((inner) =>
    listFolder(path.join(folder, inner)).map((name) => path.join(inner, name)),
  );
  return names
    .filter((name) => name.endsWith('.json.tmp') && existsSync(path.join(folder, name)))
    .map((name) =>
      note({
        subject: path.join(folder, name),
        message: 'A write that was interrupted left this file.',
        remedy: 'No action needed: it is deleted after a day.',
      }),
    );
}
