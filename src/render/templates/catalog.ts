/** Finds the template for a set, a format and a name: the user's own before the built-in, a set before the language's. */
import type { MessageFormat } from '../../channels/channel.ts';
import type { DisplayConfig, Place, Problem } from '../../config/config.ts';
import { TEMPLATE_NAMES, type TemplateName } from '../../notice/notice.ts';
import { Engines } from '../liquid/engine.ts';
import { didYouMean } from '../../text/nearest.ts';
import type { Meter } from '../liquid/print-value.ts';
import { Template } from './template.ts';
import { type FormatFiles, NO_FILES, type TemplateFolder } from './files.ts';

/** Which template to use, and the options of the destination. */
export interface RenderTarget {
  /** A `MessageFormat`'s name. */
  readonly format: string;
  /** Folder under `templates/`; undefined: the display language's set. */
  readonly templateSet: string | undefined;
  readonly options: Readonly<Record<string, unknown>>;
  /** Where the config asks for the set; `check` reports a set that does not exist there. */
  readonly place?: Place;
}

/** All that messages are made of beside the notice and the format; it can be cloned. */
export interface TemplateSources {
  readonly display: DisplayConfig;
  readonly builtIn: TemplateFolder;
  /** The user's own, over the built-in ones. */
  readonly own: TemplateFolder;
}

export interface CatalogOptions extends TemplateSources {
  readonly formats: readonly MessageFormat[];
  readonly meter: Meter;
}

/** A template and what takes its place when it fails; both the same where the built-in one was chosen. */
export interface Choice {
  readonly chosen: Template;
  readonly builtIn: Template;
}

/** `choose` only looks up. */
export class TemplateCatalog {
  /** Of the folders themselves; each template has its own. */
  readonly problems: readonly Problem[];
  readonly setNames: readonly string[];
  readonly options: CatalogOptions;
  private readonly choices = new Map<string, Choice>();

  /** @throws {Error} where a built-in template is missing: the installation is damaged */
  constructor(options: CatalogOptions) {
    this.options = options;
    const { builtIn, own, display } = options;
    this.problems = [...own.problems, ...builtIn.problems];
    this.setNames = [...new Set([...builtIn.sets.keys(), ...own.sets.keys()])];
    // The language's set first: the others fall back to it.
    const { language } = display;
    for (const set of [language, ...this.setNames.filter((name) => name !== language)]) this.compileSet(set);
  }

  /** An unknown set is the display language's. @throws {Error} for a format that the catalog was made without */
  choose(set: string | undefined, format: string, name: TemplateName): Choice {
    const known = set !== undefined && this.setNames.includes(set) ? set : this.options.display.language;
    const choice = this.choices.get(keyOf(known, format, name));
    if (choice === undefined) throw new Error(`the renderer was made without the format "${format}"`);
    return choice;
  }

  /** Undefined where there is such a set. */
  missingSet(set: string): string | undefined {
    if (this.setNames.includes(set)) return undefined;
    return `there is no template set "${set}"${didYouMean(set, this.setNames) || `: there are ${this.setNames.join(', ')}`}`;
  }

  private compileSet(set: string): void {
    for (const format of this.options.formats) this.compileFormat(set, format);
  }

  private compileFormat(set: string, format: MessageFormat): void {
    const { builtIn, own, display } = this.options;
    const { language } = display;
    const sets = set === language ? [set] : [language, set];
    const layersOf = (folder: TemplateFolder) => sets.map((name) => filesOf(folder, name, format));
    const layered = sets.flatMap((name) => [builtIn, own].map((folder) => filesOf(folder, name, format)));
    const pristine = this.enginesWith(layersOf(builtIn));
    const engines = layersOf(own).some(({ partials }) => partials.size > 0)
      ? this.enginesWith(layered)
      : pristine;
    for (const name of TEMPLATE_NAMES) {
      const choice = this.chooseFiles(set, format, name, { engines, pristine });
      this.choices.set(keyOf(set, format.name, name), choice);
    }
  }

  private chooseFiles(
    set: string,
    format: MessageFormat,
    name: TemplateName,
    { engines, pristine }: { readonly engines: Engines; readonly pristine: Engines },
  ): Choice {
    const shipped = filesOf(this.options.builtIn, set, format).templates.get(name);
    const own = filesOf(this.options.own, set, format).templates.get(name) ?? shipped;
    const ofLanguage = this.choices.get(keyOf(this.options.display.language, format.name, name));
    const builtIn =
      shipped === undefined ? ofLanguage?.builtIn : new Template(name, shipped, format, pristine);
    if (builtIn === undefined)
      throw new Error(`the built-in template ${format.name}/${name}.yaml is missing`);
    if (own === undefined) return { chosen: ofLanguage?.chosen ?? builtIn, builtIn };
    const isPristine = own === shipped && engines === pristine;
    return { chosen: isPristine ? builtIn : new Template(name, own, format, engines), builtIn };
  }

  private enginesWith(layers: readonly FormatFiles[]): Engines {
    const partials = new Map(layers.flatMap((files) => [...files.partials]));
    return new Engines(this.options.display, this.options.meter, partials);
  }
}

function filesOf(folder: TemplateFolder, set: string, format: MessageFormat): FormatFiles {
  return folder.sets.get(set)?.get(format.name) ?? NO_FILES;
}

/** Sets and formats are names of folders, so that no two make the same key. */
function keyOf(set: string, format: string, name: TemplateName): string {
  return `${set}/${format}/${name}`;
}
