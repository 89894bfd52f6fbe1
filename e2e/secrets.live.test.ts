import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Run } from '#shared/runs/contract';
import { type Canary, canaryOf, findCanaries, searchFolder } from './fixtures/canary.ts';
import { readFeed, readUntil, resourceIs, settled } from './fixtures/feed.ts';
import { type Harness, type HarnessRepository, startHarness } from './fixtures/harness.ts';
import {
  applyPlan,
  installPlanned,
  outputsOf,
  type Planned,
  planAgain,
  startApply,
  takeNewest,
} from './fixtures/journey.ts';
import { fakeModule, thing } from './fixtures/modules.ts';
import { effects } from './fixtures/provider/index.ts';

const random = (bytes = 18) => randomBytes(bytes).toString('hex');

/** Values that a person could call a password, disclosed in every way that a module can. */
const secrets = {
  'a sensitive variable': `sens-${random()}`,
  'a variable named secret': `named-${random()}`,
  'a password of many kinds of character': `"q'uo\\te ${random(6)}\nline\ttwo ${random(6)} ÜñïÇ☃😀\n<&>%{x}$\{y} ${random(6)} end`,
  'a member of a sensitive object': `deep-${random()}`,
  'a variable named secret that holds a list': `item-${random()}`,
  'a variable that only the operator presents as secret': `pres-${random()}`,
};
const [sensitive = '', named = '', odd = '', deep = '', item = '', presented = ''] = Object.values(secrets);

const createLeakyResource = (name: string) => `
resource "terraform_data" "${name}" {
  input            = var.${name}
  triggers_replace = [var.${name}]
  provisioner "local-exec" {
    environment = { SECRET = var.${name} }
    command     = <<-SH
      printf 'out %s\\n' "$SECRET"
      printf 'err %s\\n' "$SECRET" >&2
      printf %s "$SECRET" | base64 -w0; echo
      printf 'x%s' "$SECRET" | base64 -w0; echo
      printf 'xy%s' "$SECRET" | base64 -w0; echo
      printf %s "$SECRET" | od -An -v -tx1 | tr -d ' \\n'; echo
      printf '%s' "$SECRET" | head -c 20; printf '%s' "$SECRET" | tail -c +21; echo
    SH
  }
}
`;

const body = fakeModule(`variable "sensitive" {
  type      = string
  sensitive = true
}
variable "named" {
  type = string
}
variable "odd" {
  type = string
}
variable "object" {
  type      = object({ user = string, password = string })
  sensitive = true
}
variable "list" {
  type = list(string)
}
variable "presented" {
  type = string
}
variable "title" {
  type = string
}
${thing('a', 'note = var.named\n  secret = var.sensitive\n  settings = { password = var.object.password, mode = var.odd }\n  tags = { key = var.list[0], presented = var.presented }')}
${thing('b', 'note = "see \u0024{var.odd}"\n  secret = fake_thing.a.access_key\n  tags = { (var.named) = "as a key" }')}
${['sensitive', 'named', 'odd'].map(createLeakyResource).join('')}
check "disclosed" {
  assert {
    condition     = var.title == ""
    error_message = "The check shows \${var.named} and \${jsonencode(var.odd)}."
  }
}
output "title" {
  value = var.title
}
output "from_sensitive" {
  value     = "\${var.sensitive} \${fake_thing.a.access_key} \${var.object.password}"
  sensitive = true
}
output "named_as_it_is" {
  value = var.named
}
output "presented_as_it_is" {
  value = "see \${var.presented}"
}
output "odd_inside" {
  value = { list = [upper("x"), "before \${var.odd} after"], more = var.list }
}
`);

let harness: Harness;
let planned: Planned;
const runs: Run[] = [];
let repository: HarnessRepository;
let canaries: Canary[] = [];
/** Every file except the packages of providers and the files that the module itself wrote outside. */
const search = () => {
  const world = path.join('capsules', planned.capsuleId, 'tree', 'world');
  return searchFolder(harness.server.dataDir, canaries, ['providers', world]);
};
beforeAll(async () => {
  harness = await startHarness({ providers: true });
  await presentAsSecret('presented');
  repository = harness.repository('vault', { 'main.tf': body });
  planned = await installPlanned(harness, {
    url: repository.url,
    name: 'vault',
    variables: {
      sensitive,
      named,
      odd,
      object: { user: 'ada', password: deep },
      list: [item],
      presented,
      title: 'Shown',
    },
    secretVariables: ['named', 'odd', 'list'],
  });
  runs.push(planned.plan, await applyPlan(harness, planned.plan), await planAgain(harness, planned.capsuleId));
  const world = path.join(harness.server.dataDir, 'capsules', planned.capsuleId, 'tree', 'world');
  const keyCanaries = effects(world).map(({ id, name }) => canaryOf(`the key that ${name} was given`, accessKey(id)));
  canaries = [...Object.entries(secrets).map(([name, secret]) => canaryOf(name, secret)), ...keyCanaries];
});
afterAll(() => harness?.stop());

/** Patches the built-in configuration as the operator. */
async function presentAsSecret(name: string): Promise<void> {
  const { dataDir, url } = harness.server;
  const token = readFileSync(path.join(dataDir, 'operator-token'), 'utf8').trim();
  const answer = await fetch(`${url}/internal/v1/install-configs/cfg-default-opentofu-capsule`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      kind: 'svc.install-config-patch@v1',
      variablePresentation: [{ name, secret: true, label: { ja: name, en: name } }],
    }),
  });
  expect(answer.status).toBe(200);
}

/** The secret that the test provider makes for a thing of its anonymous account. */
const accessKey = (id: string) => `fak-${createHash('sha256').update(`${id}:`).digest('base64url').slice(0, 24)}`;

async function requestEverything(): Promise<void> {
  const { http, workspaceId } = harness;
  const { capsuleId, sourceId } = planned;
  const ofRun = runs.flatMap(({ id }) => [`/runs/${id}`, `/runs/${id}/plan`, `/runs/${id}/logs`, `/runs/${id}/events`]);
  const ofWorkspace = ['runs', 'capsules', 'install-plans', 'current-state-versions', 'activity'];
  const paths = [
    ...ofRun,
    ...ofWorkspace.map((list) => `/workspaces/${workspaceId}/${list}`),
    `/capsules/${capsuleId}`,
    `/capsules/${capsuleId}/outputs`,
    `/capsules/${capsuleId}/state-versions`,
    `/sources/${sourceId}/snapshots`,
    `/capsule-configs?workspaceId=${workspaceId}`,
  ];
  for (const at of paths) expect([at, (await http.get(`/api/v1${at}`)).status]).toEqual([at, 200]);
  for (const { id } of runs) await http.get(`/api/v1/runs/${id}/logs`, { accept: 'text/plain' });
  const config = /"installConfigId":"([^"]+)"/.exec(http.responseTexts.join('\n'))?.[1];
  const { text } = await http.get(`/api/v1/capsule-configs/${config}`);
  expect(text).toContain('[REDACTED]');
}

describe('a secret of an installation', () => {
  it('works: both Runs succeed and the module received the secret', () => {
    expect(runs.map(({ type, status }) => `${type} ${status}`)).toEqual([
      'plan succeeded',
      'apply succeeded',
      'plan succeeded',
    ]);
    expect(runs[2]?.summary).toEqual({ add: 0, change: 0, destroy: 0 });
    expect(canaries).toHaveLength(8);
  });

  it('is in no response of the server', async () => {
    await requestEverything();
    const { responseTexts } = harness.http;
    expect(responseTexts.length).toBeGreaterThan(30);
    expect(
      responseTexts.flatMap((text) => findCanaries(`an answer that begins ${text.slice(0, 60)}`, text, canaries)),
    ).toEqual([]);
  });

  it('is in no event of a live stream, whose log shows a placeholder', async () => {
    const events: string[] = [];
    for (const { id } of runs)
      for await (const event of readFeed(harness.server, id)) events.push(JSON.stringify(event));
    const text = events.join('\n');
    expect(findCanaries('the stream', text, canaries)).toEqual([]);
    expect(text).toContain('out [redacted]');
  });

  it('is neither in a file of the data folder nor in the output of the server', () => {
    const { hits, files } = search();
    expect(hits).toEqual([]);
    expect(files).toBeGreaterThan(20);
    expect(findCanaries('the log of the server', harness.server.log(), canaries)).toEqual([]);
  });

  it('is absent from the Outputs, whether the module calls it sensitive or only the installer does', async () => {
    expect(await outputsOf(harness, planned.capsuleId)).toEqual({ title: 'Shown' });
  });

  it('is in no file when the server dies in the middle of an apply, nor after a restart', async () => {
    repository.commit({ 'main.tf': body + thing('late', 'gate = "open"\n  note = var.named\n  secret = var.odd') });
    await takeNewest(harness, planned.sourceId);
    const apply = await startApply(harness, await planAgain(harness, planned.capsuleId));
    await readUntil(harness.server, apply.id, resourceIs('fake_thing.late', 'started'));
    await harness.server.kill9();
    expect(search().hits).toEqual([]);
    await harness.server.restart();
    writeFileSync(path.join(harness.server.dataDir, 'capsules', planned.capsuleId, 'tree', 'open'), '');
    expect(await settled(harness.server, apply.id)).toMatchObject({ status: 'succeeded' });
    expect(search().hits).toEqual([]);
  });
});
