import { readFileSync, statSync } from 'node:fs';
import { InstallConfigPatch, installConfigPatchKind } from '#shared/install-configs/patch';
import type { AuditRecord } from '#shared/operator/contract';
import type { Api } from '../api.ts';
import { exitCodes, wrongUse } from '../exit-codes.ts';
import { atServer, type Work } from './command.ts';
import { findWorkspace, type Server } from './server.ts';
import { oneLine, tableText } from './text.ts';

/** Replaces members of exactly the named InstallConfig by those of a file. */
export const runConfigsPatch = atServer({ whenUnread: 'goesOn' }, async ({ server, terminal, args: argv }) => {
  const operator = operatorOf(server);
  const [installConfigId = '', file = ''] = argv;
  const { installConfig } = (await operator.patchInstallConfig({ params: { installConfigId }, body: readPatch(file) }))
    .body;
  if (terminal.isJson) terminal.document({ installConfig });
  else terminal.say(`${installConfig.id} is patched. New installations use it; existing Capsules do not change.`);
  return exitCodes.done;
});

export const runCapsulesDisable = disabling(true);
export const runCapsulesEnable = disabling(false);

function disabling(disabled: boolean) {
  return atServer({ whenUnread: 'goesOn' }, async ({ server, terminal, args: argv }) => {
    const params = { capsuleId: argv[0] ?? '' };
    const { capsule } = (await operatorOf(server).updateCapsuleAsOperator({ params, body: { disabled } })).body;
    if (terminal.isJson) terminal.document({ capsule });
    else terminal.say(`${oneLine(capsule.name)} is ${disabled ? 'disabled. Its plans are refused' : capsule.status}.`);
    return exitCodes.done;
  });
}

/** Replaces the key that signs ID tokens; the replaced one stays listed for a day. */
export const runOidcRotate = atServer({ whenUnread: 'goesOn' }, async ({ server, terminal }) => {
  const { body } = await operatorOf(server).rotateOidcKey({});
  if (terminal.isJson) terminal.document(body);
  else
    terminal.say(
      `ID tokens are signed with the key ${body.kid}. The replaced one is listed until ${body.replacedListedUntil}.`,
    );
  return exitCodes.done;
});

const defaultRows = 50;

/** The newest rows of the audit trail. */
export const runAuditList = atServer({ whenUnread: 'stops' }, async ({ server, terminal, options }) => {
  const operator = operatorOf(server);
  const workspaceId = options.workspace === undefined ? undefined : (await findWorkspace(server, options.workspace)).id;
  const wanted = countOf(options.limit);
  const events: AuditRecord[] = [];
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const limit = Math.min(100, wanted - events.length);
    if (limit === 0) break;
    const { body } = await operator.listAudit({ query: { limit: String(limit), cursor, workspaceId } });
    events.push(...body.events);
    cursor = body.nextCursor;
  }
  if (terminal.isJson) terminal.document({ events });
  else for (const line of linesOf(events, terminal.paint)) terminal.say(line);
  return exitCodes.done;
});

const linesOf = (events: readonly AuditRecord[], paint: Work['terminal']['paint']): string[] =>
  tableText(
    ['SEQ', 'TIME', 'ACTOR', 'ACTION', 'TARGET'],
    events.map((one) => [String(one.seq), one.createdAt, one.actorId ?? 'system', one.action, one.targetId]),
    paint,
  );

/** Returns the calls of the operator. Throws when only a token is known. */
export function operatorOf({ operator }: Server): Api {
  if (operator) return operator;
  throw wrongUse('Only the operator may do this. Use --data-dir DIR on the machine of the server.');
}

function countOf(limit: string | undefined): number {
  if (limit === undefined) return defaultRows;
  if (/^[1-9][0-9]{0,4}$/.test(limit)) return Number(limit);
  throw wrongUse('--limit takes a whole number from 1 to 99999.');
}

function readPatch(file: string): InstallConfigPatch {
  const parsed = InstallConfigPatch.safeParse(parseFile(file));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const at = issue && issue.path.length > 0 ? ` at /${issue.path.join('/')}` : '';
  throw wrongUse(`The file is not a patch of kind ${installConfigPatchKind}${at}.`);
}

const patchMaxBytes = 1_048_576;

function parseFile(file: string): unknown {
  try {
    const { size } = statSync(file);
    if (!statSync(file).isFile() || size > patchMaxBytes) throw new Error('not a patch file');
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    throw wrongUse('The patch file cannot be read. Name a readable JSON file of at most 1 MiB.');
  }
}
