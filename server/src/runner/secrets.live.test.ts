import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type Bench,
  createBench,
  describeRun,
  filesBelow,
  recordsOf,
  terraform,
  tofu,
} from '../../test/runner/capsule.ts';
import { redactedMark } from './contract/redaction/redactor.ts';

let bench: Bench;
beforeAll(() => {
  bench = createBench();
});
afterAll(() => bench.end());

/** Folder of terraform's unencrypted files while it runs; other tests use other folders beside it. */
const ourMemory = `/dev/shm/groundctl-${userInfo().uid}`;

const secret = 'Canary"9/+é<&>\\ & more==';
const key = '-----BEGIN KEY-----\nfirst-line-of-a-key/+\nsecond-line-of-a-key\n-----END KEY-----';

const module = `
variable "password" {
  type      = string
  sensitive = true
}
variable "key" {
  type      = string
  sensitive = true
}
variable "short" {
  type      = string
  sensitive = true
}
resource "terraform_data" "a" {
  input = { plain = nonsensitive(var.password), script = "#!/bin/sh\\nlogin '\${nonsensitive(var.password)}'", url = urlencode(nonsensitive(var.password)) }
  provisioner "local-exec" {
    command = <<-EOT
      printf '%s\\n' "$P" "$K"; printf %s "$P" | base64; printf 'x%s' "$P" | base64; printf 'xy%s' "$P" | base64
      printf %s "$P" | od -An -tx1 | tr -d ' \\n'; echo; printf '%s\\n' "$P" "$K" >&2; echo "pin $S pinned"
    EOT
    environment = {
      P = nonsensitive(var.password)
      K = nonsensitive(var.key)
      S = nonsensitive(var.short)
    }
  }
}
output "json" {
  value = jsonencode(jsonencode(nonsensitive(var.password)))
}
output "hidden" {
  value     = var.password
  sensitive = true
}
check "prints" {
  assert {
    condition     = terraform_data.a.id == ""
    error_message = "The password is \${nonsensitive(var.password)}."
  }
}
`;

/** Forms of the secret that no file may contain, found independently of the redactor. */
const traces = (): string[] => {
  const latin = Buffer.from(secret).toString('latin1');
  const once = Buffer.from(JSON.stringify(secret).slice(1, -1)).toString('latin1');
  return [
    latin,
    once,
    JSON.stringify(once).slice(1, -1),
    encodeURIComponent(secret),
    Buffer.from(secret).toString('hex'),
    Buffer.from(secret).toString('base64').slice(0, 24),
    Buffer.from(secret.slice(2)).toString('base64').slice(0, 20),
    Buffer.from(secret.slice(1)).toString('base64').slice(0, 20),
    'first-line-of-a-key',
    'second-line-of-a-key',
  ];
};

test.each([
  { tool: tofu, sandbox: 'bwrap' },
  { tool: tofu, sandbox: 'none' },
  { tool: terraform, sandbox: 'bwrap' },
  { tool: terraform, sandbox: 'none' },
] as const)(
  'a sensitive value is in no file a Run leaves, in no encoding: $tool.name, sandbox $sandbox',
  async ({ tool, sandbox }) => {
    const capsule = bench.capsule({
      sandbox,
      tool,
      files: { 'main.tf': module },
      variables: { password: secret, key, short: 'pin7' },
      secrets: [secret, key, 'pin7'],
    });
    const plan = await capsule.plan();
    const applied = await capsule.apply(plan);
    expect(applied.outcome, describeRun(applied.spec.runDir)).toMatchObject({ succeeded: true });
    const leaks: string[] = [];
    for (const { file, text } of filesBelow(plan.spec.runDir, applied.spec.runDir, capsule.dir)) {
      for (const trace of traces()) if (text.includes(trace)) leaks.push(`${file}: ${trace}`);
      if (/\bpin7\b/.test(text)) leaks.push(`${file}: pin7`);
    }
    expect(leaks).toEqual([]);
    const texts = recordsOf(applied.spec.runDir).flatMap((record) => (record.t === 'log' ? [record.text] : []));
    expect(texts.filter((text) => text.includes(redactedMark)).length).toBeGreaterThan(5);
    expect(texts.some((text) => text.includes(`pin ${redactedMark} pinned`))).toBe(true);
    expect(capsule.state?.text).toContain('Canary');
    const document = readFileSync(path.join(plan.spec.runDir, plan.outcome.projectionFile), 'utf8');
    expect(document).toContain('"sensitive"');
    for (const folder of [plan.spec.runDir, applied.spec.runDir]) {
      for (const name of ['key.json', 'vars.tfvars.json', 'plan.clear'])
        expect(existsSync(path.join(folder, name))).toBe(false);
    }
    const own = createHash('sha256').update(capsule.dir).digest('hex').slice(0, 24);
    expect([...filesBelow(ourMemory)].filter(({ file }) => file.includes(own))).toEqual([]);
  },
);

test('a Run over its log limit reports it once and continues', async () => {
  const capsule = bench.capsule({
    sandbox: 'bwrap',
    logBytes: 20_000,
    files: {
      'main.tf': `
resource "terraform_data" "a" {
  provisioner "local-exec" {
    command = "i=0; while [ $i -lt 3000 ]; do echo line $i of a long log; i=$((i+1)); done; head -c 100000 /dev/zero | tr '\\\\0' x; printf '\\\\033[31mred\\\\033[0m \\\\007bell\\\\n'"
  }
}
`,
    },
  });
  const { spec, outcome } = await capsule.apply(await capsule.plan());
  expect(outcome.succeeded, describeRun(spec.runDir)).toBe(true);
  const records = recordsOf(spec.runDir);
  expect(records.filter((record) => record.t === 'diagnostic' && record.code === 'log_truncated')).toHaveLength(1);
  const bytes = records.reduce((sum, record) => sum + (record.t === 'log' ? record.text.length : 0), 0);
  expect(bytes).toBeLessThanOrEqual(20_000);
  expect(bytes).toBeGreaterThan(15_000);
  expect(records).toContainEqual(
    expect.objectContaining({ t: 'resource', state: 'completed', address: 'terraform_data.a' }),
  );
});
