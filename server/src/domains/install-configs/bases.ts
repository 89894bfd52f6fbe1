import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { jsonDigest } from '#server/kernel/digest';
import { type BaseTarget, chooseBase } from '#shared/install-configs/choose-base';
import { genericInstallConfigId } from '#shared/install-configs/contract';
import type { InstallParts } from '#shared/install-configs/parts';
import type { JsonObject } from '#shared/kernel/json';
import { genericRecord } from './digests.ts';
import { configOf } from './record.ts';
import type { ConfigRow, InstallConfigsStore } from './store.ts';

/** The base of a proposal. */
export type BaseConfig = Pick<
  ConfigRow,
  'id' | 'workspaceId' | 'modulePath' | 'provenance' | 'policy' | 'allOutputs' | 'digest'
> & {
  isDerived: boolean;
  parts: InstallParts;
  variableMapping: JsonObject;
  variableNames: string[];
};

type Deps = { db: Db; clock: Clock; store: Pick<InstallConfigsStore, 'findConfig' | 'insertConfig' | 'listBases'> };

/** The configurations that others start from. */
export function createConfigBases({ db, clock, store }: Deps) {
  return {
    /** The configuration that plain modules start from; it is empty. */
    ensureGeneric(): void {
      const now = clock.now();
      const columns = {
        ...genericRecord,
        workspaceId: null,
        derived: false,
        secretVariables: [],
        parts: null,
        secrets: null,
        allOutputs: true,
      };
      db.write(() =>
        store.insertConfig({ ...columns, digest: jsonDigest(genericRecord), createdAt: now, updatedAt: now }),
      );
    },

    /** A configuration as the base of another; undefined when there is none. */
    findBase(id: string): BaseConfig | undefined {
      const row = store.findConfig(id);
      return row && baseOf(row);
    },
    /** Returns the id of the base for a module of a Source: of the Workspace before shared, with a module path before without. */
    chooseBase: (workspaceId: string, at: BaseTarget): string =>
      chooseBase(
        store.listBases(workspaceId).map((row) => configOf(row, [])),
        at,
      )?.id ?? genericInstallConfigId,
  };
}

const baseOf = (row: ConfigRow): BaseConfig => {
  const { id, workspaceId, modulePath, provenance, policy, allOutputs, digest, derived, variableMapping } = row;
  const parts = row.parts ?? {};
  const contexts = Object.keys(parts.installContextVariableMapping ?? {});
  return {
    id,
    workspaceId,
    modulePath,
    isDerived: derived,
    provenance,
    policy,
    allOutputs,
    digest,
    parts,
    variableMapping,
    variableNames: [...Object.keys(variableMapping), ...contexts, ...row.secretVariables],
  };
};
