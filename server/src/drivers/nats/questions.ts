import { type KeyObject, randomBytes } from 'node:crypto';
import type { Msg } from '@nats-io/transport-node';
import { parseJson } from '#server/kernel/parse-json';
import type { Connection } from './connection.ts';
import { allEnrolments, allQuestions, parseEnrolmentSubject, parseQuestionSubject } from './names.ts';
import { NatsError } from './nats-error.ts';
import {
  answerFrame,
  isRunnerQuestion,
  type QuestionAnswer,
  type QuestionBody,
  type QuestionName,
  questionFrame,
  questions,
  subjectOf,
} from './protocol.ts';
import { createQuestionLimit, type QuestionLimit } from './question-limit.ts';
import { isSigned, signBytes } from './server-signature.ts';
import { translated } from './translate.ts';

const usualAnswerMs = 10_000;
/** Frames around a body: member names, nonce, signature, and JSON text inside of JSON. */
const frameBytes = 512;

type SignedContext = { name: QuestionName; senderId: string; nonce: string; body: string };
const signedBytes = ({ name, senderId, nonce, body }: SignedContext): Buffer =>
  Buffer.from(`groundctl answer v1 ${name} ${senderId} ${nonce}\n${body}`);

export type Sender = {
  connection: Connection;
  /** The runner, or for `enrol` the enrolment. */
  senderId: string;
  /** Public key of the server, from the enrolment. */
  verifyWith: string;
  answerMs?: number | undefined;
};

/**
 * Sends a question to the server and returns its answer, which is checked: signature, nonce and form. Rejects with
 * `no_answer`, `timeout`, `denied` or `closed`, and with `answer_invalid` for an answer of someone else.
 */
export async function sendQuestion<Name extends QuestionName>(
  { connection, senderId, verifyWith, answerMs = usualAnswerMs }: Sender,
  name: Name,
  body: QuestionBody<Name>,
): Promise<QuestionAnswer<Name>> {
  const nonce = randomBytes(16).toString('hex');
  const frame = JSON.stringify({ version: 1, nonce, body });
  let message: Msg;
  try {
    message = await connection.request(subjectOf(name, senderId), frame, { timeout: answerMs });
  } catch (error) {
    throw translated(error);
  }
  const answer = answerFrame.safeParse(readJson(message, questions[name].maxAnswerBytes * 2));
  if (!answer.success) throw new NatsError('answer_invalid');
  const { body: text, signature } = answer.data;
  if (!isSigned(verifyWith, signedBytes({ name, senderId, nonce, body: text }), signature))
    throw new NatsError('answer_invalid');
  const parsed = questions[name].answer.safeParse(parseJson(text));
  if (!parsed.success) throw new NatsError('answer_invalid');
  return parsed.data as QuestionAnswer<Name>;
}

/** Answers a question of a runner or an enrolment. Its id comes from the subject, which NATS has checked. */
export type QuestionHandlers = {
  [Name in QuestionName]: (senderId: string, body: QuestionBody<Name>) => Promise<QuestionAnswer<Name>>;
};

type AnswerInput = {
  connection: Connection;
  signWith: KeyObject;
  handlers: QuestionHandlers;
  /** Called for a handler that failed; the runner gets no answer and asks again. */
  onFault: (error: unknown, name: QuestionName, senderId: string) => void;
  /** Called for a question that was refused: a malformed one, one under another subject, or one too many. */
  onRefused: (senderId: string | undefined) => void;
};

/** Answers questions until the returned function is called. */
export function answerQuestions(input: AnswerInput): () => void {
  const limit = createQuestionLimit();
  const subscriptions = [allQuestions, allEnrolments].map((subject) =>
    input.connection.subscribe(subject, {
      callback: (error, message) => {
        if (!error) void answerWithin(limit, input, message);
      },
    }),
  );
  return () => {
    for (const subscription of subscriptions) subscription.unsubscribe();
  };
}

/** Answers a question unless its sender asks too much, which is found out before the question is parsed. */
async function answerWithin(limit: QuestionLimit, input: AnswerInput, message: Msg): Promise<void> {
  const subject = readSubject(message.subject);
  if (!subject) return input.onRefused(undefined);
  const end = limit.open(subject.senderId, subject.name);
  if (!end) return input.onRefused(subject.senderId);
  try {
    await answer(input, subject, message);
  } finally {
    end();
  }
}

async function answer(
  { signWith, handlers, onFault, onRefused }: AnswerInput,
  { senderId, name }: QuestionSubject,
  message: Msg,
): Promise<void> {
  const question = name && readQuestion(name, message);
  if (!question) return onRefused(senderId);
  const { nonce, body } = question;
  try {
    const handle = handlers[name] as (senderId: string, body: unknown) => Promise<unknown>;
    const text = JSON.stringify(await handle(senderId, body));
    const signature = signBytes(signWith, signedBytes({ name, senderId, nonce, body: text }));
    message.respond(JSON.stringify({ body: text, signature }));
  } catch (error) {
    onFault(error, name, senderId);
  }
}

/** Returns undefined for a message that is not a question of the table. */
function readQuestion(name: QuestionName, message: Msg): { nonce: string; body: unknown } | undefined {
  const { maxBodyBytes, body } = questions[name];
  const frame = questionFrame.safeParse(readJson(message, maxBodyBytes + frameBytes));
  if (!frame.success) return undefined;
  const parsed = body.safeParse(frame.data.body);
  return parsed.success ? { nonce: frame.data.nonce, body: parsed.data } : undefined;
}

/** `name` is undefined for a question that this version does not know. */
type QuestionSubject = { senderId: string; name: QuestionName | undefined };

function readSubject(subject: string): QuestionSubject | undefined {
  try {
    if (subject.startsWith('gc.enrol.')) return { name: 'enrol', senderId: parseEnrolmentSubject(subject) };
    const { runnerId, question } = parseQuestionSubject(subject);
    return { name: isRunnerQuestion(question) ? question : undefined, senderId: runnerId };
  } catch {
    return undefined;
  }
}

function readJson(message: Msg, maxBytes: number): unknown {
  return message.data.length > maxBytes ? undefined : parseJson(Buffer.from(message.data).toString());
}
