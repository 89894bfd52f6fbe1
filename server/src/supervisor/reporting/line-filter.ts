import type { LogLevel, StreamEvent } from '#server/drivers/tofu/index';
import type { PieceRedactor, Redactor } from '../../runner/contract/redaction/redactor.ts';

type FilteredLine = { level: LogLevel; text: string };
type LogEvent = Extract<StreamEvent, { kind: 'log' }>;

/** Joins the output of each program of a module before it is searched for secrets. */
export type LogFilter = {
  take(event: LogEvent): void;
  /** Marks one program as ended, or all of them at the end of the stream. */
  end(source?: string): void;
};

type Speaker = { pieces: PieceRedactor; waiting: { level: LogLevel; prefix: string }[] };

/** Maximum number of concurrent programs; a stream that names more does not come from the tool. */
const speakersMax = 1_024;

/** Delivers the pieces in order, without secrets and with the tool's prefix. */
export function createLogFilter(redactor: Redactor, report: (line: FilteredLine) => void): LogFilter {
  const speakers = new Map<string, Speaker>();
  const say = ({ waiting }: Speaker, texts: readonly string[]): void => {
    for (const text of texts) {
      const { level, prefix } = waiting.shift() as Speaker['waiting'][number];
      report({ level, text: redactor.text(prefix) + text });
    }
  };
  const end = (source: string): void => {
    const speaker = speakers.get(source);
    speakers.delete(source);
    if (speaker !== undefined) say(speaker, speaker.pieces.end());
  };
  const endAll = (): void => {
    for (const source of [...speakers.keys()]) end(source);
  };
  const speakerOf = (source: string): Speaker => {
    const known = speakers.get(source);
    if (known !== undefined) return known;
    if (speakers.size >= speakersMax) endAll();
    const speaker = { pieces: redactor.pieces(), waiting: [] };
    speakers.set(source, speaker);
    return speaker;
  };
  return {
    take({ level, text, piece }) {
      if (piece === undefined) return report({ level, text: redactor.text(text) });
      const speaker = speakerOf(piece.source);
      const at = text.length - piece.length;
      speaker.waiting.push({ level, prefix: text.slice(0, at) });
      say(speaker, speaker.pieces.push(text.slice(at)));
    },
    end: (source) => (source === undefined ? endAll() : end(source)),
  };
}
