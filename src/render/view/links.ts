/** Addresses of jobs and files, made from the Liquid templates of `display.links`. */
import type { Liquid, Template } from 'liquidjs';
import type { DisplayConfig, Place, PlaceInConfig, Problem } from '../../config/config.ts';
import type { Path } from '../../config/path.ts';
import { URL_PART } from '../../channels/markup.ts';
import { Escaped, escapeUrlPart, LONGEST_ADDRESS, wholeUrl } from '../../text/clean.ts';
import { createEngine, renderText } from '../liquid/engine.ts';
import { findMisuses } from '../templates/find-misuses.ts';
import { findUnknownVariables, parseLiquid } from '../templates/liquid-faults.ts';
import { Meter } from '../liquid/print-value.ts';
import type { LinkedFile } from './outputs.ts';
import { LINK_SHAPE, memberNames } from './shapes.ts';

export interface Links {
  /** '' where no link is configured or none comes out of it. */
  job(callbackView: object): string;
  /** Its template sees the file beside the callback's own fields. */
  file(callbackView: object, file: LinkedFile): string;
  readonly problems: readonly Problem[];
}

type LinkName = keyof DisplayConfig['links'];

const FILE_NAMES = ['ref', 'name', 'size'];

export function createLinks(display: DisplayConfig, placeInConfig: PlaceInConfig = placeByName): Links {
  const meter = new Meter();
  const liquid = createEngine({ markup: URL_PART, display, meter, partials: {} });
  const compile = (name: LinkName, known: readonly string[]) =>
    compileLink(liquid, display.links[name], known, (line, column) =>
      placeInConfig(['display', 'links', name], line, column),
    );
  const variables = memberNames(LINK_SHAPE);
  const job = compile('job', variables);
  const file = compile('file', [...variables, ...FILE_NAMES]);
  return {
    job: (view) => (job.templates === undefined ? '' : renderLink(liquid, job.templates, view, meter)),
    file: (view, linked) =>
      file.templates === undefined ? '' : renderLink(liquid, file.templates, viewFile(view, linked), meter),
    problems: [...job.problems, ...file.problems],
  };
}

/** Members added behind a spread take V8 ten times as long. */
function viewFile(view: object, { ref, name, size }: LinkedFile): object {
  return Object.assign({}, view, { ref: escapeRef(ref), name, size });
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
  const faults =
    templates === undefined
      ? [fault]
      : [...findUnknownVariables(liquid, templates, knownNames), ...findMisuses(templates, LINK_SHAPE)];
  const problems = faults.map(({ line, column, message }): Problem => ({
    place: placeOf(line, column),
    message,
    severity: 'error',
  }));
  return { templates: problems.length === 0 ? templates : undefined, problems };
}

/** The slashes of a reference are part of the path; everything else is data. What is cut is no address even so. */
function escapeRef(ref: string): Escaped {
  return new Escaped(
    ref
      .slice(0, LONGEST_ADDRESS + 1)
      .split('/')
      .map(escapeUrlPart)
      .join('/'),
  );
}

function renderLink(liquid: Liquid, templates: Template[], view: object, meter: Meter): string {
  meter.start();
  try {
    return wholeUrl(renderText(liquid, templates, view, meter)) ?? '';
  } catch {
    // A link is worth less than the message that would carry it.
    return '';
  }
}
