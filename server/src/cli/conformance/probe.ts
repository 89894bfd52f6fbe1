import type { z } from 'zod';
import type { JsonObject } from '#shared/kernel/json';
import type { Fixture } from './fixture.ts';
import { type Answer, type ExchangeRecord, type HostClient, type HostRequest, NoAnswerError } from './host-client.ts';
import { recognizableValues } from './json.ts';
import { codeStatus, type ErrorCode, ErrorEnvelope, gateStatuses, shapeFailures } from './shapes.ts';

/** Ends a stage: what follows in it needs what the host did not give. */
export class StageStopped extends Error {}

/** `400 invalid_argument`: a status with a code of the protocol. */
export type Refusal = `${number} ${ErrorCode}`;

type JsonOptions = { status?: number; isStored?: boolean };

/** Sends the requests of one stage and collects what is wrong with the answers. */
export type Probe = {
  send(request: HostRequest): Promise<Answer>;
  /** Adds a failure about an answer. */
  fail(answer: Answer, failure: string): void;
  /** Adds a failure unless the condition holds; returns the condition. */
  require(condition: boolean, answer: Answer, failure: string): boolean;
  /** Checks status, headers and shape of a JSON answer; returns its body, or undefined when it cannot be used. */
  readJson<T>(answer: Answer, schema: z.ZodType<T>, options?: JsonOptions): T | undefined;
  /** Checks that an answer is one of these refusals, in the envelope of the protocol, without a value of the request. */
  requireRefusal(answer: Answer, ...allowed: Refusal[]): void;
  /** Returns a value of an earlier stage; ends the stage without one. */
  need<T>(value: T | undefined, stage: string): T;
};

type ProbeLog = { records: ExchangeRecord[]; failures: string[] };

export function createProbe(client: HostClient, fixture: Fixture): { probe: Probe } & ProbeLog {
  const log: ProbeLog = { records: [], failures: [] };
  const fail = (answer: Answer, failure: string) => log.failures.push(`${labelOf(answer.request)}: ${failure}`);
  const require: Probe['require'] = (condition, answer, failure) => {
    if (!condition) fail(answer, failure);
    return condition;
  };
  const probe: Probe = {
    fail,
    require,
    send: async (request) => {
      try {
        return await client.send(request, (record) => log.records.push(record));
      } catch (error) {
        if (error instanceof NoAnswerError) throw new StageStopped(`${labelOf(request)}: ${error.message}`);
        throw error;
      }
    },
    readJson: <T>(answer: Answer, schema: z.ZodType<T>, { status = 200, isStored = false }: JsonOptions = {}) => {
      if (!require(answer.status === status, answer, `expected ${status}, received ${statusText(answer)}.`))
        return undefined;
      requireJsonHeaders(answer, isStored, require);
      const failures = shapeFailures(schema, answer.json);
      for (const { text } of failures) fail(answer, `${text}.`);
      return failures.every(({ isAdditional }) => isAdditional) ? (answer.json as T) : undefined;
    },
    requireRefusal: (answer, ...allowed) => {
      const isAllowed = allowed.includes(`${answer.status} ${codeOf(answer)}` as Refusal);
      require(isAllowed, answer, `expected ${allowed.join(' or ')}, received ${statusText(answer)}.`);
      if (answer.status < 400) return;
      requireEnvelope(answer, require);
      requireNoValues(answer, fixture, require);
    },
    need: <T>(value: T | undefined, stage: string) => {
      if (value === undefined) throw new StageStopped(`Not executed: it needs a result of the stage ${stage}.`);
      return value;
    },
  };
  return { probe, ...log };
}

const labelOf = ({ method, path }: HostRequest): string => `${method} ${path}`;

type Envelope = { error?: { code?: unknown; requestId?: unknown; retryable?: unknown; hostCode?: unknown } };
const errorOf = ({ json }: Answer) => (json as Envelope | null | undefined)?.error ?? {};

/** The code of a refusal, where it is one of the protocol: another text of a host is not repeated. */
function codeOf(answer: Answer): ErrorCode | undefined {
  const { code } = errorOf(answer);
  return typeof code === 'string' && Object.hasOwn(codeStatus, code) ? (code as ErrorCode) : undefined;
}

function statusText(answer: Answer): string {
  const code = codeOf(answer);
  return code === undefined ? `${answer.status}` : `${answer.status} ${code}`;
}

function requireJsonHeaders(answer: Answer, isStored: boolean, require: Probe['require']): void {
  const type = answer.headers['content-type'] ?? '';
  require(/^application\/json(?:\s*;|$)/i.test(type), answer, 'Content-Type is not application/json.');
  if (!isStored) requireNoStore(answer, require);
}

const hasNoStore = ({ headers }: Answer): boolean =>
  (headers['cache-control'] ?? '').split(',').some((directive) => directive.trim().toLowerCase() === 'no-store');

export function requireNoStore(answer: Answer, require: Probe['require']): void {
  require(hasNoStore(answer), answer, 'Cache-Control is not no-store.');
}

/** Checks the error envelope, `retryable`, the request id, and the headers that belong to a refusal. */
function requireEnvelope(answer: Answer, require: Probe['require']): void {
  requireJsonHeaders(answer, false, require);
  const failures = shapeFailures(ErrorEnvelope, answer.json);
  for (const { text } of failures) require(false, answer, `error envelope: ${text}.`);
  const { requestId, retryable, hostCode } = errorOf(answer);
  const code = codeOf(answer);
  const { status, headers } = answer;
  if (code !== undefined) {
    const isGate = gateStatuses.has(status);
    const expected = isGate ? code === 'invalid_argument' : codeStatus[code] === status;
    require(expected, answer, `the code ${code} does not belong to the status ${status}.`);
    if (isGate) require(hostCode !== undefined, answer, 'hostCode is missing.');
    const mayRetry = code === 'resource_busy' || status === 503;
    require(retryable === mayRetry, answer, `retryable is not ${mayRetry}.`);
  }
  const header = headers['x-request-id'];
  require(header === undefined || header === requestId, answer, 'requestId differs from the header X-Request-Id.');
  if (status === 401) {
    const challenge = headers['www-authenticate'] ?? '';
    require(/^Bearer(?:\s|$)/i.test(challenge), answer, 'WWW-Authenticate does not offer Bearer.');
  }
}

/** A refusal never repeats a value of the desired state that was sent. */
function requireNoValues(answer: Answer, fixture: Fixture, require: Probe['require']): void {
  const { body } = answer.request;
  if (typeof body !== 'object' || body === null || !('spec' in body)) return;
  const known = JSON.stringify([fixture.form, fixture.space, fixture.name]);
  const values = recognizableValues(body.spec as JsonObject).filter((value) => !known.includes(value));
  const isRepeated = values.some(
    (value) => answer.text.includes(value) || answer.text.includes(JSON.stringify(value).slice(1, -1)),
  );
  require(!isRepeated, answer, 'the refusal repeats a value of the spec.');
}
