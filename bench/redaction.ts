import { randomBytes } from 'node:crypto';
import { createRedactor } from '#server/runner/index';
import { type CaseResult, compare } from './median.ts';

const rounds = 40;
const line = `{"@level":"info","@message":"terraform_data.a[0]: Creation complete after 0s [id=1bbad8a6-7654]"}\n`;
const chunk = Buffer.from(line.repeat(650));

function elapsed(work: () => void): number {
  const start = performance.now();
  for (let round = 0; round < rounds; round += 1) work();
  return performance.now() - start;
}

/** A log without secrets, searched for 50 of them in all their encodings, against 50 plain searches of the same bytes. */
export async function redaction(samples: number): Promise<CaseResult[]> {
  const secrets = Array.from({ length: 50 }, () => randomBytes(18).toString('base64'));
  const stream = createRedactor(secrets).stream();
  const redacted: number[] = [];
  const searched: number[] = [];
  for (let sample = 0; sample < samples; sample += 1) {
    redacted.push(elapsed(() => stream.push(chunk)));
    searched.push(elapsed(() => secrets.some((secret) => chunk.includes(secret))));
  }
  return [compare('redaction', redacted, searched)];
}
