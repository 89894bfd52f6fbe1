import { keys, queryClient } from '../../api/queries.ts';

/** What a change of the Workspace makes old: its own record, and its name in the frame of the page. */
export function invalidateWorkspace(): void {
  void queryClient.invalidateQueries({ queryKey: ['workspace'] });
  void queryClient.invalidateQueries({ queryKey: keys.session });
}
