import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { required } from '#server/kernel/required';
import { type Copy, type CopyRevision, copyUnchanged } from '#shared/copies/contract';
import { DisplayName } from '#shared/kernel/scalars';
import { isRelativePath } from '#shared/relative-path';
import { copyUrl } from '#shared/sources/copy-address';
import { exitCodes, failed, wrongUse } from '../exit-codes.ts';
import { requestBytes } from '../request-bytes.ts';
import { isConfirmed } from './approve.ts';
import { atServer, type Work } from './command.ts';
import { reviewText } from './copy-review-text.ts';
import { fetchRepository, readAddress } from './inspect.ts';
import { requireEmptyFolder } from './new-folder.ts';
import { findWorkspace } from './server.ts';
import { oneLine, shortCommit } from './text.ts';
import { writeRepository } from './write-repository.ts';

type Prepared = { copy: Copy; revision: CopyRevision };

/** Prepares a copy of a repository, shows its review, asks, and waits until it is made. */
export const runCopy = atServer({ whenUnread: 'goesOn' }, async (work) => {
  const { server, options, args } = work;
  const out = options.out === undefined ? undefined : path.resolve(options.out);
  if (out !== undefined) requireEmptyFolder(out);
  const address = readAddress(args[0] ?? '', options, server.location.isHere);
  const selection = readSelection(options);
  const { id: workspaceId } = await findWorkspace(server, options.workspace);
  const { source, snapshotId, commit } = await fetchRepository(work, { workspaceId, address });
  work.leaves.message = 'No copy was requested.';
  const body = { sourceId: source.id, sourceSnapshotId: snapshotId, ...selection };
  const first = (await server.api.createCopy({ params: { workspaceId }, body })).body;
  const prepared = await prepare(work, await updateOf(work, first, commit));
  const made = prepared.revision.status === 'succeeded' ? prepared : await review(work, prepared);
  return made ? finish(work, made, out) : exitCodes.waits;
});

function readSelection({ module, name }: Work['options']): { modulePath?: string; name?: string } {
  const modulePath = module === undefined ? undefined : module.replace(/^(?:\.\/)+/, '').replace(/\/+$/, '') || '.';
  if (modulePath !== undefined && !isRelativePath(modulePath))
    throw wrongUse('--module takes a folder of the repository, such as modules/network.');
  if (name !== undefined && !DisplayName.safeParse(name).success) throw wrongUse('--name takes 1 to 120 characters.');
  return { ...(modulePath !== undefined && { modulePath }), ...(name !== undefined && { name }) };
}

/** Requests an update of a copy that exists already, when the repository has another commit now. */
async function updateOf({ server, terminal }: Work, first: Prepared, commit: string): Promise<Prepared> {
  const { copy, revision } = first;
  if (revision.status !== 'succeeded' || revision.upstreamCommit === commit) return first;
  terminal.note(`The copy ${oneLine(copy.name)} is of commit ${shortCommit(revision.upstreamCommit)}: updating it`);
  return (await server.api.createCopyRevision({ params: { copyId: copy.id } })).body;
}

const pageOf = ({ server }: Work, { id, copyId }: CopyRevision): string =>
  server.link(`/copies/${copyId}/revisions/${id}`);

/** Waits until the packages are fetched. */
async function prepare(work: Work, { copy, revision }: Prepared): Promise<Prepared> {
  const { terminal } = work;
  work.leaves.message = `The packages are still fetched. The review waits at ${pageOf(work, revision)}`;
  let shown: string | undefined;
  const ready = await awaitEnd(work, revision, 'preparing', ({ progress }) => {
    if (progress?.address === undefined || progress.address === shown) return;
    shown = progress.address;
    terminal.note(`Fetching ${oneLine(progress.address)}`);
  });
  // A revision that another person has approved is waited for.
  const last = await awaitEnd(work, ready, 'making');
  return last.status === 'failed' ? currentOf(work, copy) : { copy, revision: last };
}

/** Returns a copy with its current revision, after an update that found nothing new. */
async function currentOf({ server, terminal }: Work, copy: Copy): Promise<Prepared> {
  terminal.note(`The copy ${oneLine(copy.name)} has the newest content already.`);
  const params = { copyId: copy.id, revisionId: required(copy.currentRevisionId, 'current revision') };
  return { copy, revision: (await server.api.getCopyRevision({ params })).body.revision };
}

const pollMs = 1_000;

/** Reads a revision until it leaves a status. Throws the reason of a failure, unless an update found nothing new. */
async function awaitEnd(
  { server, signal }: Work,
  first: CopyRevision,
  status: CopyRevision['status'],
  onWait: (revision: CopyRevision) => void = () => undefined,
): Promise<CopyRevision> {
  const params = { copyId: first.copyId, revisionId: first.id };
  let revision = first;
  while (revision.status === status) {
    onWait(revision);
    await sleep(pollMs, undefined, { signal });
    revision = (await server.api.getCopyRevision({ params })).body.revision;
  }
  if (revision.status === 'failed' && revision.error?.code !== copyUnchanged)
    throw failed(revision.error?.code ?? 'copy_failed', oneLine(revision.error?.message ?? 'The copy failed.'));
  if (revision.status === 'cancelled') throw failed('copy_cancelled', 'The copy was cancelled by a person.');
  return revision;
}

/** Shows the review and approves exactly it; undefined when a person still has to decide. */
async function review(work: Work, { copy, revision }: Prepared): Promise<Prepared | undefined> {
  const { server, terminal, leaves } = work;
  const link = pageOf(work, revision);
  if (!revision.review) throw new Error('A revision that waits for an approval has no review.');
  leaves.message = `No copy was made. The review waits at ${link}`;
  const { lines, isCut } = reviewText(revision.review);
  for (const line of [...lines, ...(isCut ? [`Not all of it is shown here. The whole review: ${link}`] : [])])
    terminal.say(line);
  const refusal = await decide(work, link);
  if (refusal !== undefined) {
    if (terminal.isJson) terminal.document({ outcome: 'waiting', copy, revision, link });
    terminal.note(refusal);
    return undefined;
  }
  const params = { copyId: copy.id, revisionId: revision.id };
  leaves.message = `The copy is made without this command: ${link}`;
  const { body } = await server.api.approveCopyRevision({
    params,
    body: { reviewDigest: revision.review.digest },
  });
  const made = await awaitEnd(work, body.revision, 'making');
  return { copy: (await server.api.getCopy({ params: { copyId: copy.id } })).body.copy, revision: made };
}

/** Returns undefined when the copy may be made now, else the reason and the next step. */
async function decide(work: Work, link: string): Promise<string | undefined> {
  const { options, terminal } = work;
  if (options['auto-approve']) return undefined;
  if (!terminal.isInteractive) return `The review waits for you at ${link}`;
  return (await isConfirmed(work, 'Make this copy?')) ? undefined : `No copy was made. The review waits at ${link}`;
}

async function finish(work: Work, { copy, revision }: Prepared, out: string | undefined): Promise<number> {
  const { server, terminal, signal, leaves } = work;
  leaves.message = 'The copy is made. Nothing was written.';
  const link = pageOf(work, revision);
  if (out !== undefined) {
    const url = `${server.location.origin()}/api/v1/copies/${encodeURIComponent(copy.id)}/repository`;
    const { chunks } = await requestBytes(url, { method: 'GET', token: await server.getToken(), signal });
    await writeRepository(out, chunks);
  }
  if (terminal.isJson) {
    terminal.document({ outcome: 'made', copy, revision, link, ...(out !== undefined && { out }) });
    return exitCodes.done;
  }
  terminal.say(`${oneLine(copy.name)} is made, commit ${shortCommit(revision.commit)}.`);
  if (out !== undefined) terminal.say(`The repository is in ${oneLine(out)}. Clone it with: git clone ${oneLine(out)}`);
  terminal.say(`Install from it with: groundctl install ${copyUrl(copy.id)}`);
  return exitCodes.done;
}
