import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Run } from '#shared/runs/contract';
import { settled } from '../fixtures/feed.ts';
import type { Http } from '../fixtures/http.ts';
import type { Random } from '../fixtures/random.ts';
import type { TestServer } from '../fixtures/server.ts';
import { createDisk, type Loss } from './disk.ts';
import { findLedgerFaults, findWorldFaults, namesInStates } from './invariants.ts';
import type { Fact } from './scenario.ts';
import type { Entry } from './trace.ts';

/** One power cut: the disk after it, the facts reported before it, and its time. */
export type Cut = { at: number; time: number; root: string; dataDir: string; facts: readonly Fact[]; loss: Loss };

const pathOf = (entry: Entry): string => (entry.kind === 'mark' ? '' : entry.path);

/**
 * Chooses moments of a trace, in order: a third where files other than the ledger change, which are fewer but equally
 * important, and a third during an apply.
 */
export function chooseMoments(trace: readonly Entry[], count: number, random: Random): number[] {
  const indices = (isMeant: (path: string) => boolean) =>
    trace.flatMap((entry, index) => (isMeant(pathOf(entry)) ? [index] : []));
  const kinds = [
    indices(() => true),
    indices((name) => !name.includes('ledger')),
    indices((name) => /runs\/apply_[^/]*\/(?:journal|state|apply)/.test(name)),
  ];
  const moments = Array.from({ length: count }, (_, number) => {
    const from = kinds[number % kinds.length] ?? [];
    return from[random.below(from.length)] ?? 0;
  });
  return moments.sort((a, b) => a - b);
}

/**
 * Writes the disk of each moment below `folder` and passes it to the callback; removes it when the callback returns.
 */
export async function cutAt(
  trace: readonly Entry[],
  moments: readonly number[],
  { folder, random, only }: { folder: string; random: Random; only?: (path: string) => boolean },
  hand: (cut: Cut) => Promise<void> | void,
): Promise<void> {
  const disk = createDisk();
  const facts: Fact[] = [];
  let at = 0;
  for (const moment of moments) {
    for (; at <= moment; at += 1) {
      const entry = trace[at] as Entry;
      if (entry.kind === 'mark') facts.push(entry.note as Fact);
      else disk.take(entry);
    }
    const image = path.join(folder, `cut-${moment}`);
    rmSync(image, { recursive: true, force: true });
    mkdirSync(image, { recursive: true, mode: 0o700 });
    const loss = disk.cut(image, random, only);
    await hand({
      at: moment,
      time: trace[moment]?.time ?? 0,
      root: image,
      dataDir: path.join(image, 'data'),
      facts: [...facts],
      loss,
    });
    rmSync(image, { recursive: true, force: true });
  }
}

/** Outside effects of the provider, which no power cut undoes. */
export type RemoteObject = { name: string; file: string; content: string; time: number };

/** Things of a world folder, with the time each was made. */
export function worldOf(folder: string): RemoteObject[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => {
      const file = path.join(folder, name);
      const content = readFileSync(file, 'utf8');
      return {
        name: (JSON.parse(content) as { name: string }).name,
        file: name,
        content,
        time: statSync(file).mtimeMs,
      };
    });
}

/** Puts the world, as it was at the moment, beside the module of a Capsule whose disk was cut. */
export function writeWorld(image: string, capsuleId: string, created: readonly RemoteObject[]): void {
  const folder = path.join(image, 'capsules', capsuleId, 'tree', 'world');
  mkdirSync(folder, { recursive: true });
  const lines = created.map(({ name, file }) =>
    JSON.stringify({ op: 'create', id: path.basename(file, '.json'), name, account: null }),
  );
  writeFileSync(path.join(folder, 'effects.jsonl'), lines.map((line) => `${line}\n`).join(''));
  for (const { file, content } of created) writeFileSync(path.join(folder, file), content);
}

type Restarted = { server: TestServer; http: Http };

/** Longest time in which a Run makes no progress after a start. */
const patienceMs = 30_000;

/** Waits until nothing is running. Returns the Runs that did not end in time. */
export async function settleAll({ server, http }: Restarted, workspaceId: string): Promise<string[]> {
  const at = `/api/v1/workspaces/${workspaceId}/runs?status=queued,running`;
  const { body } = await http.get<{ runs: Run[] }>(at);
  const late = await Promise.all((body.runs ?? []).map(({ id }) => settleRun({ server }, id)));
  return late.flat();
}

/** Waits for the end of a Run, and returns a problem when it did not end in time. */
export async function settleRun({ server }: Pick<Restarted, 'server'>, id: string): Promise<string[]> {
  const timeout = Promise.withResolvers<string[]>();
  const timer = setTimeout(() => timeout.resolve([`${id} still runs after ${patienceMs / 1_000} s`]), patienceMs);
  const end = settled(server, id).then(
    () => [],
    (error: unknown) => [`the end of ${id} cannot be seen: ${error instanceof Error ? error.message : error}`],
  );
  return Promise.race([end, timeout.promise]).finally(() => clearTimeout(timer));
}

/** Returns the reported facts that no longer hold. */
async function findLostFacts({ server, http }: Restarted, facts: readonly Fact[]): Promise<string[]> {
  const lost: string[] = [];
  for (const fact of facts.filter(isNewest))
    if (!(await holds({ server, http }, fact))) lost.push(`lost: ${JSON.stringify(fact)}`);
  return lost;
}

/** A name is valid until the next one. */
const isNewest = (fact: Fact, index: number, all: readonly Fact[]): boolean =>
  fact.what !== 'name' || !all.slice(index + 1).some(({ what }) => what === 'name');

async function holds({ server, http }: Restarted, fact: Fact): Promise<boolean> {
  switch (fact.what) {
    case 'session': {
      const headers = { authorization: `Bearer ${fact.token}` };
      return (await fetch(`${server.url}/api/v1/workspaces`, { headers })).status === 200;
    }
    case 'name': {
      const { body } = await http.get<{ source: { name: string } }>(`/api/v1/sources/${fact.sourceId}`);
      return numberOf(body.source.name) >= numberOf(fact.name);
    }
    case 'record':
      return (await http.get(fact.path)).status === 200;
    case 'plan':
      return existsSync(path.join(server.dataDir, 'runs', fact.runId, 'plan'));
    case 'ended':
      return (await http.get<{ run?: Run }>(`/api/v1/runs/${fact.runId}`)).body.run?.status === fact.status;
    case 'state':
      return (await http.get(`/api/v1/state-versions/${fact.stateVersionId}`)).status === 200;
  }
}

const numberOf = (name: string): number => Number(/\d+$/.exec(name)?.[0] ?? 0);

/** Checks all invariants of a server that was started on a disk after a power cut, once its Runs have ended. */
export async function findFaults(
  restarted: Restarted,
  { facts, listCreated }: { facts: readonly Fact[]; listCreated: (capsuleId: string) => readonly string[] },
): Promise<string[]> {
  const { dataDir } = restarted.server;
  const faults = [...(await findLostFacts(restarted, facts)), ...(await findLedgerFaults(dataDir))];
  const states = await namesInStates(dataDir);
  const { body } = await restarted.http.get<{ workspaces: { id: string }[] }>('/api/v1/workspaces');
  const workspaceId = body.workspaces[0]?.id ?? '';
  const { capsules } = (
    await restarted.http.get<{ capsules: { id: string }[] }>(`/api/v1/workspaces/${workspaceId}/capsules`)
  ).body;
  for (const { id } of capsules) {
    const messages = await listReportedMessages(restarted.http, workspaceId, id);
    const isReported = (name: string) => messages.some((text) => text.includes(name));
    faults.push(...findWorldFaults({ created: listCreated(id), known: states.get(id) ?? [], isReported }));
    faults.push(...(await tryPlan(restarted, id)));
  }
  return faults;
}

/** The next plan works, whatever files of the tool for the previous plan were lost. */
async function tryPlan({ server, http }: Restarted, capsuleId: string): Promise<string[]> {
  const { status, body, text } = await http.post<{ run?: Run }>(`/api/v1/capsules/${capsuleId}/plan`);
  if (body.run === undefined) return status === 409 ? [] : [`a plan was answered with ${status} ${text}`];
  const stuck = await settleRun({ server }, body.run.id);
  const { run } = (await http.get<{ run: Run }>(`/api/v1/runs/${body.run.id}`)).body;
  return run.status === 'succeeded' ? stuck : [...stuck, `the next plan ended ${run.status} with ${run.errorCode}`];
}

/** Returns the reports of the applies of a Capsule, as texts. */
async function listReportedMessages(http: Http, workspaceId: string, capsuleId: string): Promise<string[]> {
  const { body } = await http.get<{ runs: Run[] }>(
    `/api/v1/workspaces/${workspaceId}/runs?capsuleId=${capsuleId}&type=apply`,
  );
  const logs = await Promise.all(
    body.runs.map(({ id }) => http.get<{ diagnostics: unknown[] }>(`/api/v1/runs/${id}/logs?limit=5000`)),
  );
  return logs.flatMap(({ body: { diagnostics } }) => diagnostics.map((diagnostic) => JSON.stringify(diagnostic)));
}
