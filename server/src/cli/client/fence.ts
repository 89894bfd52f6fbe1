import type { Fence } from '#shared/fence/contract';
import { exitCodes } from '../exit-codes.ts';
import { atServer } from './command.ts';
import { operatorOf } from './operator.ts';
import { oneLine } from './text.ts';

/** The server that may write. */
export const runFenceShow = atServer({ whenUnread: 'stops' }, async ({ server, terminal }) => {
  const { fence } = (await operatorOf(server).getFence({})).body;
  if (terminal.isJson) terminal.document({ fence });
  else for (const line of linesOf(fence)) terminal.say(line);
  return fence.status === 'held' || fence.status === 'off' ? exitCodes.done : exitCodes.failed;
});

/** Names this server in the fence. */
export const runFenceTake = atServer({ whenUnread: 'goesOn' }, async ({ server, terminal }) => {
  const { fence } = (await operatorOf(server).takeFence({})).body;
  if (terminal.isJson) terminal.document({ fence });
  else terminal.say(`This server may write (term ${fence.holder?.term}). The one before it stops at its next check.`);
  return exitCodes.done;
});

const statusTexts: Readonly<Record<Fence['status'], string>> = {
  off: 'No fence is set.',
  held: 'The fence names this server.',
  lost: 'The fence names another server. This one is read-only.',
  unknown: 'The bucket of the fence does not confirm which server may write. Applies wait.',
};

function linesOf({ status, location, holder, message }: Fence): string[] {
  return [
    statusTexts[status],
    ...(message === undefined ? [] : [oneLine(message)]),
    ...(location === undefined ? [] : [`object  ${oneLine(location)}`]),
    ...(holder ? [`holder  ${oneLine(holder.serverId)}, term ${holder.term}, since ${holder.takenAt}`] : []),
  ];
}
