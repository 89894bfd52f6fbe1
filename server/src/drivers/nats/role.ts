import { allBeatRequests, allEnrolments, allQuestions, offerStream } from './names.ts';

/** Largest message in bytes; the default of nats-server. */
export const maxMessageBytes = 1_048_576;

const pull = (consumer: string): string => `$JS.API.CONSUMER.MSG.NEXT.${offerStream}.${consumer}`;
const acknowledge = (rest: string): string => `$JS.ACK.${offerStream}.${rest}`;
const read = (stream: string, runner: string): string => `$JS.API.DIRECT.GET.${stream}.gc.in.${runner}.*.*`;

/**
 * Everything that the account of the runners can reach in the account of the server. nats-server sends an answer to any
 * subject that a question names, with its own authority: with streams and runners in one account, a runner that may ask
 * for anything deletes any stream by an answer. Between two accounts an answer ends in the account of the runners.
 */
const services = [
  { subject: allQuestions, response: 'Singleton' },
  { subject: allEnrolments, response: 'Singleton' },
  { subject: 'gc.journal.*.*', response: 'Singleton' },
  { subject: 'gc.out.*.*.*', response: 'Singleton' },
  { subject: pull('*'), response: 'Stream' },
  { subject: acknowledge('>'), response: 'Singleton' },
  { subject: read('*', '*'), response: 'Singleton' },
] as const;

/** Everything that reaches the account of the runners without a question. Each runner may read what is for itself. */
const announcements = [allBeatRequests] as const;

/** Subjects that the account of the server exports. */
export const accountExports = [
  ...services.map(({ subject, response }) => ({ name: subject, subject, type: 'service', response_type: response })),
  ...announcements.map((subject) => ({ name: subject, subject, type: 'stream' })),
];

/** The same subjects as the account of the runners imports them. `account`: public key of that of the server. */
export const accountImports = (account: string) =>
  accountExports.map(({ name, subject, type }) => ({ name, subject, type, account }));

type TemplateInput = { publish: string[]; subscriptions: number };
const template = ({ publish, subscriptions }: TemplateInput) => ({
  pub: { allow: publish },
  sub: { allow: ['_INBOX.{{name()}}.>'] },
  subs: subscriptions,
  data: -1,
  payload: maxMessageBytes,
  // Leaf nodes, MQTT and WebSocket are refused.
  allowed_connection_types: ['STANDARD'],
});

const runnerTemplate = template({
  publish: [
    allQuestions.replace('*', '{{name()}}'),
    'gc.journal.{{name()}}.*',
    'gc.out.{{name()}}.*.*',
    pull('pool-{{tag(pool)}}'),
    acknowledge('pool-{{tag(pool)}}.>'),
    read('GC_IN_{{name()}}', '{{name()}}'),
  ],
  subscriptions: 200,
});

const enrolmentTemplate = template({ publish: [allEnrolments.replace('*', '{{name()}}')], subscriptions: 10 });

/**
 * Roles in the account of the runners: a user that is signed with the key of a role has exactly the rights of its
 * template, in which its name and tags are filled in.
 */
export const scopedRoles = (keys: { runner: string; enrolment: string }) => [
  { kind: 'user_scope', key: keys.runner, role: 'runner', template: runnerTemplate },
  { kind: 'user_scope', key: keys.enrolment, role: 'enrolment', template: enrolmentTemplate },
];

const withoutLimits = { subs: -1, data: -1, payload: -1, allowed_connection_types: ['STANDARD'] };

/** Rights of the server's user in its account. Answers go to `_R_`, which nats-server maps to the asking account. */
export const serverRights = {
  ...withoutLimits,
  pub: { allow: ['gc.>', '$JS.>', '_INBOX.>', '_R_.>'] },
  sub: { allow: ['gc.>', '_INBOX.>'] },
};

/** Rights of the server's user in the system account: to publish a new version of an account. */
export const systemRights = {
  ...withoutLimits,
  pub: { allow: ['$SYS.REQ.CLAIMS.UPDATE'] },
  sub: { allow: ['_INBOX.>'] },
};
