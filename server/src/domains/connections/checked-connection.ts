import type { connectionsApi } from '#shared/connections/api';
import type { gitTokenKind } from '#shared/connections/contract';
import type { moduleRegistryKind } from '#shared/connections/module-registry';
import type { objectStorageKind } from '#shared/connections/object-storage';
import type { BodyInputOf, BodyOf } from '#shared/kernel/endpoint';
import type { NewMaterial } from './new-material.ts';
import type { FileName, PinnedRecipe } from './schema.ts';

/** A request from which a caller inside the server may leave out the files. */
type Request<E extends typeof connectionsApi.createConnection | typeof connectionsApi.createConnectionAsOperator> =
  Omit<BodyOf<E>, 'files'> & Pick<BodyInputOf<E>, 'files'>;
/** A Connection of a Workspace, or without one of the operator. */
export type NewConnection =
  | Request<typeof connectionsApi.createConnection>
  | Request<typeof connectionsApi.createConnectionAsOperator>;
/** Parts of a new Connection that have rules among each other. */
export type CheckedParts = Omit<NewConnection, 'workspaceId' | 'expiresAt'>;

/** A validated request; values are in `materials` only. */
export type CheckedConnection = {
  provider: string;
  providerSource: string;
  kind: typeof gitTokenKind | typeof moduleRegistryKind | typeof objectStorageKind | null;
  recipe: PinnedRecipe | null;
  secretPartition: string | null;
  envNames: string[];
  files: FileName[];
  materials: NewMaterial[];
};
