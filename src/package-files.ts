/** Where the files that come with the program are: beside the folder that it runs from, be it the sources or the build. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const BUILT_IN_TEMPLATES = fileURLToPath(new URL('../templates', import.meta.url));

export const DEMO_CONFIG = fileURLToPath(new URL('../config/botbell.demo.yaml', import.meta.url));

/** The example config and the schema are in it. */
export const CONFIG_FILES = fileURLToPath(new URL('../config', import.meta.url));

/** The built program. */
export const PROGRAM = fileURLToPath(new URL('../dist/main.js', import.meta.url));

/** What `botbell init` writes, by language. */
export const STARTER = fileURLToPath(new URL('../config/starter', import.meta.url));

/** Callbacks to try Botbell with. @param language of names and messages in them */
export function samplesIn(language: 'en' | 'ja'): string {
  return fileURLToPath(new URL(`../config/samples${language === 'ja' ? '/ja' : ''}`, import.meta.url));
}

export function readVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
