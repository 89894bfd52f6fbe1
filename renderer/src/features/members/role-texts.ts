import type { Member } from '#shared/workspaces/contract';
import { visibleText } from '../../ui/visible-text.ts';

/** Returns the name of a member: display name, e-mail, or the end of the account id. */
export const memberName = ({ displayName, email, accountId }: Member): string =>
  visibleText(displayName ?? email ?? `…${accountId.slice(-6)}`);
