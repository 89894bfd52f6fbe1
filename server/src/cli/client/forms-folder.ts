import type { FormPackageRecord } from '#shared/form-packages/contract';
import type { Json } from '#shared/kernel/json';
import {
  checkCandidate,
  formsDirOf,
  readCatalog,
  recordsOf,
  writeCandidate,
} from '../../domains/form-packages/index.ts';
import { createJsonSchemas, type JsonSchemas } from '../../drivers/json-schema/index.ts';
import { lockDataDir } from '../../kernel/db.ts';
import { AppError } from '../../kernel/errors.ts';
import { guardDataFolder } from '../../kernel/private-folder.ts';
import { CommandError, exitCodes, failed } from '../exit-codes.ts';

type Candidate = { file: string; package: Json };

/** Writes a package into a data folder on which no server runs. Holds the lock of the folder, so that none starts concurrently. */
export function installInFolder(
  dataDir: string,
  { file, package: json }: Candidate,
): Promise<{ record: FormPackageRecord; isNew: boolean }> {
  return withSchemas(async (schemas) => {
    guardDataFolder(dataDir);
    const lock = lockDataDir(dataDir);
    if (!lock) throw failed('server_started', 'A server has started on this data folder. Repeat the command.');
    try {
      const candidate = await checkCandidate({ file, json }, schemas);
      const folder = formsDirOf(dataDir);
      const { file: written, isNew } = writeCandidate(candidate, folder, await readCatalog(folder, schemas));
      const records = recordsOf(await readCatalog(folder, schemas)).map(({ record }) => record);
      const record = records.find((one) => one.file === written);
      if (!record) throw failed('not_found', 'The package was removed from forms/. Repeat the command.');
      return { record, isNew };
    } finally {
      lock.release();
    }
  });
}

/** Lists the files of a data folder on which no server runs. */
export const listInFolder = (dataDir: string): Promise<FormPackageRecord[]> =>
  withSchemas(async (schemas) =>
    recordsOf(await readCatalog(formsDirOf(dataDir), schemas)).map(({ record }) => record),
  );

async function withSchemas<T>(work: (schemas: JsonSchemas) => Promise<T>): Promise<T> {
  const schemas = createJsonSchemas();
  try {
    return await work(schemas);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const exitCode = error.status === 400 ? exitCodes.wrongUse : exitCodes.failed;
    throw new CommandError(error.message, { exitCode, code: String(error.details?.reason ?? error.code) });
  } finally {
    await schemas.close();
  }
}
