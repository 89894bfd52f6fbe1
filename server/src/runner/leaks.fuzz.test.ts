import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { removeTree } from '#server/kernel/remove-tree';
import { type Canary, canaryOf, searchFolder } from '../../../e2e/fixtures/canary.ts';
import {
  type CredentialBench,
  createCredentialBench,
  credentialsOf,
  fileOf,
  required,
} from '../../../e2e/fixtures/credential-bench.ts';
import { depth, timesOf } from '../../../e2e/fixtures/depth.ts';
import { thing } from '../../../e2e/fixtures/modules.ts';
import { createRandom } from '../../../e2e/fixtures/random.ts';
import { describeRun, outcomeIn, terraform, tofu } from '../../test/runner/capsule.ts';
import type { RunCredentials } from './contract/credentials.ts';
import type { ExecutionSpec } from './contract/execution-spec.ts';
import { redactedMark } from './contract/redaction/redactor.ts';

let bench: CredentialBench;
beforeAll(async () => {
  bench = await createCredentialBench();
});
afterAll(() => bench.end());

const random = (bytes = 15) => randomBytes(bytes).toString('base64url');

/** A credential in the format of its service, with the parts that must not be found. */
type Credential = { kind: string; value: string; canaries: Canary[] };
const credentials: readonly (() => Credential)[] = [
  () => simple('a token', `tok_${random()}`),
  () => simple('a password of many kinds of character', `"q'uo\\te ${random(6)} <&>%{x}$\{y} ÜñïÇ☃ ${random(6)} +/=`),
  () =>
    simple('a connection string', `postgres://ada:${random(9)}@db.example:5432/main?sslmode=require&x=${random(6)}`),
  () => {
    const lines = Array.from({ length: 12 }, () => randomBytes(48).toString('base64'));
    const value = `-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----\n`;
    return { kind: 'a private key', value, canaries: lines.map((line, index) => canaryOf(`line ${index}`, line)) };
  },
  () => {
    const [id, key] = [`id-${random()}`, `${random(30)}\n${random(30)}`];
    const value = JSON.stringify({ type: 'service_account', private_key_id: id, private_key: key }, null, 2);
    return { kind: 'a JSON document', value, canaries: [canaryOf('its id', id), canaryOf('its key', key)] };
  },
];
const simple = (kind: string, value: string): Credential => ({ kind, value, canaries: [canaryOf(kind, value)] });

/** Ways in which the module receives it. */
const ways: { [way: string]: (value: string) => Partial<RunCredentials> } = {
  'the environment': (value) => ({ env: { FAKE_TOKEN: value } }),
  'a file': (value) => ({ files: [fileOf(value)] }),
  'an argument': (value) => ({ providers: [{ localName: 'fake', arguments: { token: value }, config: {} }] }),
};

const whoami = 'data "fake_whoami" "me" {\n  reveal = true\n}\nlocals {\n  s = data.fake_whoami.me.token\n}\n';
const exec = (command: string, name = 'leak'): string =>
  `resource "terraform_data" "${name}" {\n  provisioner "local-exec" {\n    environment = { S = local.s }\n    command = <<-SH\n      ${command}\n    SH\n  }\n}\n`;
const known = 'resource "terraform_data" "known" {\n  input = local.s\n}\n';

type Route = {
  name: string;
  main: string;
  /** True when the apply fails. */
  fails?: true;
  /** True when the value need not be shown, so that no mark is required. */
  silent?: true;
  /** True when the Run ends with a failing plan. */
  endsAtPlan?: true;
};
/** Ways in which a credential reaches a place where it could be read. */
const routes: readonly Route[] = [
  {
    name: 'a log, in every encoding',
    main: exec(
      `printf '%s\\n' "$S"; printf '%s\\n' "$S" >&2; printf %s "$S" | base64 -w0; echo; printf 'x%s' "$S" | base64 -w0; echo; printf 'xy%s' "$S" | base64; printf %s "$S" | base64 -w 33; printf %s "$S" | od -An -v -tx1 | tr -d ' \\n'; echo`,
    ),
  },
  {
    name: 'a log, with pauses in the middle of a line',
    main: exec(
      `printf '%s' "$S" | head -c 9; sleep 0.3; printf '%s' "$S" | tail -c +10 | head -c 7; sleep 0.3; printf '%s' "$S" | tail -c +17; echo; sleep 0.3`,
    ),
  },
  {
    name: 'a diagnostic of a check',
    main: `${known}check "printed" {\n  assert {\n    condition     = local.s == ""\n    error_message = "It is \${local.s} or \${jsonencode(local.s)}, \${base64encode(local.s)}, \${urlencode(local.s)}."\n  }\n}\n`,
  },
  {
    name: 'an output and the values of a plan',
    main: `resource "terraform_data" "a" {\n  input = { plain = local.s, inside = ["see \${local.s}"], (local.s) = "as a key", b64 = base64encode("x\${local.s}") }\n}\noutput "it" {\n  value = [local.s, base64encode(local.s), jsonencode({ a = local.s })]\n}\n`,
  },
  { name: 'an address', main: 'resource "terraform_data" "each" {\n  for_each = toset([local.s])\n}\n' },
  { name: 'an error of the provider', main: thing('a', 'fail = "tell"'), fails: true },
  // The tool can end before it has read the last output of a crashed provider.
  { name: 'a panic of the provider', main: thing('a', 'fail = "panic"'), fails: true, silent: true },
  {
    name: 'the error of a precondition',
    main: `resource "terraform_data" "a" {\n  lifecycle {\n    precondition {\n      condition     = local.s == ""\n      error_message = "No: \${local.s}."\n    }\n  }\n}\n`,
    endsAtPlan: true,
  },
  {
    name: 'a state that cannot be saved and is printed',
    main: `${known}${exec('rm -f "$STATE"; mkdir "$STATE"; touch "$STATE/x"; mkdir errored.tfstate')}`,
    fails: true,
    silent: true,
  },
  {
    name: 'the trace of a tool, and its environment',
    main: exec('TF_LOG=trace TF_LOG_CORE=trace "$TOOL" version 2>&1; env; tr "\\0" "\\n" </proc/self/environ >&2'),
  },
  {
    name: 'the dump of a crash',
    main: `${known}${exec('printf "%s\\n" "$S"; sleep 0.5; kill -QUIT $PPID; kill -ABRT $PPID; ulimit -c unlimited 2>/dev/null; kill -SEGV $$')}`,
    fails: true,
  },
  {
    name: 'lines in the name of the tool',
    main: `${exec('q=$(printf %s "$S" | tr "\\n\\"\\\\\\\\" "   "); for o in /proc/$PPID/fd/1; do printf \'{"type":"version","tofu":"%s","@message":"%s"}\\n{"type":"diagnostic","diagnostic":{"severity":"error","summary":"variable","detail":"variable \\"%s\\" is"}}\\n\' "$q" "$q" "$q" >$o; done; printf "%s\\n" "$S"')}`,
  },
];

type Round = {
  route: Route;
  credential: Credential;
  way: string;
  tool: ExecutionSpec['tool'];
  sandbox: 'bwrap' | 'none';
};

function roundOf(index: number): Round {
  const pick = <T>(list: readonly T[], at: number): T => list[at % list.length] as T;
  const [tool, sandbox] = pick(
    [[tofu, 'bwrap'] as const, [tofu, 'none'] as const, [terraform, 'bwrap'] as const, [terraform, 'none'] as const],
    index + Math.floor(index / routes.length),
  );
  const route = pick(routes, index);
  return {
    route,
    credential: pick(credentials, index + Math.floor(index / routes.length))(),
    way: pick(Object.keys(ways), index + Math.floor(index / 3)),
    // Without a sandbox, terraform's state is in memory under a name that a module cannot guess.
    tool: route.main.includes('$STATE') && sandbox === 'none' ? tofu : tool,
    sandbox,
  };
}

type RoundResult = {
  runs: number;
  leaks: string[];
  /** Reason why the round is inconclusive: a program of the module ran too late, or its output was not read. */
  dud?: string;
};

/** Repeats an inconclusive round up to three times; any leak counts. */
async function playWell(index: number): Promise<RoundResult> {
  const round = await play(index);
  for (let tries = 1; round.dud !== undefined && tries < 4; tries += 1) {
    const again = await play(index);
    round.runs += again.runs;
    round.leaks.push(...again.leaks);
    if (again.dud === undefined) delete round.dud;
  }
  if (round.dud !== undefined) expect.fail(round.dud);
  return round;
}

async function play(index: number): Promise<RoundResult> {
  const { route, credential, way, tool, sandbox } = roundOf(index);
  const description = `round ${index}: ${credential.kind} by ${way}, ${route.name}, ${tool.name} ${sandbox}`;
  const state = sandbox === 'bwrap' ? '/svc/state/terraform.tfstate' : '$PWD/../state/terraform.tfstate';
  const program = sandbox === 'bwrap' ? '/svc/tool' : tool.path;
  const main = (required() + whoami + route.main).replaceAll('$STATE', state).replaceAll('$TOOL', program);
  const capsule = bench.capsuleOf({ main, tool, sandbox, logBytes: 4_000_000 });
  const runCredentials = credentialsOf({ ...ways[way]?.(credential.value), secrets: [credential.value] });
  const specs = [capsule.spec('plan', { credentials: runCredentials })];
  const outcome = await capsule.run(specs[0] as ExecutionSpec);
  if (outcome.kind === 'plan') {
    const apply = capsule.applySpec({ spec: specs[0] as ExecutionSpec, outcome }, { credentials: runCredentials });
    specs.push(apply);
    await capsule.run(apply);
  }
  const { hits } = searchFolder(bench.dir, credential.canaries, ['mirror', 'providers']);
  const records = specs.map((spec) => describeRun(spec.runDir)).join('\n');
  const last = outcomeIn(specs.at(-1)?.runDir ?? '');
  const isGood =
    route.endsAtPlan === true
      ? last?.kind === 'failed'
      : last?.kind === 'apply' && last.succeeded === (route.fails === undefined);
  // A searched folder is deleted, so that the following rounds do not search it again.
  for (const folder of [capsule.dir, ...specs.map((spec) => spec.runDir)]) removeTree(folder);
  const round = { runs: specs.length, leaks: hits.map((hit) => `${description}: ${hit}`) };
  if (!isGood) return { ...round, dud: `${description} ended otherwise\n${records}` };
  const isShown = route.silent === true || route.name.startsWith('an output') || records.includes(redactedMark);
  return isShown ? round : { ...round, dud: `${description} shows nothing that was redacted\n${records}` };
}

/** Rounds of a plan and mostly an apply. A quick run chooses by the seed where it begins; a deep run takes every route. */
const rounds = timesOf({ quick: 4, deep: 250 });
const seeded = createRandom();
const first = depth({ quick: seeded.below(1_000), deep: 0 });

test(`${rounds} modules that give their credentials away leave them in no file, in no encoding (seed ${seeded.seed})`, {
  timeout: 60_000 + rounds * 60_000,
}, async () => {
  const leaks: string[] = [];
  let runs = 0;
  for (let index = first; index < first + rounds; index += 2) {
    const both = await Promise.all([playWell(index), playWell(index + 1)]);
    for (const one of both) {
      runs += one.runs;
      leaks.push(...one.leaks);
    }
  }
  console.info(`leaks: ${runs} Runs`);
  expect(leaks).toEqual([]);
});
