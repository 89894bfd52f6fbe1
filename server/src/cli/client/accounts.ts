import { exitCodes } from '../exit-codes.ts';
import { atServer } from './command.ts';
import { operatorOf } from './operator.ts';

/** Prints a one-time link that signs an account in, so that its person sets a new password. */
export const runAccountsReset = atServer({ whenUnread: 'goesOn' }, async ({ server, terminal, args }) => {
  const { body } = await operatorOf(server).issueSignInLink({ body: { email: args[0] ?? '' } });
  if (terminal.isJson) terminal.document(body);
  else {
    terminal.say(body.url);
    terminal.note('The link works once, within five minutes. Then set a new password under "Your account".');
  }
  return exitCodes.done;
});

/** Sends a test mail at once, and reports why it could not be sent. */
export const runMailTest = atServer({ whenUnread: 'goesOn' }, async ({ server, terminal, args }) => {
  await operatorOf(server).testMail({ body: { email: args[0] ?? '' } });
  if (terminal.isJson) terminal.document({ sent: true });
  else terminal.say('The mail server has accepted the test mail.');
  return exitCodes.done;
});
