import http from 'node:http';
import https from 'node:https';
import { certificatesOf } from '#server/kernel/certificates';
import { parseStrictJson } from '#shared/kernel/json';
import { ActivationAnswer } from '#shared/lifecycle/activation';

/** Address and bearer token of the operator's release activator. */
export type ActivatorSettings = { url: string; token: string };

export type Activation = { key: string; requestId: string; body: string; timeoutMs: number };

/** End of a request: the answer, or the reason why there is none. Reasons never quote an answer. */
type ActivationEnd = ActivationAnswer | { status: 'failed'; message: string; isUnanswered?: true };

export type Activator = {
  /** Sends one request and reports how it ended; never throws. It follows no redirect and sends nothing twice. */
  send(activation: Activation, signal: AbortSignal): Promise<ActivationEnd>;
};

/** Maximum bytes of an answer. */
const answerBytes = 65_536;

/**
 * Creates the client of the release activator. The address is a setting of the operator, so the rules for addresses of
 * Git hosts do not apply, and it is connected to directly, without a proxy.
 */
export function createActivator(settings: ActivatorSettings, options: { caFile?: string | undefined } = {}): Activator {
  const url = new URL(settings.url);
  return {
    async send({ key, requestId, body, timeoutMs }, signal) {
      const deadline = AbortSignal.timeout(timeoutMs);
      const agent = createAgent(url, options.caFile);
      if (!agent) return failed('The CA file of the settings cannot be read. Correct its path or its mode.');
      const headers = {
        authorization: `Bearer ${settings.token}`,
        'content-type': 'application/json; charset=utf-8',
        accept: 'application/json',
        'idempotency-key': key,
        'x-request-id': requestId,
        'content-length': String(Buffer.byteLength(body)),
      };
      try {
        const answer = await exchange({ url, headers, agent, body }, AbortSignal.any([signal, deadline]));
        return readAnswer(answer);
      } catch (error) {
        if (signal.aborted) return unanswered('The request to the release activator was interrupted.');
        if (deadline.aborted)
          return unanswered(`The release activator did not answer in ${timeoutMs / 1_000} seconds.`);
        return error instanceof AnswerError ? failed(error.message) : unanswered(connectionMessage(error));
      } finally {
        agent.destroy();
      }
    },
  };
}

/** Returns undefined when the CA file cannot be read. */
function createAgent({ protocol }: URL, caFile: string | undefined): http.Agent | undefined {
  if (protocol !== 'https:') return new http.Agent();
  try {
    return new https.Agent(certificatesOf(caFile));
  } catch {
    return undefined;
  }
}

type Answer = { statusCode: number; body: Buffer };
type Exchange = { url: URL; headers: http.OutgoingHttpHeaders; agent: http.Agent; body: string };

/** An answer that came and is not accepted. */
class AnswerError extends Error {}

function exchange({ url, headers, agent, body }: Exchange, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? https : http).request(url, { method: 'POST', headers, agent, signal });
    request.on('error', reject);
    request.once('close', () => reject(new Error('closed')));
    request.once('response', (response) => {
      const chunks: Buffer[] = [];
      let received = 0;
      response.on('data', (chunk: Buffer) => {
        received += chunk.length;
        chunks.push(chunk);
        if (received <= answerBytes) return;
        reject(new AnswerError('The answer of the release activator is larger than 64 KiB.'));
        request.destroy();
      });
      response.once('error', reject);
      response.once('aborted', () => reject(new Error('cut off')));
      response.once('end', () => resolve({ statusCode: response.statusCode ?? 0, body: Buffer.concat(chunks) }));
    });
    request.end(body);
  });
}

function readAnswer({ statusCode, body }: Answer): ActivationEnd {
  if (statusCode >= 300 && statusCode < 400)
    return failed(`The release activator answered with the redirect ${statusCode}, which is not followed.`);
  if (statusCode < 200 || statusCode >= 300) return failed(`The release activator answered with status ${statusCode}.`);
  if (body.length === 0) return failed('The answer of the release activator is empty.');
  let json: unknown;
  try {
    json = parseStrictJson(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return failed('The answer of the release activator is not valid JSON in UTF-8.');
  }
  const parsed = ActivationAnswer.safeParse(json);
  return parsed.success ? parsed.data : failed('The answer of the release activator does not have the form of one.');
}

const failed = (message: string): ActivationEnd => ({ status: 'failed', message });
const unanswered = (message: string): ActivationEnd => ({ status: 'failed', message, isUnanswered: true });

const certificateCodes = /^(?:ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|EPROTO$)/;

function connectionMessage(error: unknown): string {
  const code = String((error as { code?: unknown }).code ?? '');
  if (certificateCodes.test(code)) return 'The certificate of the release activator is not trusted.';
  return 'The connection to the release activator failed or was closed without an answer.';
}
