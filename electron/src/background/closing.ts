type Closing = {
  hasTray: boolean;
  keepsRunning: boolean;
  /** The application quits, so the window closes with it. */
  isQuitting: boolean;
  platform: NodeJS.Platform;
  running: number;
};

/**
 * Decides the effect of closing the window: the desktop stays in the tray (or the Dock), quits, or first asks the person because
 * Runs are going on and nothing would show it.
 */
export function decideClosing({
  hasTray,
  keepsRunning,
  isQuitting,
  platform,
  running,
}: Closing): 'stay' | 'quit' | 'ask' {
  if (isQuitting) return 'quit';
  if (platform === 'darwin') return 'stay';
  if (hasTray && keepsRunning) return 'stay';
  return running > 0 && !hasTray ? 'ask' : 'quit';
}
