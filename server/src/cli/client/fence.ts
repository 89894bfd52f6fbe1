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
  else for (const line of takenLines(fence)) terminal.say(line);
  return exitCodes.done;
});

const statusTexts: Readonly<Record<Fence['status'], string>> = {
  off: 'No fence is set.',
  held: 'The fence names this server.',
  lost: 'The fence names another server. This one is read-only.',
  unknown: 'The bucket of the fence does not confirm which server may write. Applies wait.',
};
const termTexts: typeof statusTexts = {
  ...statusTexts,
  held: 'NATS names this server as the one that may write.',
  lost: 'NATS names another server. This one is read-only.',
  unknown: 'NATS does not confirm that this server may write. It changes nothing until NATS does.',
};

/** Reports whether the fence is a term in NATS. */
const isTerm = ({ location }: Fence): boolean => location?.startsWith('nats:') === true;

const takenLines = (fence: Fence): string[] => [
  `This server may write (term ${fence.holder?.term}). The one before it stops at its next check.`,
  ...(isTerm(fence)
    ? ['Let Litestream copy to the location of this term now: systemctl restart groundctl-litestream']
    : []),
];

function linesOf(fence: Fence): string[] {
  const { status, location, holder, message } = fence;
  return [
    (isTerm(fence) ? termTexts : statusTexts)[status],
    ...(message === undefined ? [] : [oneLine(message)]),
    ...(location === undefined ? [] : [`${isTerm(fence) ? 'term    ' : 'object  '}${oneLine(location)}`]),
    ...(holder ? [`holder  ${oneLine(holder.serverId)}, term ${holder.term}, since ${holder.takenAt}`] : []),
  ];
}
