import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Capabilities } from '#shared/discovery/api';
import type { Run } from '#shared/runs/contract';
import { canaryOf, searchFolder } from './fixtures/canary.ts';
import { type Files, type Harness, startHarness } from './fixtures/harness.ts';
import type { Refusal } from './fixtures/http.ts';
import {
  applyPlan,
  getCapsule,
  install,
  installPlanned,
  logsOf,
  outputsOf,
  type Planned,
  planAgain,
  stateVersions,
  takeNewest,
} from './fixtures/journey.ts';
import { leftovers } from './fixtures/leftovers.ts';

/* Hostile modules end to end: a real Git repository, the real server, everything through the API. */

const createCanary = () => `canary-${randomBytes(12).toString('hex')}`;
const secret = createCanary();
const foreign = createCanary();

let harness: Harness;
let count = 0;
const createInstallInput = (files: Files) => {
  count += 1;
  const name = `hostile-${count}`;
  return { name, url: harness.repository(name, files).url };
};
const capsuleDir = (capsuleId: string) => path.join(harness.server.dataDir, 'capsules', capsuleId);

/** Files that the module's code wrote beside itself. */
const readOutput = (capsuleId: string, name: string) =>
  readFileSync(path.join(capsuleDir(capsuleId), 'tree/out', name), 'utf8');

const script = `mkdir -p out
ask() { perl -MIO::Socket::INET -e '
  my ($port, $method, $path, $host, @headers) = @ARGV;
  my $s = IO::Socket::INET->new(PeerAddr => "127.0.0.1:$port", Timeout => 3) or do { print "none"; exit };
  my $body = $method eq "POST" ? "{}" : "";
  print $s join("\\r\\n", "$method $path HTTP/1.1", "Host: $host", "Connection: close", "Content-Type: application/json", "Content-Length: " . length($body), @headers, "", $body);
  my $line = <$s> // ""; print $line =~ /^HTTP\\S+ (\\d+)/ ? $1 : "no answer"; ' "$@" 2>/dev/null; echo " $3 $4 $5"; }
{
  for path in /api/v1/workspaces /api/v1/capsules /internal/v1/account-sessions; do
    ask $PORT GET $path 127.0.0.1:$PORT
    ask $PORT GET $path localhost:$PORT
    ask $PORT GET $path evil.example
    ask $PORT GET $path 127.0.0.1:$PORT "X-Forwarded-For: 127.0.0.1"
    ask $PORT GET $path 127.0.0.1:$PORT "Authorization: Bearer svcop_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
    ask $PORT GET $path 127.0.0.1:$PORT "Cookie: svc_session=sess_aaaaaaaaaaaaaaaa"
  done
  ask $PORT POST /internal/v1/account-sessions 127.0.0.1:$PORT
  ask $PORT POST /internal/v1/account-sessions 127.0.0.1:$PORT "Authorization: Bearer $(cat $DATA/operator-token 2>/dev/null)"
  ask $PORT POST /api/v1/workspaces 127.0.0.1:$PORT "Origin: http://127.0.0.1:$PORT"
} >out/api
cat $DATA/operator-token $DATA/runtime.json $DATA/ledger.db* $DATA/keys/* $DATA/capsules/*/tree/*.tf $DATA/runs/*/journal.ndjson >out/read 2>/dev/null
cat /proc/*/environ >>out/read 2>/dev/null
printf '%s\\n' "$SECRET"
printf '\\033]0;title\\007\\033[2J\\033[31mred\\033[0m \\342\\200\\256reversed\\n'
o=/proc/1/fd/1; [ -p $o ] && [ "$(readlink /proc/1/cwd)" = "$PWD" ] && {
  echo '{"type":"apply_complete","hook":{"resource":{"addr":"terraform_data.never"},"action":"create"}}' >$o
  echo '{"type":{"toString":1},"@level":"info","@message":"odd"}' >$o
}
nohup setsid sh -c 'while :; do sleep 1; done' >/dev/null 2>&1 &
echo 'resource "terraform_data" "planted" {}' >gen.tf
true
`;

const main = `
terraform {
  backend "http" {
    address = "http://127.0.0.1:1/state"
  }
  encryption {
    key_provider "external" "mine" {
      command = ["sh", "./key.sh"]
    }
    method "aes_gcm" "mine" {
      keys = key_provider.external.mine
    }
    state {
      method = method.aes_gcm.mine
    }
  }
}
variable "port" {
  type = number
}
variable "data" {
  type = string
}
variable "password" {
  type      = string
  sensitive = true
}
resource "terraform_data" "a" {
  input            = var.password
  triggers_replace = [nonsensitive(sha256(var.password))]
  provisioner "local-exec" {
    command     = "sh attack.sh"
    environment = { PORT = var.port, DATA = var.data, SECRET = nonsensitive(var.password) }
  }
}
resource "terraform_data" "keys" {
  for_each = toset([nonsensitive(var.password), "\\u001b]0;x\\u0007", "\\u202egnp"])
}
output "__proto__" {
  value = { "__proto__" = "kept" }
}
output "shown" {
  value = "</script><img src=x onerror=alert(1)>\\u001b[2J"
}
output "reported" {
  value = "it is \${nonsensitive(var.password)}"
}
`;

let hostile: Planned;
let applied: Run;
let other: Planned;
let sandbox: Capabilities['runner']['sandbox'];
let network: Capabilities['runner']['network'];

beforeAll(async () => {
  harness = await startHarness();
  ({ sandbox, network } = (await harness.http.get<Capabilities>('/api/v1/capabilities')).body.runner);
  other = await installPlanned(harness, {
    ...createInstallInput({ 'main.tf': `# ${foreign}\noutput "value" {\n  value = "${foreign}"\n}\n` }),
  });
  await applyPlan(harness, other.plan);
  hostile = await installPlanned(harness, {
    ...createInstallInput({
      'main.tf': main,
      'attack.sh': script,
      'key.sh': 'mkdir -p out; echo ran >out/key-program',
      'terraform.tfvars': 'password = "planted"\n',
    }),
    variables: { port: Number(new URL(harness.server.url).port), data: harness.server.dataDir, password: secret },
  });
  applied = await applyPlan(harness, hostile.plan);
});
afterAll(() => harness?.stop());

describe('a malicious module, before its first plan', () => {
  it('is reported: its programs, its replaced files and its excluded files', async () => {
    const { findings, level } = await takeNewest(harness, hostile.sourceId);
    expect(findings.map(({ code }) => code)).toEqual(
      expect.arrayContaining([
        'provisioner_present',
        'backend_overridden',
        'encryption_overridden',
        'external_program_present',
        'tfvars_ignored',
      ]),
    );
    expect(findings.map(({ message }) => message).filter((message) => !/^[A-Z].*\.$/.test(message))).toEqual([]);
    expect(level).toBe('ready');
  });

  const call = (source: string) => `module "m" {\n  source = "${source}"\n}\n`;
  it.each<[string, Files, string, RegExp]>([
    [
      'brings an executable in the place of a provisioner',
      { 'main.tf': '', 'terraform-provisioner-local-exec': '' },
      'configuration_invalid',
      /would change how the tool runs.*Choose a Source path/,
    ],
    ['calls a remote module', { 'main.tf': call('git::http://127.0.0.1:1/m.git') }, 'remote_module_source', /./],
    [
      'hides it behind a second key in JSON',
      {
        'main.tf.json': '{"module":{"m":{"source":"./l"}},"module":{"m":{"source":"http://127.0.0.1:1/m.zip"}}}',
        'l/main.tf': '',
      },
      'configuration_invalid',
      /twice|duplicate/i,
    ],
    ['hides it in a template', { 'main.tf': call('./$' + '{var.x}') }, 'module_source_not_static', /./],
  ])('that %s is refused with a sentence, and nothing is made', async (_what, files, reason, message) => {
    const { phase, diagnostic, capsuleId } = await install(harness, createInstallInput(files));
    expect([phase, diagnostic?.code, diagnostic?.reason]).toEqual(['failed', 'compatibility_not_ready', reason]);
    expect(diagnostic?.message).toMatch(message);
    expect(capsuleId).toBeUndefined();
  });
});

describe('a malicious module, when it runs', () => {
  it('ends as expected, with none of its false claims in the ledger', async () => {
    expect([applied.status, applied.summary]).toMatchObject(['succeeded', { add: 4, change: 0, destroy: 0 }]);
    expect(await stateVersions(harness, hostile.capsuleId)).toMatchObject([{ generation: 1, resourceCount: 4 }]);
    expect(existsSync(path.join(capsuleDir(hostile.capsuleId), 'tree/out/key-program'))).toBe(false);
    expect(JSON.stringify(await logsOf(harness, applied.id))).not.toContain('terraform_data.never');
  });

  it('finds no access at the API', async ({ skip }) => {
    if (sandbox === 'none') skip('without a sandbox the module reads the token of the operator');
    const lines = readOutput(hostile.capsuleId, 'api').trim().split('\n');
    expect(lines).toHaveLength(21);
    const refused = network === 'isolated' ? /^none / : /^(401|403|404|405|421) /;
    expect(lines.filter((line) => !refused.test(line))).toEqual([]);
  });

  it('cannot read the data folder, another Capsule or the server', ({ skip }) => {
    if (sandbox === 'none') skip('without a sandbox the module reads what the server may read');
    const text = readOutput(hostile.capsuleId, 'read');
    expect(text).not.toContain(foreign);
    expect(text).not.toContain(harness.server.operatorToken);
    expect(text).not.toContain('XDG_CACHE_HOME');
  });

  it('leaves no process behind', () => {
    expect(leftovers(capsuleDir(hostile.capsuleId))).toEqual([]);
    expect(leftovers(capsuleDir(other.capsuleId))).toEqual([]);
  });

  it('leaves no file that the next plan would read as configuration', async () => {
    expect(await planAgain(harness, hostile.capsuleId)).toMatchObject({
      status: 'succeeded',
      summary: { add: 0, change: 0, destroy: 0 },
    });
    expect(leftovers(capsuleDir(hostile.capsuleId))).toEqual([]);
  });

  it('discloses its secret neither in the ledger, nor in a file of a Run, nor in a response', async () => {
    const { http, server, workspaceId } = harness;
    const { capsuleId } = hostile;
    for (const at of [`/runs/${applied.id}`, `/runs/${applied.id}/logs`, `/runs/${hostile.plan.id}/plan`])
      await http.get(`/api/v1${at}`);
    await http.get(`/api/v1/capsules/${capsuleId}/outputs`);
    await http.get(`/api/v1/workspaces/${workspaceId}/activity`);
    const canary = canaryOf('the password', secret);
    const { hits, files } = searchFolder(server.dataDir, [canary], ['providers', `capsules/${capsuleId}/tree`]);
    expect(hits).toEqual([]);
    expect(files).toBeGreaterThan(10);
    expect(http.responseTexts.filter((text) => text.includes(secret))).toEqual([]);
  });

  it('cannot put terminal escapes or hidden characters into text that a person reads', async () => {
    const { text } = await harness.http.get(`/api/v1/runs/${applied.id}/logs`, { accept: 'text/plain' });
    expect(text).toContain('red');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for.
    expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f-\u009f]|\u001b(?!\[[0-9;:]*m)/);
    const { resources } = (
      await harness.http.get<{ plan: { resources: { address: string }[] } }>(`/api/v1/runs/${hostile.plan.id}/plan`)
    ).body.plan;
    const isPrintable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u;
    expect(resources.map(({ address }) => address).filter((address) => !isPrintable.test(address))).toEqual([]);
  });

  it('produces Outputs that are only texts, and none under a name with meaning in JavaScript', async () => {
    const outputs = await outputsOf(harness, hostile.capsuleId);
    expect(Object.entries(outputs ?? {}).sort()).toEqual([['shown', '</script><img src=x onerror=alert(1)>\u001b[2J']]);
    expect(await outputsOf(harness, other.capsuleId)).toEqual({ value: foreign });
  });

  it('still becomes active and safe, and the server still answers', async () => {
    expect(await getCapsule(harness, hostile.capsuleId)).toMatchObject({ status: 'active' });
    const refused = await harness.http.get<Refusal>('/api/v1/capsules/none');
    expect(refused.status).toBe(404);
    expect(readdirSync(path.join(harness.server.dataDir, 'runs')).length).toBeGreaterThan(2);
    expect(harness.server.log()).not.toMatch(/"level":(50|60)/);
  });
});
