import { packText, unpackText } from '#server/kernel/packed';
import { parseExactly, writeJson } from '#shared/kernel/exact-number';
import type { Json } from '#shared/kernel/json';
import type { CheckResult, ModuleCount, StateResource } from '#shared/state-resources/contract';

/** Entry of one object in the index of a projection, by address. */
export type IndexEntry = {
  address: string;
  moduleAddress?: string;
  deposed?: string;
  isData?: true;
  /** Keyed digest of the attributes before anything was masked. */
  digest: string;
  /** Number of the page that holds the object. */
  page: number;
};

export type StoredOutput = { name: string; sensitive: boolean; value: Json };

/** Address under which the marks of an Output are kept. */
export const outputAddress = (name: string): string => `output.${name}`;

/** Everything about a projection except its objects. */
export type ProjectionHead = {
  index: IndexEntry[];
  modules: ModuleCount[];
  checks: CheckResult[];
  outputs: StoredOutput[];
};

/** Objects of one page; sensitive values are stored marks. */
export type ProjectionPage = StateResource[];

/** Objects without attributes. */
export type Addresses = { resources: StateResource[]; modules: ModuleCount[] };

/** Key of an object in its state: a deposed one shares the address of its successor. */
export const objectKey = ({ address, deposed = '' }: { address: string; deposed?: string | undefined }): string =>
  `${address}\n${deposed}`;

/** Numbers keep their digits. */
export const packJson = (value: unknown): Buffer => packText(writeJson(value));
export const unpackJson = <T>(bytes: Buffer): T => parseExactly(unpackText(bytes)) as T;
