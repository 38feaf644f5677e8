/** `botbell init`: a config of one's own to begin with, and the commands that come next. */
import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { CONFIG_FILES, SAMPLES, STARTER } from '../../package-files.ts';
import { visible } from '../../text/clean.ts';
import { type CommandContext, DEFAULT_CONFIGS, OWN_CONFIG } from '../context.ts';
import { nextSteps, wordsToRun } from './next-steps.ts';
import { readStarterFiles, writeNewFiles } from './starter-files.ts';

/** @throws {CommandFailed} something is there already, or the folder cannot be written; then nothing has been */
export function initCommand(context: CommandContext, folder: string): number {
  const place = resolve(folder);
  const program = wordsToRun(place, context.script);
  const configFiles = relative(place, CONFIG_FILES) || '.';
  writeNewFiles(folder, readStarterFiles(STARTER, { configFiles, program }));
  context.result(
    visible(
      nextSteps({
        folder: place === resolve() ? undefined : folder,
        program,
        configOption: isDefaultIn(place, context.variables) ? '' : ` --config ${OWN_CONFIG}`,
        sample: relative(place, join(SAMPLES, 'error.json')),
      }),
    ),
  );
  return 0;
}

/** Whether what was written is the config that is used there when none is named. */
function isDefaultIn(folder: string, variables: CommandContext['variables']): boolean {
  const found = DEFAULT_CONFIGS.find((file) => existsSync(join(folder, file)));
  return !variables['BOTBELL_CONFIG'] && found === OWN_CONFIG;
}
