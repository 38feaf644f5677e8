/** Reads a config file: everything that is wrong with it at once, or a Config that nothing is wrong with. */
import { hash } from 'node:crypto';
import { NotUtf8, readText } from '../text/read-text.ts';
import type { Config, PlaceInConfig, Problem } from './config.ts';
import { Findings } from './findings.ts';
import { interpolate, reasonOf } from './read/interpolate.ts';
import { isJsonObject } from '../text/json-object.ts';
import { readConfig, type ReadEnvironment } from './read/read-config.ts';
import { YamlSource } from './yaml-source.ts';

export interface LoadEnvironment extends ReadEnvironment {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** As UTF-8. @throws when the file cannot be read */
  readonly readFile?: (path: string) => string;
  /** For a check where no variable is set: what they would give is taken for granted. */
  readonly withoutSecrets?: boolean;
}

export interface LoadedConfig {
  /** Undefined when there is an error among the problems. */
  readonly config?: Config;
  /** Of the file, there with the config: the same for the same text. */
  readonly hash?: string;
  /** There with the config. */
  readonly placeInConfig?: PlaceInConfig;
  /** In the order of the file. */
  readonly problems: readonly Problem[];
  /** Without secrets: the variables and files that were taken for granted. */
  readonly missing?: readonly string[];
}

/**
 * Never throws for what a file may hold. Paths in the config are relative to the working directory; the file is read
 * where `file` says, and named in problems as given.
 */
export function loadConfig(file: string, environment: LoadEnvironment): LoadedConfig {
  const readFile = environment.readFile ?? readText;
  let text: string;
  try {
    text = readFile(file);
  } catch (error) {
    const hint = error instanceof NotUtf8 ? '' : '; name another with --config or BOTBELL_CONFIG';
    return { problems: [faultOfFile(file, `the config file cannot be read: ${reasonOf(error)}${hint}`)] };
  }
  const { source, problems: faults } = YamlSource.parse(file, text);
  if (source.data === undefined) return { problems: faults };
  if (!isJsonObject(source.data))
    return { problems: [...faults, faultOfFile(file, shapeFault(source.data))] };
  const { variables, withoutSecrets = false } = environment;
  const interpolated = interpolate(source.data, { variables, readFile, withoutSecrets });
  const findings = new Findings(source, interpolated, faults);
  const config = readConfig({ file, interpolated, findings, environment });
  const problems = findings.inOrder();
  const missing = [...new Set(interpolated.missing.map(({ reference }) => reference))];
  if (config === undefined) return { problems, missing };
  const placeInConfig: PlaceInConfig = (...place) => findings.placeInString(...place);
  return { config, hash: hash('sha256', text, 'hex'), placeInConfig, problems, missing };
}

function shapeFault(data: unknown): string {
  const hint = 'see config/botbell.example.yaml';
  return data === null
    ? `the config file is empty: ${hint}`
    : `the config must be a map of keys and values: ${hint}`;
}

function faultOfFile(file: string, message: string): Problem {
  return { place: { file, line: 1, column: 1 }, message, severity: 'error' };
}
