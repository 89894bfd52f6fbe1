import path from 'node:path';
import { z } from 'zod';
import type { Log } from '#server/kernel/log';
import { RecipeId } from '#shared/connections/recipe';
import { createJsonFolder, FileRefusal } from '../json-folder.ts';
import { OperatorEndpoint } from '../operator-endpoint.ts';
import { refusalOf } from '../recipes.ts';

const ServiceFile = z.strictObject({
  url: OperatorEndpoint,
  /** Files relative to the folder: the token that the service accepts, and certificates that it may use. */
  tokenFile: z.string().min(1).max(4_096),
  caFile: z.string().min(1).max(4_096).optional(),
});
/** A credential service of the operator; its files have absolute paths. */
export type CredentialService = z.infer<typeof ServiceFile> & { recipeId: string };
export type CredentialServices = { find(recipeId: string): CredentialService | undefined };

type Deps = { dataDir: string; log: Pick<Log, 'warn'> };

/** Credential services of the operator: `<dataDir>/credential-services/<recipeId>.json`, read at each use. */
export function createCredentialServices({ dataDir, log }: Deps): CredentialServices {
  const dir = path.join(dataDir, 'credential-services');
  const list = createJsonFolder<CredentialService>({
    dir,
    log,
    idOf: ({ recipeId }) => recipeId,
    parse(json, fileName) {
      const recipeId = path.basename(fileName, '.json');
      if (!RecipeId.safeParse(recipeId).success) throw new FileRefusal('Its name must be the id of a recipe.');
      const parsed = ServiceFile.safeParse(json);
      if (!parsed.success) throw new FileRefusal(refusalOf(parsed.error.issues[0]));
      const { url, tokenFile, caFile } = parsed.data;
      return {
        recipeId,
        url,
        tokenFile: path.resolve(dir, tokenFile),
        ...(caFile !== undefined && { caFile: path.resolve(dir, caFile) }),
      };
    },
  });
  list();
  return { find: (recipeId) => list().find((service) => service.recipeId === recipeId) };
}
