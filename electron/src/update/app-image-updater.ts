import { AppImageUpdater } from 'electron-updater';
import { replaceProgram } from './app-image.ts';

/** The updater of an AppImage, whose program is replaced in one step. */
export class WholeAppImageUpdater extends AppImageUpdater {
  protected override doInstall({ isForceRunAfter }: { isForceRunAfter: boolean }): boolean {
    // The runtime of an AppImage sets it to the path of the program.
    const program = process.env['APPIMAGE'];
    if (!program || !this.installerPath) throw new Error('The AppImage or its download was not found.');
    replaceProgram(program, this.installerPath);
    if (isForceRunAfter) void this.spawnLog(program, [], { ...process.env, APPIMAGE_SILENT_INSTALL: 'true' });
    return true;
  }
}
