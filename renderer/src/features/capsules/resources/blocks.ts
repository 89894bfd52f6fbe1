import type { JsonObject } from '#shared/kernel/json';
import { idPlaceholder, importBlock } from '#shared/runs/orphans';
import type { StateResource } from '#shared/state-resources/contract';

/** Blocks of the configuration language about one managed resource, ready to be pasted into a module. */
export type Blocks = { import: string; moved: string; removed: string };

/** Drops the keys of instances: `module.a["x"].b.c[0]` -> `module.a.b.c`. A key may contain brackets and quotes. */
export const withoutKeys = (address: string): string => address.replace(/\["(?:\\.|[^"\\])*"\]|\[\d+\]/g, '');

const shownId = ({ attributes, type }: StateResource): string => {
  const id = (attributes as JsonObject | undefined)?.['id'];
  return typeof id === 'string' && id !== '' ? id : idPlaceholder(type);
};

/** `removed` forgets a resource without destroying it. The new address of `moved` is for the reader to choose. */
export function blocksOf(resource: StateResource): Blocks {
  const { address, type, moduleAddress } = resource;
  const start = moduleAddress === undefined ? '' : `${moduleAddress}.`;
  return {
    import: importBlock(address, shownId(resource)),
    moved: `moved {\n  from = ${address}\n  to   = ${start}${type}.NEW_NAME\n}`,
    removed: `removed {\n  from = ${withoutKeys(address)}\n\n  lifecycle {\n    destroy = false\n  }\n}`,
  };
}
