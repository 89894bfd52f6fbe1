/** Systems that the product is built for. */
export const systems = ['linux', 'darwin', 'win32'] as const;
export type System = (typeof systems)[number];

/**
 * Support of one concern on one system. `tried`: implemented, and run by the tests. `never run`: implemented from
 * documentation, and tested only on recorded behavior. `weaker`: not implemented; less holds, and `said` names where a
 * person reads that. `missing`: not implemented; what needs it is refused.
 */
export type Support =
  | { state: 'tried' | 'never run' | 'missing'; text: string }
  | { state: 'weaker'; text: string; said: string };

/** An assumption about the operating system. */
export type Concern = {
  title: string;
  /** Need of the code. */
  needs: string;
  /** True when no Run starts on a system without it. */
  stopsRuns: boolean;
  /** Source files that depend on it, from the root of the repository. */
  files: readonly string[];
} & { readonly [Name in System]: Support };
