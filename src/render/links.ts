/** Addresses of jobs and files, made from the Liquid templates of `display.links`. */
import type { Liquid, Template } from 'liquidjs';
import type { FileView } from '../channels/card.ts';
import type { DisplayConfig, Place, PlaceInConfig, Problem } from '../config/config.ts';
import type { Path } from '../config/path.ts';
import { Escaped, escapeUrlPart, LONGEST_ADDRESS, wholeUrl } from '../text/clean.ts';
import { createEngine, Rendering } from './engine.ts';
import { findUnknownVariables, parseLiquid } from './liquid-faults.ts';

export interface Links {
  /** '' where no link is configured or none comes out of it. */
  job(fields: object): string;
  /** Its template sees the file beside the callback's own fields. */
  file(fields: object, file: Pick<FileView, 'ref' | 'name' | 'size'>): string;
  readonly problems: readonly Problem[];
}

type LinkName = keyof DisplayConfig['links'];

/** What the links' templates see. */
export const LINK_FIELDS = [
  'code',
  'job_id',
  'bot_id',
  'bot_name',
  'status',
  'start_time',
  'elapsed_time',
  'output',
  'message',
  'callback',
  'status_name',
] as const;

const OF_FILE = ['ref', 'name', 'size'];

export function createLinks(display: DisplayConfig, placeInConfig: PlaceInConfig = placeByName): Links {
  const liquid = createEngine(display, { escape: escapeUrlPart, most: Infinity });
  const compile = (name: LinkName, known: readonly string[]) =>
    compileLink(liquid, display.links[name], known, (line, column) =>
      placeInConfig(['display', 'links', name], line, column),
    );
  const job = compile('job', LINK_FIELDS);
  const file = compile('file', [...LINK_FIELDS, ...OF_FILE]);
  return {
    job: (fields) => renderLink(liquid, job, fields),
    file: (fields, { ref, name, size }) =>
      renderLink(liquid, file, { ...fields, ref: escapeRef(ref), name, size }),
    problems: [...job.problems, ...file.problems],
  };
}

interface CompiledLink {
  readonly templates: Template[] | undefined;
  readonly problems: readonly Problem[];
}

/** Where there is no file. */
function placeByName(path: Path, line: number, column: number): Place {
  return { file: path.join('.'), line, column };
}

function compileLink(
  liquid: Liquid,
  source: string | undefined,
  knownNames: readonly string[],
  placeOf: (line: number, column: number) => Place,
): CompiledLink {
  if (source === undefined || source === '') return { templates: undefined, problems: [] };
  const { templates, fault } = parseLiquid(liquid, source);
  const faults = templates === undefined ? [fault] : findUnknownVariables(liquid, templates, knownNames);
  const problems = faults.map(({ line, column, message }): Problem => ({
    place: placeOf(line, column),
    message,
    severity: 'error',
  }));
  return { templates: problems.length === 0 ? templates : undefined, problems };
}

/** The slashes of a reference are part of the path; everything else is data. What is cut is no address even so. */
function escapeRef(ref: string): Escaped {
  const parts = ref.slice(0, LONGEST_ADDRESS + 1).split('/');
  return new Escaped(parts.map(escapeUrlPart).join('/'));
}

function renderLink(liquid: Liquid, { templates }: CompiledLink, fields: object): string {
  if (templates === undefined) return '';
  try {
    return wholeUrl(new Rendering(fields, { limitMs: Infinity }).print(liquid, templates)) ?? '';
  } catch {
    // A link is worth less than the message that would carry it.
    return '';
  }
}
