import { isJsonObject, type Json } from '../kernel/json.ts';
import { idPlaceholder, importBlock } from '../runs/orphans.ts';
import type { StateResource } from './contract.ts';

/** Blocks of a configuration for one resource, ready to copy. */
export type ResourceBlocks = { import: string; moved: string; removed: string };

type Named = Pick<StateResource, 'address' | 'mode' | 'type' | 'attributes'>;

/**
 * Returns the blocks for a resource; undefined for a data source, which is only read. The id of the import is that of
 * the resource, or a placeholder where it is not shown. `removed` names the whole resource, because the tool accepts no
 * instance there. See https://opentofu.org/docs/language/.
 */
export function blocksOf({ address, mode, type, attributes }: Named): ResourceBlocks | undefined {
  if (mode === 'data') return undefined;
  return {
    import: importBlock(address, idOf(attributes) ?? idPlaceholder(type)),
    moved: `moved {\n  from = ${address}\n  to   = ${renamed(address)}\n}`,
    removed: `removed {\n  from = ${withoutKeys(address)}\n\n  lifecycle {\n    destroy = false\n  }\n}`,
  };
}

function idOf(attributes: Json | undefined): string | undefined {
  const id = isJsonObject(attributes) && Object.hasOwn(attributes, 'id') ? attributes['id'] : undefined;
  return typeof id === 'string' && id !== '' ? id : undefined;
}

/** A key in an address: a number, or a quoted text in which `]` and quotes may stand. */
const keys = /\[(?:\d+|"(?:[^"\\]|\\.)*")\]/g;
const withoutKeys = (address: string): string => address.replaceAll(keys, '');

/** The same address with a new name of the resource to fill in; its key stays. */
function renamed(address: string): string {
  const key = /\[(?:\d+|"(?:[^"\\]|\\.)*")\]$/.exec(address)?.[0] ?? '';
  const whole = address.slice(0, address.length - key.length);
  return `${whole.slice(0, whole.lastIndexOf('.') + 1)}NEW_NAME${key}`;
}
