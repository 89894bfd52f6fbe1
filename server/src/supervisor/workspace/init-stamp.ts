import { createHash, createHmac } from 'node:crypto';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { currentPlatform } from '#server/drivers/tofu/index';
import type { JsonObject } from '#shared/kernel/json';
import { readPlainFile, writeAtomically } from '../../os/durable-file.ts';
import { bootId } from '../../os/process-identity.ts';
import type { ExecutionSpec } from '../../runner/contract/execution-spec.ts';
import type { LaunchContext } from '../launch-context.ts';
import { markPackages } from './provider-sources.ts';
import type { Workspace } from './workspace.ts';

/** Inputs of an initialized folder, its resulting lock file, and a mark of the packages that init has verified. */
type InitStamp = { inputs: string; startedFromLock: string | null; lock: string; packages: string };

const stampMaxBytes = 8_388_608;
const stampFile = (spec: ExecutionSpec): string => path.join(spec.capsuleDir, 'init.json');

/**
 * Returns the lock of the initialized folder when it can be reused; undefined when init must run. All inputs of init
 * are compared: tool, platform, archive, generated files, variables (a tool evaluates sources with them), lock.
 */
export function findReusable(context: LaunchContext, workspace: Workspace): string | undefined {
  const stamp = readStamp(context.spec);
  if (stamp === undefined || stamp.inputs !== inputsOf(context, workspace)) return undefined;
  const { lock } = context.spec;
  const isSame = lock === null ? stamp.startedFromLock === null : lock === stamp.lock || lock === stamp.startedFromLock;
  return isSame && markPackages(context) === stamp.packages ? stamp.lock : undefined;
}

/** Marks the folder as initialized. The mark is removed before an init, so that a partial one is never used. */
export function writeStamp(context: LaunchContext, workspace: Workspace, lock: string): void {
  const packages = markPackages(context);
  if (packages === undefined) return;
  const stamp: InitStamp = { inputs: inputsOf(context, workspace), startedFromLock: context.spec.lock, lock, packages };
  // It is valid for one boot only, so it need not survive a power cut.
  writeAtomically(stampFile(context.spec), JSON.stringify(stamp));
}

export const removeStamp = (spec: ExecutionSpec): void => rmSync(stampFile(spec), { force: true });

function readStamp(spec: ExecutionSpec): InitStamp | undefined {
  try {
    return JSON.parse(readPlainFile(stampFile(spec), stampMaxBytes)?.toString('utf8') ?? '') as InitStamp;
  } catch {
    return undefined;
  }
}

function inputsOf({ spec, layout, names, built }: LaunchContext, workspace: Workspace): string {
  const facts = [
    [
      spec.tool.name,
      spec.tool.version,
      currentPlatform(),
      spec.sandbox,
      layout.seen.providers,
      spec.providers.mirrorDir ?? '',
    ],
    [spec.archive.digest, spec.modulePath, names.keyProvider, ...(built === undefined ? [] : [built.digest])],
    workspace.generated.map(({ name, text }) => [name, text]),
    variablesMark(spec),
    // The tool does not sync its data folder, which a power cut may damage, so the stamp is valid for one boot only.
    bootId,
  ];
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex');
}

/** Returns a keyed digest of the variables, because values may be secret and easy to guess. */
function variablesMark(spec: ExecutionSpec): string {
  const persistent: JsonObject = Object.fromEntries(
    Object.entries(spec.variables)
      .filter(([name]) => !spec.ephemeralVariables.includes(name))
      .sort(([left], [right]) => (left < right ? -1 : 1)),
  );
  const key = createHmac('sha256', Buffer.from(spec.sealing.encryptionKey, 'base64'))
    .update('variables of an init')
    .digest();
  return createHmac('sha256', key).update(JSON.stringify(persistent)).digest('hex');
}
