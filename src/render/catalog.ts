/** Finds the template for a set, format and name: the given set before the display language's, user files before built-in ones. */
import type { MessageFormat, TemplateInConfig } from '../channels/channel.ts';
import type { DisplayConfig } from '../config/config.ts';
import { pathText } from '../config/path.ts';
import { LANGUAGES } from '../config/schema/schema.ts';
import type { YamlSource } from '../config/yaml-source.ts';
import type { TemplateName } from '../notice/notice.ts';
import type { Language } from '../time/display.ts';
import { CARD_KIND } from './card-template.ts';
import { type Engines, enginesFor } from './engine.ts';
import { Template, type TemplateKind, type TemplateSource } from './template.ts';
import { CARD_FOLDER, type TemplateFolder } from './template-folder.ts';

/** Where a notice goes: which template to use, and the destination's options. */
export interface RenderTarget {
  readonly format: MessageFormat;
  /** A folder of templates; undefined: the display language's set. */
  readonly templateSet: string | undefined;
  readonly options: Readonly<Record<string, unknown>>;
  /** `<channel>:<address>`; left out if nothing is sent. */
  readonly destination?: string | undefined;
}

/** The template files, and the display config that they are compiled with. */
export interface TemplateSources {
  readonly display: DisplayConfig;
  readonly builtIn: TemplateFolder;
  /** The user's own templates, which take precedence over the built-in ones. */
  readonly own: TemplateFolder;
  /** The config's file; left out if it holds no templates. */
  readonly source?: YamlSource | undefined;
}

export interface Choice {
  /** The template of the channel's own message; undefined: the card is used. */
  readonly own: Template | undefined;
  readonly card: Template;
  /** The built-in card, for when `card` fails. */
  readonly builtIn: Template;
}

export class TemplateCatalog {
  readonly sources: TemplateSources;
  readonly setNames: readonly string[];
  readonly #choices = new Map<string, Choice>();
  readonly #engines: Readonly<Record<Language, Engines>>;
  /** By file, since all formats share the card templates. */
  readonly #templates = new Map<TemplateSource, Template>();

  constructor(sources: TemplateSources) {
    const { display, builtIn, own } = sources;
    this.sources = sources;
    this.setNames = [...new Set([...builtIn.sets, ...own.sets])];
    const enginesIn = (language: Language) => enginesFor({ ...display, language });
    this.#engines = { en: enginesIn('en'), ja: enginesIn('ja') };
  }

  /** Uses the display language's set for an unknown one. @throws {Error} if a built-in card is missing */
  choose(
    { templateSet, format, destination = '' }: Omit<RenderTarget, 'options'>,
    name: TemplateName,
  ): Choice {
    const { language } = this.sources.display;
    const set = this.setNames.find((each) => each === templateSet) ?? language;
    const inConfig = format.templateAt?.(destination);
    const place = inConfig === undefined ? '' : pathText(inConfig.path);
    const key = `${format.name}/${set}/${name} ${place}`;
    const known = this.#choices.get(key);
    if (known !== undefined) return known;
    const choice = this.#choose([set, language], format, name, inConfig);
    this.#choices.set(key, choice);
    return choice;
  }

  #choose(
    sets: readonly string[],
    format: MessageFormat,
    name: TemplateName,
    inConfig: TemplateInConfig | undefined,
  ): Choice {
    const { own, builtIn, source } = this.sources;
    const card = this.#first(sets, [own, builtIn], `${CARD_FOLDER}/${name}`, CARD_KIND);
    const fallback = this.#first(sets, [builtIn], `${CARD_FOLDER}/${name}`, CARD_KIND);
    if (card === undefined || fallback === undefined)
      throw new Error(`the built-in template ${CARD_FOLDER}/${name}.yaml is missing`);
    const choice = { own: undefined, card, builtIn: fallback };
    if (format.own === undefined) return choice;
    if (inConfig !== undefined && source !== undefined) {
      const placed = source.within(inConfig.path, inConfig.data);
      return { ...choice, own: this.#compiled({ set: card.file.set, placed }, format.own) };
    }
    if (format.templateAt !== undefined) return choice;
    const message = this.#first(sets, [own], `${format.name}/${name}`, format.own);
    // A set's card comes before the message of another set.
    const isNearer = message !== undefined && sets.indexOf(message.file.set) <= sets.indexOf(card.file.set);
    return isNearer ? { ...choice, own: message } : choice;
  }

  #first(
    sets: readonly string[],
    folders: readonly TemplateFolder[],
    name: string,
    kind: TemplateKind,
  ): Template | undefined {
    const files = sets.flatMap((set) => folders.map((folder) => folder.files.get(`${set}/${name}`)));
    const file = files.find((each) => each !== undefined);
    return file && this.#compiled(file, kind);
  }

  #compiled(file: TemplateSource, kind: TemplateKind): Template {
    // A language's name is also that of its built-in set.
    const language = LANGUAGES.find((each) => each === file.set) ?? this.sources.display.language;
    const template = this.#templates.get(file) ?? new Template(file, kind, language, this.#engines[language]);
    this.#templates.set(file, template);
    return template;
  }
}
