import type { Diagnostic } from '#shared/runs/feed';
import { visibleText } from '../../ui/visible-text.ts';

/** Diagnostics of the tool or the sync, with their locations. */
export const Diagnostics = ({ diagnostics }: { diagnostics: readonly Diagnostic[] }) => (
  <ul className="flex max-h-72 flex-col gap-2 overflow-auto">
    {diagnostics.map((diagnostic, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: two diagnostics may be alike, and none ever moves
      <DiagnosticItem key={index} diagnostic={diagnostic} />
    ))}
  </ul>
);

function DiagnosticItem({ diagnostic: { message, detail, address, range } }: { diagnostic: Diagnostic }) {
  const location = [address, range && `${range.filename}:${range.start.line}`].filter((one) => one !== undefined);
  return (
    <li className="min-w-0">
      <p className="font-medium break-words">{visibleText(message)}</p>
      {location.length > 0 && (
        <p className="font-mono text-xs break-all text-muted">{visibleText(location.join(' · '))}</p>
      )}
      {detail && <p className="break-words whitespace-pre-wrap">{visibleText(detail)}</p>}
    </li>
  );
}
