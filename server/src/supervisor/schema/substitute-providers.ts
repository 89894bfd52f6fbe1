import { mkdirSync } from 'node:fs';
import path from 'node:path';
import {
  findSchema,
  keepSchema,
  reattachProviders,
  removeSchema,
  type Schema,
  type SchemaServer,
  serveSchema,
} from '#server/drivers/tofu/index';
import { removeTree } from '#server/kernel/remove-tree';
import type { SupervisedRun } from '../run.ts';
import { type InstalledProvider, listInstalled } from './installed-providers.ts';
import { takeSchema } from './take-schema.ts';

/** Substitutes for the providers while a plan is shown: a running provider could alter the output. */
export type SubstituteProviders = {
  /** Value of `TF_REATTACH_PROVIDERS`; undefined when the module has no provider. */
  reattach: string | undefined;
  /** Deletes the stored schemas after the tool did not accept them; the next Run reads them again. */
  reject(): void;
  close(): void;
};

type Known = { provider: InstalledProvider; schema: Schema };

/**
 * Opens the substitutes; undefined when a provider returns no schema, so that the tool has to start it. Schemas that
 * were read are stored.
 */
export async function openSubstituteProviders(
  run: SupervisedRun,
  lock: string,
): Promise<SubstituteProviders | undefined> {
  const known = await findSchemas(run, lock).catch(() => undefined);
  if (known === undefined) return undefined;
  const { storeDir } = run.spec.providers;
  const reject = () => {
    for (const { provider } of known) removeSchema(storeDir, provider);
  };
  if (known.length === 0) return { reattach: undefined, reject, close() {} };
  const servers: SchemaServer[] = [];
  const close = () => {
    for (const server of servers) server.close();
    removeTree(run.layout.host.sockets);
  };
  try {
    return { reattach: await serveAll(run, known, servers), reject, close };
  } catch {
    close();
    return undefined;
  }
}

async function findSchemas(run: SupervisedRun, lock: string): Promise<Known[] | undefined> {
  const { storeDir } = run.spec.providers;
  const known: Known[] = [];
  for (const provider of listInstalled(run, lock) ?? [undefined]) {
    if (provider === undefined) return undefined;
    const stored = findSchema(storeDir, provider);
    const schema = stored ?? (await takeSchema(run, provider));
    if (schema === undefined) return undefined;
    if (stored === undefined) keepSchema(storeDir, provider, schema);
    known.push({ provider, schema });
  }
  return known;
}

async function serveAll({ layout }: SupervisedRun, known: readonly Known[], servers: SchemaServer[]): Promise<string> {
  removeTree(layout.host.sockets);
  // Not recursive: others may write to the parent folder, and an existing folder of theirs must not be used.
  mkdirSync(layout.host.sockets, { mode: 0o700 });
  for (const [index, { schema }] of known.entries())
    servers.push(await serveSchema(path.join(layout.host.sockets, String(index)), schema.protocol, schema.message));
  return reattachProviders(
    known.map(({ provider: { address }, schema: { protocol } }, index) => ({
      address,
      protocol,
      socket: path.posix.join(layout.seen.sockets, String(index)),
    })),
  );
}
