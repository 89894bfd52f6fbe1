import type { Member } from '#shared/workspaces/contract';
import { visibleText } from '../../ui/visible-text.ts';

/** How a member is called: by name, else e-mail, else the end of the account's id. */
export const memberName = ({ displayName, email, accountId }: Member): string =>
  visibleText(displayName ?? email ?? `…${accountId.slice(-6)}`);
