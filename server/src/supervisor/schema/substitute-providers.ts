import { mkdirSync } from 'node:fs';
import path from 'node:path';
import {
  type ProviderEndpoint,
  type ProviderServer,
  reattachProviders,
  removeSchema,
  type SchemaOwner,
  serveProvider,
} from '#server/drivers/tofu/index';
import { removeTree } from '#server/kernel/remove-tree';
import { createProvidersBeside } from '../providers/beside.ts';
import type { ProvidersBeside, SupervisedRun } from '../run.ts';
import type { InstalledProvider } from './installed-providers.ts';
import type { KnownProvider } from './known-schemas.ts';

/**
 * Sockets of the supervisor in place of the providers. While a plan is shown no provider runs, because it could alter
 * the output; while it is made they run beside the tool.
 */
export type SubstituteProviders = {
  /** Value of `TF_REATTACH_PROVIDERS`; undefined when the module has no provider. */
  reattach: string | undefined;
  /** Processes of the providers for the plan itself; undefined when the tool has to start them, or there are none. */
  beside: ProvidersBeside | undefined;
  /** Takes the packages that init has installed; false when the substitutes are those of others. */
  settle(installed: readonly InstalledProvider[]): boolean;
  /**
   * Deletes the stored schemas that the tool did not accept, all of them after a failed show; the next Run reads them
   * again.
   */
  reject(which: 'all' | 'unaccepted'): void;
  close(): void;
};

/** Opens the substitutes of known providers. Throws the error of the file system. */
export async function openSubstituteProviders(
  run: SupervisedRun,
  known: readonly KnownProvider[],
): Promise<SubstituteProviders> {
  if (known.length === 0) return none;
  const packages = new Map<SchemaOwner, InstalledProvider>();
  const providers = known.map(({ owner, schema: { protocol, message } }): Substitute => {
    return { owner, endpoint: { protocol, schema: message } };
  });
  const servers: ProviderServer[] = [];
  const close = () => {
    for (const server of servers) server.close();
    removeTree(run.layout.host.sockets);
  };
  const beside = createProvidersBeside(
    run,
    providers.map(({ owner, endpoint }) => ({ endpoint, package: () => packages.get(owner) })),
  );
  try {
    const reattach = await serveAll(run, providers, servers);
    return {
      reattach,
      // Without a sandbox a provider beside the tool could do as much as one that the tool starts.
      beside: run.spec.sandbox === 'bwrap' ? beside : undefined,
      settle(installed) {
        for (const { owner } of providers) {
          const found = installed.find((one) => one.address === owner.address);
          if (found?.h1 === owner.h1 && found.version === owner.version) packages.set(owner, found);
        }
        return packages.size === providers.length && installed.length === providers.length;
      },
      reject(which) {
        for (const { owner, endpoint } of providers)
          if (which === 'all' || isRefused(endpoint)) removeSchema(run.spec.providers.storeDir, owner);
      },
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

/** Reports whether the tool asked for the schema and called nothing else. */
const isRefused = ({ isRequested, isAccepted }: ProviderEndpoint): boolean =>
  isRequested === true && isAccepted !== true;

type Substitute = { owner: SchemaOwner; endpoint: ProviderEndpoint };

const none: SubstituteProviders = {
  reattach: undefined,
  beside: undefined,
  settle: (installed) => installed.length === 0,
  reject() {},
  close() {},
};

async function serveAll(
  { layout }: SupervisedRun,
  providers: readonly Substitute[],
  servers: ProviderServer[],
): Promise<string> {
  removeTree(layout.host.sockets);
  // Not recursive: others may write to the parent folder, and an existing folder of theirs must not be used.
  mkdirSync(layout.host.sockets, { mode: 0o700 });
  for (const [index, { endpoint }] of providers.entries())
    servers.push(await serveProvider(path.join(layout.host.sockets, String(index)), endpoint));
  return reattachProviders(
    providers.map(({ owner: { address }, endpoint: { protocol } }, index) => ({
      address,
      protocol,
      socket: path.posix.join(layout.seen.sockets, String(index)),
    })),
  );
}
