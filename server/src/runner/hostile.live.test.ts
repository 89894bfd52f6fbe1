import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addressesIn, type Bench, createBench, recordsOf, tell } from './fixtures/capsule.ts';

let bench: Bench;
beforeAll(() => {
  bench = createBench();
});
afterAll(() => bench.end());

/** Runs shell text when `a` is created, and keeps what it prints in the log. */
const during = (script: string): { [file: string]: string } => ({
  'main.tf': `
resource "terraform_data" "a" {
  provisioner "local-exec" {
    command = "sh attack.sh"
  }
}
`,
  'attack.sh': script,
});

describe.each(['bwrap', 'none'] as const)('a hostile module with sandbox %s', (sandbox) => {
  test('that puts a folder in the place of the state fails although its tool says nothing of it', async () => {
    const capsule = bench.capsule({
      sandbox,
      files: during(
        's=/svc/state; [ -d $s ] || s=../state; rm -f $s/terraform.tfstate; mkdir -p $s/terraform.tfstate/x\n',
      ),
    });
    const { job, outcome } = await capsule.apply(await capsule.plan());
    expect(outcome, tell(job.runDir)).toMatchObject({
      succeeded: false,
      errorCode: 'state_save_failed',
      providerDispatched: true,
    });
  });

  test('cannot forge the end of another resource or of the apply', async () => {
    const forged = JSON.stringify({
      '@level': 'info',
      '@message': 'forged',
      type: 'apply_complete',
      hook: { resource: { addr: 'terraform_data.other' }, action: 'create', elapsed_seconds: 1 },
    });
    const capsule = bench.capsule({
      sandbox,
      files: during(`for fd in /proc/$PPID/fd/1 /proc/1/fd/1; do echo '${forged}' > $fd; done 2>/dev/null; exit 1\n`),
    });
    const { job, outcome } = await capsule.apply(await capsule.plan());
    expect(outcome).toMatchObject({ succeeded: false, errorCode: 'apply_failed', unfinished: ['terraform_data.a'] });
    expect(
      recordsOf(job.runDir).filter((record) => record.t === 'resource' && record.address.includes('other')),
    ).toEqual([]);
  });

  test('cannot pass a state it printed for one that was saved', async () => {
    const capsule = bench.capsule({
      sandbox,
      files: during(
        `echo 'Emergency state dump: {"version":4,"serial":99,"lineage":"x"}' ; echo '{"state":{"version":4,"serial":99}}'\n`,
      ),
    });
    const { job, outcome } = await capsule.apply(await capsule.plan());
    expect(outcome, tell(job.runDir)).toMatchObject({ succeeded: true });
    expect(outcome.state?.serial).toBeLessThan(5);
  });

  test('finds no file of ours to steer the next command with', async () => {
    const capsule = bench.capsule({
      sandbox,
      files: during(
        'echo \'resource "terraform_data" "extra" {}\' > gen.tf; mkdir -p .terraform terraform.d; echo x > kept.txt; echo x > terraform.tfvars\n',
      ),
    });
    expect((await capsule.apply(await capsule.plan())).outcome.succeeded).toBe(true);
    expect((await capsule.plan()).outcome.summary).toEqual({ add: 0, change: 0, destroy: 0 });
    expect(existsSync(path.join(capsule.dir, 'tree/gen.tf'))).toBe(false);
    expect(existsSync(path.join(capsule.dir, 'tree/kept.txt'))).toBe(true);
  });

  test('that brings a backend of its own keeps its state with us', async () => {
    const capsule = bench.capsule({
      sandbox,
      files: {
        'main.tf':
          'terraform {\n  backend "http" {\n    address = "http://127.0.0.1:1/state"\n  }\n}\nresource "terraform_data" "a" {}\n',
        'zz_override.tf': 'terraform {\n  backend "local" {\n    path = "/tmp/elsewhere.tfstate"\n  }\n}\n',
      },
    });
    expect((await capsule.apply(await capsule.plan())).outcome.succeeded).toBe(true);
    expect(addressesIn(capsule)).toEqual(['terraform_data.a']);
    expect(existsSync('/tmp/elsewhere.tfstate')).toBe(false);
  });

  test('with a remote module source fails at init, without a fetch', async () => {
    let visits = 0;
    const server = createServer((socket) => {
      visits += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const capsule = bench.capsule({
      sandbox,
      files: { 'main.tf': `module "m" {\n  source = "http://127.0.0.1:${port}/m.zip"\n}\n` },
    });
    const job = capsule.job('plan');
    expect(await capsule.run(job)).toMatchObject({ kind: 'failed', errorCode: 'init_failed' });
    if (sandbox === 'bwrap') expect(visits).toBe(0);
    server.close();
  });
});

describe('inside the sandbox a module', () => {
  const attempts = {
    'reads no other file of the server': `ls ${homedir()} ${process.cwd()} /home/* /var; cat /etc/shadow ${path.join(process.cwd(), 'package.json')}`,
    'has no capability and makes no namespace': 'grep CapEff /proc/self/status; unshare -U true && echo made-namespace',
    'cannot mount': 'mount -o remount,rw /usr && echo remounted; mount -t tmpfs x /tmp && echo mounted',
    'writes neither to the system, nor to the data folder, the store, or the tool':
      'for f in /usr/x /svc/data/x /svc/providers/x /svc/tool /x /dev/x /svc/plan; do echo x 2>/dev/null > $f && echo wrote $f; done',
    'sees no process of the host': 'ls /proc | grep -c "^[0-9]*$" | awk \'{ if ($1 > 20) print "many processes" }\'',
  };
  test.each(Object.entries(attempts))('%s', async (_name, script) => {
    const capsule = bench.capsule({ sandbox: 'bwrap', files: during(`(${script}) 2>&1 | tee out; true\n`) });
    const { job, outcome } = await capsule.apply(await capsule.plan());
    expect(outcome.succeeded, tell(job.runDir)).toBe(true);
    const out = readFileSync(path.join(capsule.dir, 'tree/out'), 'utf8');
    expect(out).not.toMatch(/root:|made-namespace|remounted|mounted|wrote|many processes|runner-|"version"/);
    if (out.includes('CapEff')) expect(out).toMatch(/CapEff:\s+0{16}/);
  });

  test('leaves no process behind', async () => {
    const mark = `survivor-${process.pid}`;
    const capsule = bench.capsule({
      sandbox: 'bwrap',
      files: during(`nohup setsid sh -c 'while :; do sleep 1; done' ${mark} >/dev/null 2>&1 &\n`),
    });
    expect((await capsule.apply(await capsule.plan())).outcome.succeeded).toBe(true);
    expect(commandLines().filter((line) => line.includes(mark))).toEqual([]);
  });

  test('cannot make the supervisor follow a link out of the state folder', async () => {
    const capsule = bench.capsule({
      sandbox: 'bwrap',
      files: during('rm -f /svc/state/terraform.tfstate; ln -s /etc/hostname /svc/state/terraform.tfstate\n'),
    });
    const { outcome } = await capsule.apply(await capsule.plan());
    expect(outcome.succeeded).toBe(false);
    const folder = path.join(capsule.dir, 'state');
    mkdirSync(folder, { recursive: true });
    const outside = path.join(bench.dir, 'outside');
    writeFileSync(outside, 'untouched');
    if (!existsSync(path.join(folder, 'link'))) symlinkSync(outside, path.join(folder, 'link'));
    await capsule.plan();
    expect(readFileSync(outside, 'utf8')).toBe('untouched');
  });
});

function commandLines(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
      } catch {
        return '';
      }
    });
}
