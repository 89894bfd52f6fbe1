import type { ModuleCount } from '#shared/state-resources/contract';
import { moduleSteps } from '../../../components/plan/tree.ts';

export type ModuleRow = {
  /** Address of the module, empty for the root module. */
  address: string;
  /** Last step of the address, or all steps below the nearest listed ancestor. */
  label: string;
  depth: number;
  /** Number of its own resources. */
  count: number;
  /** Number of resources of the modules in it that are listed. */
  innerCount: number;
  isOpen: boolean;
};

/** Returns the modules to show, by address, without those inside of a closed one. */
export function moduleRows(modules: readonly ModuleCount[], closed: ReadonlySet<string>): ModuleRow[] {
  const all = new Map<string, ModuleRow & { parent: string | undefined }>();
  for (const { moduleAddress: address = '', count } of modules) {
    const steps = address === '' ? [] : moduleSteps(address);
    const ancestors = steps.map((_, index) => steps.slice(0, index).join('.')).filter((one) => one !== '');
    const listed = ancestors.filter((one) => all.has(one));
    const parent = listed.at(-1);
    const label = parent === undefined ? address : address.slice(parent.length + 1);
    const isOpen = !closed.has(address);
    all.set(address, { address, label, depth: listed.length, count, innerCount: 0, isOpen, parent });
    for (const one of listed) (all.get(one) as ModuleRow).innerCount += count;
  }
  return [...all.values()].filter(({ parent }) => isShown(parent, all)).map(({ parent: _parent, ...row }) => row);
}

function isShown(parent: string | undefined, all: ReadonlyMap<string, ModuleRow & { parent: string | undefined }>) {
  for (let next = parent; next !== undefined; next = all.get(next)?.parent)
    if (all.get(next)?.isOpen === false) return false;
  return true;
}
