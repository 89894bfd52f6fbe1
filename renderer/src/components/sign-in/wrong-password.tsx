import { ApiError } from '../../api/client.ts';
import { Note } from '../../ui/surface.tsx';
import { ErrorNote } from '../error-note.tsx';

/** A refusal, with a text that fits the page when the password is wrong. */
export function WrongPassword({ error, text }: { error: unknown; text: string }) {
  if (error === undefined) return null;
  if (error instanceof ApiError && error.code === 'invalid_credentials') return <Note tone="bad">{text}</Note>;
  return <ErrorNote error={error} />;
}
