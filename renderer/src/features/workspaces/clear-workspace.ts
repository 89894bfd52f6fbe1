import { keys, queryClient } from '../../api/queries.ts';

/** Invalidates the record of the Workspace and its name in the page frame after a change. */
export function invalidateWorkspace(): void {
  void queryClient.invalidateQueries({ queryKey: ['workspace'] });
  void queryClient.invalidateQueries({ queryKey: keys.session });
}
